import { boundOf, contestRates, EQUAL_PLANS } from "../test/statistics/contests.ts";

const MANY = { repetitions: 2_000, seed: 1 };

/** How often equal arms are told apart, and what it takes to find one that is better. */
export async function contests(): Promise<void> {
  console.log(
    `\nContests of equal arms in which any leaves, or is told better or worse: ${MANY.repetitions} from seed ${MANY.seed}, bound ${percent(boundOf(MANY.repetitions))}`,
  );
  for (const arms of [5, 8])
    for (const [tasks, rounds] of EQUAL_PLANS) {
      const chances = Array.from({ length: arms }, () => 0.5);
      const told = (["best", "against"] as const).map((mode) => {
        const { any } = contestRates({ ...MANY, mode, tasks, rounds, chances });
        return `${mode} ${percent(any)}${any > boundOf(MANY.repetitions) ? " TOO OFTEN" : ""}`;
      });
      console.log(`  ${`${arms} arms, ${tasks} x ${rounds}`.padEnd(24)} ${told.join(", ")}`);
    }
  console.log("\nOne arm of several solves 70%, the others 50%: it is found alone, and arms run so often");
  for (const arms of [3, 5, 8]) {
    const chances = [...Array.from({ length: arms - 1 }, () => 0.5), 0.7];
    const told = (["best", "against"] as const).map((mode) => {
      const { last, runs } = contestRates({ ...MANY, repetitions: 500, mode, tasks: 30, rounds: 20, chances });
      return `${mode} ${percent(last)} in ${Math.round(runs)} runs of ${arms * 600}`;
    });
    console.log(`  ${`${arms} arms, 30 x 20`.padEnd(24)} ${told.join(", ")}`);
  }
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
