import { expect, test } from "bun:test";
import { pageNamed } from "../docs/pages.ts";
import { falseTaskClaims, likeCoins, likePublished } from "./tasks.ts";

const MANY = { repetitions: 2_000, seed: 1, rounds: 64 };

/** A rate holds when it is at most the bound and two standard errors. */
const BOUND = 0.05 + 2 * Math.sqrt((0.05 * 0.95) / MANY.repetitions);

test(`looks after each of 64 rounds claim as seldom as the page says (${MANY.repetitions} series from seed ${MANY.seed})`, () => {
  const rates = [likePublished, likeCoins].map((tasksOf) => falseTaskClaims({ ...MANY, tasksOf }));
  for (const rate of rates) expect(rate).toBeLessThanOrEqual(BOUND);
  const [published, coins] = rates.map((rate) => `${(100 * rate).toFixed(1)}%`);
  expect(pageNamed("docs/series.md").text.replaceAll(/\s+/g, " ")).toContain(
    `claims an arm in ${published} of 2,000 series of tasks like published ones and in ${coins} where`,
  );
});
