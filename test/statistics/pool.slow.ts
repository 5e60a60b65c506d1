import { expect, test } from "bun:test";
import { CUTS, falseClaims } from "./splits.ts";

test("however trials of equal arms are cut into series, few make a false claim", () => {
  const all = Object.values(CUTS).map((cut) => falseClaims(cut, { repetitions: 20, seed: 3 }));
  const mean = (of: (rates: (typeof all)[number]) => number) =>
    all.reduce((sum, rates) => sum + of(rates), 0) / all.length;
  expect(mean(({ alone }) => alone)).toBeGreaterThan(0.15);
  expect(mean(({ reported }) => reported)).toBeLessThanOrEqual(0.05);
});
