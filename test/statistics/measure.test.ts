import { expect, test } from "bun:test";
import type { Series } from "../../src/domain/series.ts";
import { seriesAnswerOf } from "../../src/domain/series-answer.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { standingOf } from "../../src/statistics/standing.ts";
import { type Result, results, rowOf, rowsOf, seriesOf } from "./series.ts";

const SOLVED = { measure: "solved", trials: 400 } as const;

/** Rows of which the verdict says one thing and the checks another. */
function rowsOfBoth(verdicts: string, solved: readonly (readonly [a: boolean | null, b: boolean | null])[]) {
  return rowsOf(results(verdicts)).map((row, index): TrialRow => {
    const [a, b] = solved[index] ?? [null, null];
    return { ...row, arms: { a: { ...row.arms.a, solved: a }, b: { ...row.arms.b, solved: b } } };
  });
}

const report = (rows: readonly TrialRow[], planned: Parameters<typeof seriesOf>[0], stored: readonly TrialRow[] = []) =>
  reportOf(seriesOf(planned), rows, { stored, judge_unaudited: false });

test("A trial of a series that measures what is solved is decided by that, whatever its verdict says", async () => {
  const rows = rowsOfBoth("-~=+", [
    [true, false],
    [true, false],
    [false, true],
    [true, true],
  ]);
  const { trials, counts, result, headline } = await report(rows, SOLVED);
  expect(trials.map(({ d }) => d)).toEqual([1, 1, -1, 0]);
  expect(counts).toMatchObject({ trials: 4, wins: 2, ties: 1, losses: 1, inconsistent: 0, inconclusive: 0 });
  expect(result).toMatchObject({ measure: "solved", value: { candidate: 0.75, control: 0.5 }, difference: 0.25 });
  expect(headline.net).toBe(0.25);
});

test("A trial of which nobody knows what was solved is missing, and no tie", async () => {
  const rows = rowsOfBoth("+++", [
    [true, false],
    [null, true],
    [false, false],
  ]);
  const unchecked = rows.map((row, index) => (index === 2 ? { ...row, could_not_check: "no python" } : row));
  const { counts } = await report(unchecked, SOLVED);
  expect(counts).toMatchObject({ trials: 1, wins: 1, ties: 0, invalid: 2, failed: 0 });
});

test("Stored trials of the comparison are measured as the series measures its own", async () => {
  const won = Array.from({ length: 12 }, () => [true, false] as const);
  const own = rowsOfBoth("=".repeat(12), won);
  const others = rowsOfBoth(
    "=".repeat(40),
    Array.from({ length: 40 }, () => [true, true] as const),
  ).map((row, index) => ({
    ...row,
    session_id: `session-other-${index}`,
    place: null,
    conduct: String(index).padStart(64, "0"),
    arms: { a: { ...row.arms.a, solved: false }, b: { ...row.arms.b, solved: true } },
  }));
  expect((await report(own, SOLVED)).conclusion).toBe("a_preferred");
  const beside = await report(own, SOLVED, [...others, ...own]);
  expect(beside).toMatchObject({ conclusion: "undecided", undecided_by: "other_trials_disagree" });
});

test("A series without a measure keeps the winner of each verdict", async () => {
  const rows = rowsOfBoth(
    "+".repeat(12),
    Array.from({ length: 12 }, () => [false, true] as const),
  );
  expect((await report(rows, {})).conclusion).toBe("a_preferred");
  expect((await report(rows, SOLVED)).conclusion).toBe("b_preferred");
});

/** Numbers from 0 to 1 that are the same in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const OUTCOMES: readonly Result[] = ["a", "b", "tie", "inconsistent", "inconclusive", "invalid", "failed", "cancelled"];

function randomRows(random: () => number, skew: number): readonly TrialRow[] {
  const one = (chance: number) => random() < chance;
  return Array.from({ length: 1 + Math.floor(random() * 60) }, (_, index) => {
    const result = one(skew) ? "a" : (OUTCOMES[Math.floor(random() * OUTCOMES.length)] ?? "tie");
    const row = rowOf({ trial: index + 1, round: index + 1, scenario: "S" }, result);
    const solved = () => (one(0.05) ? null : one(skew));
    return { ...row, arms: { a: { ...row.arms.a, solved: solved() }, b: { ...row.arms.b, solved: solved() } } };
  });
}

interface Told {
  readonly series: Series;
  readonly candidate_is_a: boolean;
}

function expectOneDifference({ series, candidate_is_a }: Told): void {
  const { result, counts, trials } = series;
  const counted = trials.filter((trial) => trial.counted);
  const sum = counted.reduce((total, { d }) => total + (d ?? Number.NaN), 0);
  expect(counts.wins - counts.losses).toBe(sum);
  expect(result?.n ?? 0).toBe(counted.length);
  if (!result) return;
  expect(result.difference).toBeCloseTo((result.ahead - result.behind) / result.n, 12);
  expect(result.difference).toBeCloseTo((candidate_is_a ? sum : -sum) / result.n, 12);
  expect(result.value === null).toBe(result.measure === "preferred");
  if (result.value) expect(result.value.candidate - result.value.control).toBeCloseTo(result.difference, 12);
}

function expectNoContradiction(series: Series): void {
  const { result, gate, levels } = series;
  const answer = seriesAnswerOf(series);
  const difference = result?.difference ?? 0;
  expect(answer === "better").toBe(gate["candidate"] === "better");
  if (answer === "better") expect(difference).toBeGreaterThan(0);
  if (answer === "worse") expect(difference).toBeLessThan(0);
  if (gate["candidate"] === "not_worse") expect(difference).toBeGreaterThan(-(levels.not_worse_by ?? 0));
}

test.each(["solved", "preferred"] as const)(
  "Of any series that measures %p all figures and words agree",
  async (measure) => {
    const random = numbersFrom(measure.length);
    for (let round = 0; round < 16; round += 1) {
      const rows = randomRows(random, random());
      const candidate_is_a = round % 2 === 0;
      const planned = {
        measure,
        trials: rows.length,
        arms: candidate_is_a ? ["candidate", "baseline"] : ["baseline", "candidate"],
      };
      const series = await report(rows, planned);
      expectOneDifference({ series, candidate_is_a });
      expectNoContradiction(series);
      expect(standingOf(seriesOf(planned), rows).answer).toBe(seriesAnswerOf(series));
    }
  },
);
