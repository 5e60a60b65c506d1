import { expect, test } from "bun:test";
import type { ImportedResults } from "../../src/domain/results.ts";
import { importedSeries } from "../../src/statistics/report.ts";

type Pair = readonly [a: number | null, b: number | null];

const report = (scenarios: readonly (readonly Pair[])[], measure: ImportedResults["measure"] = "passed") =>
  importedSeries(
    {
      ...{ measure, tie_margin: 0.05, arms: { a: "a", b: "b" }, levels: { alpha: 0.05, margin: 0.15 } },
      scenarios: scenarios.map((pairs, index) => ({
        scenario: `s${index}`,
        trials: pairs.map(([a, b], trial): [number, number | null, number | null] => [trial + 1, a, b]),
      })),
    },
    { series_id: `results-${"0".repeat(64)}` },
  );

const [WON, LOST]: readonly Pair[] = [
  [1, 0],
  [0, 1],
];
const often = (pair: Pair | undefined) => Array.from({ length: 3 }, () => pair ?? ([0, 0] as const));

test("each scenario of a table in which nothing varies counts once", async () => {
  const series = await report([...Array.from({ length: 6 }, () => often(WON)), often(LOST), [WON ?? [1, 0]]]);
  expect(series.result).toMatchObject({ n: 8, ahead: 1, behind: 7 });
  expect(series.counts).toMatchObject({ trials: 8, copies: 14, failed: 0, held: 0 });
  expect(series.flags).toContain("no_variation");
  expect(series.statement).toContain("14 trials look like copies, and each scenario counts once");
  expect(series.trials.filter(({ copy }) => copy)).toHaveLength(14);
  expect(series.gate).toEqual({ a: null, b: null });
});

test("one scenario that varies, for one arm, makes all trials count", async () => {
  const varied: readonly Pair[] = [
    [1, 0],
    [1, 0],
    [0, 0],
  ];
  const series = await report([...Array.from({ length: 6 }, () => often(WON)), varied]);
  expect(series.result).toMatchObject({ n: 21, ahead: 0, behind: 20 });
  expect(series.flags).not.toContain("no_variation");
  expect(series.counts.copies).toBeUndefined();
});

test("scores vary where they are not equal, and the first whole pair counts", async () => {
  const same = await report([often([0.5, 0.4]), [[null, 0.3], ...often([0.9, 0.3])]], "score");
  expect(same.result).toMatchObject({ n: 2, value: { candidate: expect.closeTo(0.35, 12) } });
  expect(same.flags).toContain("no_variation");
  const other = await report([often([0.5, 0.4]), [...often([0.9, 0.3]), [0.91, 0.3]]], "score");
  expect(other.flags).not.toContain("no_variation");
});

test("a table with one trial of each scenario has nothing that could vary", async () => {
  const series = await report(Array.from({ length: 9 }, () => [WON ?? [1, 0]]));
  expect(series.flags).not.toContain("no_variation");
  expect(series.result?.n).toBe(9);
});
