import { expect, test } from "bun:test";
import type { SeriesRecord } from "../../src/domain/series-record.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { evidenceCurve, roundOfClaim } from "../../src/statistics/evidence-curve.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { comparisonOf, results, rowOf, seriesOf } from "./series.ts";

const ROWS = ["r1", "r2", "r3"];
const LOST = "lost";

/** A table of three rows that go on, and one that fails again and again. */
function table(trials: number): SeriesRecord {
  const record = seriesOf({ scenarios: [...ROWS, LOST].map(() => "S"), trials, state: "completed" });
  const scenarios = [...ROWS, LOST].map((input, place) => ({
    ...(record.plan.scenarios[place] ?? { scenario: "S", digest: "", self_test_key: null }),
    ...{ input, comparison: comparisonOf(input) },
  }));
  return { ...record, plan: { ...record.plan, scenarios } };
}

/** The same letters for each row that goes on, round by round. */
const going = (letters: string): TrialRow[] =>
  results(letters).flatMap((result, round) =>
    ROWS.map((input, place) => {
      const trial = round * ROWS.length + place + 1;
      return { ...rowOf({ scenario: "S", trial, round: round + 1 }, result), input, comparison: comparisonOf(input) };
    }),
  );

const lost = (trials: number, after: number): TrialRow[] =>
  results("x".repeat(trials)).map((result, index) => ({
    ...rowOf({ scenario: "S", trial: after + index + 1, round: 1 }, result),
    ...{ input: LOST, comparison: comparisonOf(LOST) },
  }));

const OWN = [...going("+".repeat(20)), ...lost(11, 20 * ROWS.length)];

test("the mark of a claim stands at a round, also where a row was given up", async () => {
  const series = await reportOf(table(20), OWN, { stored: [], judge_unaudited: false });
  expect(series.scenarios.map(({ given_up }) => given_up === true)).toEqual([false, false, false, true]);
  expect(series.headline.claim?.at_trial).toBe(roundOfClaim(series) * ROWS.length);
  expect(evidenceCurve(series)[roundOfClaim(series)]).toBe(series.headline.claim?.e);
});

test("what others established before it, and took back, confirms no claim, also where a row was given up", async () => {
  const others = going("+".repeat(20) + "-".repeat(28)).map((row, index) => ({
    ...row,
    session_id: `${row.session_id}-other-${index}`,
    place: row.place && { ...row.place, series_id: "series-20250101T000000000Z-00000000" },
    conduct: `${index}`.padStart(64, "f"),
  }));
  const report = async (stored: readonly TrialRow[]) =>
    (await reportOf(table(20), OWN, { stored, judge_unaudited: false })).conclusion;
  expect(await report([])).toBe("a_preferred");
  expect(await report([...others, ...OWN])).toBe("undecided");
});
