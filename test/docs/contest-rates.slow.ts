import { expect, test } from "bun:test";
import { boundOf, contestRates } from "../statistics/contests.ts";
import { pageNamed } from "./pages.ts";

const MANY = { repetitions: 500, seed: 1 };
const words = pageNamed("docs/series.md").text.replaceAll(/\s+/g, " ");

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;

test(`how often contests of equal arms tell any apart (${MANY.repetitions} from seed ${MANY.seed})`, () => {
  const rates = [5, 8].flatMap((arms) =>
    (["best", "against"] as const).map((mode) => {
      const chances = Array.from({ length: arms }, () => 0.5);
      return contestRates({ ...MANY, mode, tasks: 10, rounds: 20, chances }).any;
    }),
  );
  for (const rate of rates) expect(rate).toBeLessThanOrEqual(boundOf(MANY.repetitions));
  const [best5, against5, best8, against8] = rates.map(percent);
  expect(words).toContain(
    `${best5} had an arm that left and ${against5} told a candidate better or worse; of eight arms ${best8} and ${against8}.`,
  );
});

test("how often an arm that is 20 points better is found alone", () => {
  const contested = { repetitions: 200, seed: 1, mode: "best", tasks: 30, rounds: 20 } as const;
  const { last, runs } = contestRates({ ...contested, chances: [0.5, 0.5, 0.5, 0.5, 0.7] });
  expect(words).toContain(
    `found alone in ${(100 * last).toFixed(0)}% of contests of 30 tasks and 20 rounds, in ${Math.round(runs).toLocaleString("en-US")} runs of 3,000`,
  );
});
