import { expect, test } from "bun:test";
import { ONE_IN } from "../../src/domain/watch.ts";
import { simulateWatches } from "./watch.ts";

test("100 quiet years have at most one alarm in 1,000 nights, also as bad as the lower end and where tasks differ", () => {
  for (const simulated of [
    { reference: 0.8, now: 0.8 },
    { reference: 0.5, now: 0.5, spread: 0.3 },
    { reference: 0.8, now: "low" },
  ] as const) {
    const { alarms, nights } = simulateWatches(simulated, 100, 1);
    expect(alarms).toBeLessThanOrEqual(nights / ONE_IN);
  }
});

test("a fall from 80 to 30% is told in four nights in most of 300 watches, and in two weeks in all", () => {
  const { first } = simulateWatches({ reference: 0.8, now: 0.3, nights: 30 }, 300, 2);
  expect(first[149]).toBeLessThanOrEqual(3);
  expect(first[Math.floor(0.75 * 300)]).toBeLessThanOrEqual(4);
  expect(first.at(-1)).toBeLessThanOrEqual(14);
});

test("an improvement never alarms", () => {
  expect(simulateWatches({ reference: 0.7, now: 0.9 }, 60, 3).alarms).toBe(0);
});
