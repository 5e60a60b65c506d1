import { BASELINE_CASES, baselineClaims } from "../test/statistics/baselines.ts";

const REPETITIONS = 1_000;
const SEED = 1;

/** How often series on stored runs claim something about equal arms: alone, as concluded, at least once in twelve, most at once. */
export async function baselines(): Promise<void> {
  console.log(
    `\nFalse claims of 12 series each in ${REPETITIONS} repetitions: claimed, concluded, any of 12, most at once, flag`,
  );
  for (const [what, kind] of Object.entries(BASELINE_CASES)) {
    const { claimed, concluded, any, most } = baselineClaims(kind, { repetitions: REPETITIONS, seed: SEED });
    console.log(
      `  ${what.padEnd(56)} ${[claimed, concluded, any].map(percent).join(" ")} ${String(most).padStart(3)}  ${kind.flag ?? "-"}`,
    );
  }
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`.padStart(6);
