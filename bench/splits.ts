import { CUTS, falseClaims } from "../test/statistics/splits.ts";

const REPETITIONS = 1_000;
const SEED = 1;

/** How often somebody gets a claim about equal arms who cuts their trials into series. */
export async function splits(): Promise<void> {
  console.log(`\nFalse claims in ${REPETITIONS} stores, had each series only its own trials, and as reported`);
  for (const [what, cut] of Object.entries(CUTS)) {
    const { alone, reported } = falseClaims(cut, { repetitions: REPETITIONS, seed: SEED });
    console.log(`  ${what.padEnd(52)} ${percent(alone)} ${percent(reported)}`);
  }
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`.padStart(6);
