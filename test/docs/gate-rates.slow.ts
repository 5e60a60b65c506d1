import { expect, test } from "bun:test";
import { falseAlarms, gateRates, nightsToTell } from "../statistics/gates.ts";
import { pageNamed } from "./pages.ts";

const MANY = { repetitions: 2_000, seed: 1 };
const words = pageNamed("docs/ci.md").text.replaceAll(/\s+/g, " ");

const passing = (plan: { scenarios: number; trials: number; not_worse_by: number }, worse: number) =>
  gateRates({ ...plan, control: 0.9, candidate: 0.9 - worse }, MANY).passes;

const percent = (share: number) => `${(100 * share).toFixed(0)}%`;

/** A rate holds when it is at most the bound and two standard errors. */
const BOUND = 0.05 + 2 * Math.sqrt((0.05 * 0.95) / MANY.repetitions);

test(`what passes the gate of one scenario with 60 trials (${MANY.repetitions} series from seed ${MANY.seed})`, () => {
  const plan = { scenarios: 1, trials: 60, not_worse_by: 0.2 };
  const [equal = 0, ten = 0, twenty = 0] = [0, 0.1, 0.2].map((worse) => passing(plan, worse));
  expect(words).toContain(
    `equal arms pass in ${percent(equal)} of all series, a candidate that is 10 points worse in ${percent(ten)}, one that is 20 points worse in ${percent(twenty)}`,
  );
  expect(twenty).toBeLessThanOrEqual(BOUND);
});

test(`what passes the gate of a table of 100 rows with 3 trials (${MANY.repetitions} series from seed ${MANY.seed})`, () => {
  const plan = { scenarios: 100, trials: 3, not_worse_by: 0.1 };
  const [equal = 0, ten = 0] = [0, 0.1].map((worse) => passing(plan, worse));
  expect(words).toContain(
    `equal arms pass in ${percent(equal)}, a candidate that is 10 points worse in ${percent(ten)}`,
  );
  expect(ten).toBeLessThanOrEqual(BOUND);
});

test(`what a gate tells that sees one comparison every night (${MANY.repetitions} stores from seed ${MANY.seed})`, () => {
  const page = pageNamed("docs/series.md").text.replaceAll(/\s+/g, " ");
  const alarms = falseAlarms(15, MANY);
  const told = nightsToTell(15, 0.25, MANY)[MANY.repetitions / 2];
  expect(page).toContain(
    `With 15 decided trials a night, equal arms are called different in ${(100 * alarms).toFixed(1)}% of stores in 250 nights, and a candidate that wins only a quarter from then on is told in ${told} nights`,
  );
  expect(alarms).toBeLessThanOrEqual(BOUND);
  expect(told).toBeLessThanOrEqual(8);
});
