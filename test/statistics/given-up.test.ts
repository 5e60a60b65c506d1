import { expect, test } from "bun:test";
import type { SeriesRecord } from "../../src/domain/series-record.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { evidenceCurve, roundOfClaim } from "../../src/statistics/evidence-curve.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { comparisonOf, results, rowOf, seriesOf } from "./series.ts";

const ROWS = ["r1", "r2", "r3"];
const LOST = "lost";

function table(inputs: readonly string[], trials: number): SeriesRecord {
  const record = seriesOf({ scenarios: inputs.map(() => "S"), trials, state: "completed" });
  const scenarios = inputs.map((input, place) => ({
    ...(record.plan.scenarios[place] ?? { scenario: "S", digest: "", self_test_key: null }),
    ...{ input, comparison: comparisonOf(input) },
  }));
  return { ...record, plan: { ...record.plan, scenarios } };
}

/** The same letters for each of these rows, round by round. */
const going = (letters: string, inputs = ROWS): TrialRow[] =>
  results(letters).flatMap((result, round) =>
    inputs.map((input, place) => {
      const trial = round * inputs.length + place + 1;
      return { ...rowOf({ scenario: "S", trial, round: round + 1 }, result), input, comparison: comparisonOf(input) };
    }),
  );

const lost = (trials: number, after: number, input = LOST): TrialRow[] =>
  results("x".repeat(trials)).map((result, index) => ({
    ...rowOf({ scenario: "S", trial: after + index + 1, round: 1 }, result),
    ...{ input, comparison: comparisonOf(input) },
  }));

const OWN = [...going("+".repeat(20)), ...lost(11, 20 * ROWS.length)];

test("the mark of a claim stands at a round, also where a row was given up", async () => {
  const series = await reportOf(table([...ROWS, LOST], 20), OWN, { stored: [], judge_unaudited: false });
  expect(series.scenarios.map(({ given_up }) => given_up === true)).toEqual([false, false, false, true]);
  expect(series.headline.claim?.at_trial).toBe(roundOfClaim(series) * ROWS.length);
  expect(evidenceCurve(series)[roundOfClaim(series)]).toBe(series.headline.claim?.e);
});

test("what others established before it, and took back, confirms no claim, also where a row was given up", async () => {
  // Twelve wins and a missing trial show it, but not with the share that a later series of a comparison bets.
  const inputs = Array.from({ length: 12 }, (_, place) => `r${place}`);
  const own = [...going("+", inputs), ...lost(4, inputs.length)];
  const others = going("+".repeat(5) + "-".repeat(7), inputs).map((row, index) => ({
    ...row,
    session_id: `${row.session_id}-other-${index}`,
    place: row.place && { ...row.place, series_id: "series-20250101T000000000Z-00000000" },
    conduct: `${index}`.padStart(64, "f"),
  }));
  const report = async (stored: readonly TrialRow[]) =>
    (await reportOf(table([...inputs, LOST], 1), own, { stored, judge_unaudited: false })).conclusion;
  expect(await report([])).toBe("a_preferred");
  expect(await report([...others, ...own])).toBe("undecided");
});

test("a row that never gave a result is missing once in a round, however often it was tried", async () => {
  const won = Array.from({ length: 23 }, (_, row) => `r${row}`);
  const rows = [...going("+", won), ...lost(4, 23, "lost-1"), ...lost(4, 27, "lost-2")];
  const record = table([...won, "lost-1", "lost-2"], 1);
  const series = await reportOf(record, rows, { stored: [], judge_unaudited: false });
  expect(series.counts.failed).toBe(8);
  expect(series.conclusion).toBe("a_preferred");
});

test("a row is not given up for trials that a cost limit ended", async () => {
  const failure = { class: "user", code: "cost_limit_reached", message: "the cost limit" } as const;
  const own = [...going("+".repeat(20)), ...lost(11, 20 * ROWS.length).map((row) => ({ ...row, failure }))];
  const series = await reportOf(table([...ROWS, LOST], 20), own, { stored: [], judge_unaudited: false });
  expect(series.scenarios.map(({ given_up }) => given_up === true)).toEqual([false, false, false, false]);
});
