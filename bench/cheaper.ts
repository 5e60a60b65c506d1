import { cheaperPower, cheaperRates } from "../test/statistics/cheaper.ts";
import type { Simulated } from "../test/statistics/gates.ts";

const MANY: Simulated = { repetitions: 2_000, seed: 1 };

/** How often arms that use the same are claimed to use less or more, how often the range misses, and what is claimed of cheaper ones. */
export async function cheaper(): Promise<void> {
  console.log(
    `\nOf ${MANY.repetitions} series of log-normal figures from seed ${MANY.seed}, looked at after every pair`,
  );
  for (const sigma of [0.4, 1, 1.5]) {
    const { claims, misses } = cheaperRates({ sigma, pairs: 100, ratio: 1 }, MANY);
    console.log(
      `  sigma ${sigma}: equal arms: any of the five figures is claimed in ${percent(claims)}; from 30 pairs on the 99% range of one ever misses in ${percent(misses)}`,
    );
    for (const ratio of [0.8, 0.62, 0.5]) {
      const told = [30, 60, 100, 200].map((pairs) => percent(cheaperPower({ sigma, pairs, ratio }, MANY)));
      console.log(`    ${percent(1 - ratio)} cheaper is claimed after 30, 60, 100, 200 pairs in ${told.join(", ")}`);
    }
  }
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
