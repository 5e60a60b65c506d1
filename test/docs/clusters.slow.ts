import { expect, test } from "bun:test";
import { pastedErrors } from "../statistics/pasted.ts";
import { pageNamed } from "./pages.ts";

const MANY = { repetitions: 2_000, seed: 1 };
const words = pageNamed("docs/series.md").text.replaceAll(/\s+/g, " ");

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;

/** A rate holds when it is at most the bound and two standard errors. */
const BOUND = 0.05 + 2 * Math.sqrt((0.05 * 0.95) / MANY.repetitions);

test(`what pasted questions claim, each row for itself and in clusters (${MANY.repetitions} tables from seed ${MANY.seed})`, () => {
  const pasted = { questions: 20, copies: 10, rounds: 1, control: 0.5 };
  const equal = pastedErrors({ ...pasted, candidate: 0.5 }, MANY);
  const worse = pastedErrors({ ...pasted, candidate: 0.4 }, MANY);
  expect(words).toContain(
    `${percent(equal.rows.claims)} claim a winner when each row counts for itself, and ${percent(equal.clusters.claims)} with \`--cluster\`; a candidate that is 10 points worse passes the gate in ${percent(worse.rows.passes)} and in ${percent(worse.clusters.passes)}`,
  );
  expect(equal.clusters.claims).toBeLessThanOrEqual(BOUND);
  expect(worse.clusters.passes).toBeLessThanOrEqual(BOUND);
});
