import { byJudging } from "../test/judge/simulation/by-judging.ts";
import { byRule } from "../test/judge/simulation/by-rule.ts";
import { JUDGES, TASTE } from "../test/judge/simulation/pairs.ts";
import { byJudgeAlone, byOneCall, type JudgePair, type Rates, ratesOf } from "../test/judge/simulation/rates.ts";

const PAIRS = 200_000;
const WHOLE = 2_000;
const SEED = 1;

/** How often simulated judges are right, by the rules that decide, beside one call and the whole judging. */
export async function judging(): Promise<void> {
  console.log(`\nJudging, simulated: ${PAIRS} pairs by the rules and by one call, ${WHOLE} through the whole judging`);
  const ways: readonly (readonly [string, JudgePair, number])[] = [
    ["one call", byOneCall, PAIRS],
    ["by rule", byRule, PAIRS],
    ["whole", byJudging, WHOLE],
  ];
  for (const [name, faults] of Object.entries(JUDGES))
    for (const [way, judge, pairs] of ways)
      console.log(`  ${name.padEnd(5)} ${way.padEnd(9)} ${told(await ratesOf(judge, { faults, pairs, seed: SEED }))}`);
  console.log(`  A judge of persistent taste, where checks tell nothing, seed ${SEED}`);
  for (const [way, judge, pairs] of ways.slice(1))
    console.log(
      `  taste ${way.padEnd(9)} ${told(await ratesOf(byJudgeAlone(judge), { faults: TASTE, pairs, seed: SEED }))}`,
    );
}

function told(rates: Rates): string {
  const percent = (share: number) => `${(share * 100).toFixed(2)}%`;
  return [
    `unequal pairs: right ${percent(rates.right)}, wrong ${percent(rates.wrong)}`,
    `equal pairs: a winner ${percent(rates.on_equal)}`,
    ...(rates.high > 0
      ? [
          `high ${percent(rates.high)}: right ${percent(rates.high_right)}, on equal pairs ${percent(rates.high_on_equal)}`,
        ]
      : []),
    `${rates.calls.toFixed(1)} calls`,
  ].join("; ");
}
