import { expect, test } from "bun:test";
import fc from "fast-check";
import { reliability } from "../../src/statistics/summary/reliability.ts";

test("an arm that solves 3 of 4 is counted draw by draw", () => {
  const { pass_power, pass_at } = reliability({ solved: 3, trials: 4 });
  expect(pass_power).toEqual([0.75, 0.5, 0.25, 0]);
  expect(pass_at).toEqual([0.75, 1, 1, 1]);
});

test("no row is longer than the trials, or than 8", () => {
  expect(reliability({ solved: 0, trials: 0 })).toEqual({ pass_power: [], pass_at: [] });
  expect(reliability({ solved: 20, trials: 20 }).pass_power).toEqual(Array.from({ length: 8 }, () => 1));
});

test("more in a row are rarer, one of more is likelier", () => {
  const solved = fc
    .integer({ min: 1, max: 40 })
    .chain((trials) => fc.record({ trials: fc.constant(trials), solved: fc.integer({ min: 0, max: trials }) }));
  fc.assert(
    fc.property(solved, (counted) => {
      const { pass_power, pass_at } = reliability(counted);
      expect([...pass_power].sort((a, b) => b - a)).toEqual([...pass_power]);
      expect([...pass_at].sort((a, b) => a - b)).toEqual([...pass_at]);
      expect(pass_power[0]).toBeCloseTo(counted.solved / counted.trials, 12);
      expect(pass_at[0]).toBeCloseTo(counted.solved / counted.trials, 12);
    }),
  );
});
