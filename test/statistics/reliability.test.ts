import { expect, test } from "bun:test";
import fc from "fast-check";
import { importedSeries } from "../../src/statistics/report.ts";
import { reliability } from "../../src/statistics/summary/reliability.ts";

const tasks = (...solved: readonly (readonly [solved: number, trials: number])[]) =>
  reliability(solved.map(([some, trials]) => ({ solved: some, trials })));

test("an arm that solves 3 of 4 is counted draw by draw, up to half of its trials", () => {
  const { pass_power, pass_at } = tasks([3, 4]);
  expect(pass_power).toEqual([0.75, 0.5]);
  expect(pass_at).toEqual([0.75, 1]);
});

test("tasks that are always solved do not make up for those that never are", () => {
  const always = Array.from({ length: 5 }, () => [16, 16] as const);
  const never = Array.from({ length: 5 }, () => [0, 16] as const);
  const { pass_power, pass_power_low, pass_power_high } = tasks(...always, ...never);
  expect(pass_power).toEqual(Array.from({ length: 8 }, () => 0.5));
  // .5 and 2.262 standard errors of .5 / 3.
  expect(pass_power_low[7]).toBeCloseTo(0.5 - 2.2622 / 6, 4);
  expect(pass_power_high[7]).toBeCloseTo(0.5 + 2.2622 / 6, 4);
});

test("no row is longer than half of the trials of the task with the fewest, or than 8", () => {
  expect(reliability([])).toEqual({ pass_power: [], pass_power_low: [], pass_power_high: [], pass_at: [] });
  expect(tasks([20, 20]).pass_power).toEqual(Array.from({ length: 8 }, () => 1));
  expect(tasks([20, 20], [5, 5]).pass_power).toEqual([1, 1]);
  expect(tasks([1, 1], [20, 20]).pass_power).toEqual([]);
});

test("where tasks do not differ the range is that of the solved share, in a row", () => {
  const { pass_power_low, pass_power_high } = tasks([10, 10], [10, 10]);
  const wilson = 1 / (1 + 1.959964 ** 2 / 20);
  expect(pass_power_low[4]).toBeCloseTo(wilson ** 5, 6);
  expect(pass_power_high[4]).toBe(1);
});

test("the rows of a cluster are one task", () => {
  const row = (solved: number, unit: number) => ({ solved, trials: 2, unit });
  expect(reliability([row(2, 0), row(2, 0), row(2, 0), row(0, 1)]).pass_power).toEqual([0.5]);
});

test("a report tells it of each task, then of all", async () => {
  const scenario = (name: string, a: number) => ({
    scenario: name,
    trials: [1, 2, 3, 4].map((trial): [number, number, number] => [trial, a, trial % 2]),
  });
  const { arms } = await importedSeries(
    {
      ...{ measure: "passed", tie_margin: 0, arms: { a: "a", b: "b" }, levels: { alpha: 0.05, margin: 0.15 } },
      scenarios: [scenario("s", 1), scenario("t", 0)],
    },
    { series_id: `results-${"0".repeat(64)}` },
  );
  expect(arms.a.solved?.pass_power).toEqual([0.5, 0.5]);
  expect(arms.b.solved?.pass_power).toEqual([0.5, expect.closeTo(1 / 6, 12)]);
});

test("more in a row are rarer, one of more is likelier", () => {
  const solved = fc
    .integer({ min: 2, max: 40 })
    .chain((trials) => fc.record({ trials: fc.constant(trials), solved: fc.integer({ min: 0, max: trials }) }));
  fc.assert(
    fc.property(solved, (counted) => {
      const { pass_power, pass_power_low, pass_power_high, pass_at } = reliability([counted]);
      expect([...pass_power].sort((a, b) => b - a)).toEqual([...pass_power]);
      expect([...pass_at].sort((a, b) => a - b)).toEqual([...pass_at]);
      expect(pass_power[0]).toBeCloseTo(counted.solved / counted.trials, 12);
      expect(pass_at[0]).toBeCloseTo(counted.solved / counted.trials, 12);
      for (const [index, share] of pass_power.entries()) {
        expect(pass_power_low[index]).toBeLessThanOrEqual(share + 1e-12);
        expect(pass_power_high[index]).toBeGreaterThanOrEqual(share - 1e-12);
      }
    }),
  );
});
