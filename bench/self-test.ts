import { byJudging } from "../test/judge/simulation/by-judging.ts";
import { byRule } from "../test/judge/simulation/by-rule.ts";
import type { JudgePair } from "../test/judge/simulation/rates.ts";
import { selfTestRates, TESTED_JUDGES } from "../test/judge/simulation/self-tests.ts";

const TESTS = 2_000;
const WHOLE = 20;
const SEED = 1;

/** How often simulated judges pass and fail the self-test, the best judge first. */
export async function selfTest(): Promise<void> {
  console.log(
    `\nSelf-tests of simulated judges: ${TESTS} by the rules, ${WHOLE} through the whole judging, seed ${SEED}`,
  );
  const ways: readonly (readonly [string, JudgePair, number])[] = [
    ["by rule", byRule, TESTS],
    ["whole", byJudging, WHOLE],
  ];
  for (const [name, faults] of TESTED_JUDGES)
    for (const [way, judge, tests] of ways) {
      const { pass, warn, fail, calls } = await selfTestRates(judge, { faults, tests, seed: SEED });
      const [passed, open, failed] = [pass, warn, fail].map((share) => `${(share * 100).toFixed(1)}%`);
      console.log(
        `  ${name.padEnd(19)} ${way.padEnd(7)} passed ${passed}, not told ${open}, failed ${failed}, ${calls.toFixed(0)} calls`,
      );
    }
}
