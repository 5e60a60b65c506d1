import { expect, test } from "bun:test";
import { boundOf, contestRates, EQUAL_PLANS } from "./contests.ts";

const FEW = { repetitions: 200, seed: 1 };

test.each(EQUAL_PLANS)(
  `of equal arms at %i x %i few leave, or are told apart (${FEW.repetitions} contests)`,
  (tasks, rounds) => {
    for (const arms of [5, 8])
      for (const mode of ["best", "against"] as const) {
        const chances = Array.from({ length: arms }, () => 0.5);
        expect(contestRates({ ...FEW, mode, tasks, rounds, chances }).any).toBeLessThanOrEqual(
          boundOf(FEW.repetitions),
        );
      }
  },
);

test("an arm that is 20 points better is found alone in most contests, for half of the runs", () => {
  const contested = { ...FEW, mode: "best", tasks: 30, rounds: 20, chances: [0.5, 0.5, 0.5, 0.5, 0.7] } as const;
  const { last, runs } = contestRates(contested);
  expect(last).toBeGreaterThan(0.8);
  expect(runs).toBeLessThan(1_500);
});
