import type { Confidence, Outcome, Side } from "../../../src/domain/verdict.ts";
import { CHECKS, type Chance, chanceOf, drawPair, type Faults, gapSeen, type Pair } from "./pairs.ts";

/** What judging made of a pair. */
interface Judged {
  readonly outcome: Outcome;
  readonly lean_side: Side | null;
  readonly winner_side: Side | null;
  readonly confidence: Confidence;
  readonly calls: number;
}

/** Shares, 0 to 1. */
export interface Rates {
  /** Of unequal pairs: the better arm, the other. */
  readonly right: number;
  readonly wrong: number;
  /** Of equal pairs: any winner. */
  readonly on_equal: number;
  /** Of all pairs. */
  readonly high: number;
  /** Of the `high` verdicts on unequal pairs: the better arm. */
  readonly high_right: number;
  /** Of all `high` verdicts: those on equal pairs. */
  readonly high_on_equal: number;
  /** Calls of the judge for each pair. */
  readonly calls: number;
}

export type JudgePair = (pair: Pair, faults: Faults, chance: Chance) => Judged | Promise<Judged>;

/** Draws pairs, has them judged, and counts. The same seed draws the same pairs whoever judges. */
export async function ratesOf(
  judge: JudgePair,
  { faults, pairs, seed }: { readonly faults: Faults; readonly pairs: number; readonly seed: number },
): Promise<Rates> {
  const [drawn, fresh] = [chanceOf(seed), chanceOf(seed + 1)];
  const counts = { unequal: 0, right: 0, wrong: 0, on_equal: 0, high: 0, high_unequal: 0, high_right: 0, calls: 0 };
  for (let index = 0; index < pairs; index += 1) {
    const pair = drawPair(drawn);
    const { winner_side, confidence, calls } = await judge(pair, faults, fresh);
    const unequal = pair.difference !== 0;
    const isRight = winner_side !== null && unequal && (winner_side === "a") === pair.difference > 0;
    counts.calls += calls;
    counts.unequal += Number(unequal);
    counts.right += Number(isRight);
    counts.wrong += Number(unequal && winner_side !== null && !isRight);
    counts.on_equal += Number(!unequal && winner_side !== null);
    counts.high += Number(confidence === "high");
    counts.high_unequal += Number(confidence === "high" && unequal);
    counts.high_right += Number(confidence === "high" && isRight);
  }
  return {
    right: counts.right / counts.unequal,
    wrong: counts.wrong / counts.unequal,
    on_equal: counts.on_equal / (pairs - counts.unequal),
    high: counts.high / pairs,
    high_right: counts.high_right / counts.high_unequal,
    high_on_equal: 1 - counts.high_unequal / counts.high,
    calls: counts.calls / pairs,
  };
}

/** Gap from which one call names a winner. */
const MARGIN = 0.1;

/** One call, arm a first: the yardstick. */
export const byOneCall: JudgePair = (pair, faults, chance) => {
  const gap = gapSeen(pair, faults, { a_first: true, more_checks: pair.passed.a - pair.passed.b, chance });
  const winner_side = Math.abs(gap) <= MARGIN ? null : gap > 0 ? "a" : "b";
  return { outcome: winner_side ? "winner" : "tie", winner_side, lean_side: null, confidence: "none", calls: 1 };
};

/** Both arms pass every hidden check: nothing but the judge tells them apart. */
export const byJudgeAlone =
  (judge: JudgePair): JudgePair =>
  (pair, faults, chance) =>
    judge({ ...pair, passed: { a: CHECKS, b: CHECKS } }, faults, chance);
