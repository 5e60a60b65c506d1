import type { Simulated } from "../test/statistics/gates.ts";
import { pastedErrors } from "../test/statistics/pasted.ts";

const MANY: Simulated = { repetitions: 2_000, seed: 1 };

/** What questions that are pasted as several rows lead to, each row for itself and in clusters. */
export async function clusters(): Promise<void> {
  console.log(`\n20 questions pasted as 10 rows each, ${MANY.repetitions} tables from seed ${MANY.seed}`);
  for (const rounds of [1, 5])
    for (const control of [0.5, 0.9]) {
      const pasted = { questions: 20, copies: 10, rounds, control };
      const equal = pastedErrors({ ...pasted, candidate: control }, MANY);
      const worse = pastedErrors({ ...pasted, candidate: control - 0.1 }, MANY);
      const told = (["rows", "clusters"] as const).map(
        (as) =>
          `in ${as}: equal arms claimed ${percent(equal[as].claims)}, pass ${percent(equal[as].passes)}; 10 worse pass ${percent(worse[as].passes)}`,
      );
      console.log(`  ${rounds} round${rounds === 1 ? " " : "s"}, control ${percent(control)}  ${told.join("  |  ")}`);
    }
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
