import { expect, test } from "bun:test";
import { BASELINE_CASES, baselineClaims } from "./baselines.ts";

/** All are in `bun bench/main.ts baselines`. */
const SAMPLE = { repetitions: 40, seed: 2 };

const claimsOf = (name: keyof typeof BASELINE_CASES, sample = SAMPLE) => {
  const kind = BASELINE_CASES[name];
  if (!kind) throw new Error(name);
  return baselineClaims(kind, sample);
};

test("each series on one blessed baseline errs as seldom as one in which both arms run", () => {
  expect(claimsOf("12 candidates on one blessed series").concluded).toBeLessThanOrEqual(0.05);
});

test("whoever compares one candidate again and again on one baseline has one series' chance of a false claim", () => {
  expect(claimsOf("one candidate 12 times on one blessed series").any).toBeLessThanOrEqual(0.075);
});

test("nothing is concluded on runs that were chosen by what they showed, also where their trials claim something", () => {
  const { claimed, concluded } = claimsOf("a baseline of the arm that a stopped series preferred");
  expect(claimed).toBeGreaterThan(0);
  expect(concluded).toBe(0);
});
