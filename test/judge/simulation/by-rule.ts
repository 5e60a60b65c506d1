import { type Basis, decide, needsMaskedRepetition } from "../../../src/comparison/judge/decide.ts";
import { gatesOf } from "../../../src/comparison/judge/facts.ts";
import { confidenceOf } from "../../../src/comparison/judge/verdict/confidence.ts";
import type { CallScores } from "../../../src/comparison/judge/verdict/score-table.ts";
import { CHECKS, type Chance, CRITERIA, type Faults, gapSeen, type Pair, scoresFor } from "./pairs.ts";
import type { JudgePair } from "./rates.ts";

const WEIGHTS = new Map(CRITERIA.map((id) => [id, 1]));

/** The rules alone, as fast as they are: the scores that a judge would give go to the code that decides. */
export const byRule: JudgePair = (pair, faults, chance) => {
  const basis: Basis = {
    calls: callsOf({ pair, faults, chance, masked: false }),
    measured: [],
    gates: gatesOf(factsOf(pair.passed.a), factsOf(pair.passed.b)),
    tie_margin: 0.05,
    suspects: new Set(),
  };
  const again = needsMaskedRepetition(basis, WEIGHTS) ? callsOf({ pair, faults, chance, masked: true }) : [];
  const whole = { ...basis, calls: [...basis.calls, ...again] };
  const scored = decide(whole, WEIGHTS);
  const flags = [
    ...(scored.probe_conflict ? (["judge_probe_conflict"] as const) : []),
    ...(scored.second === "unconfirmed" ? (["unconfirmed"] as const) : []),
  ];
  const { outcome, winner_side, lean_side } = scored;
  return {
    ...{ outcome, winner_side, lean_side },
    confidence: confidenceOf(scored, whole, flags),
    calls: whole.calls.length,
  };
};

const factsOf = (passed: number) => ({
  disqualified: false,
  required_checks: null,
  probe: { score: passed / CHECKS },
});

interface Asked {
  readonly pair: Pair;
  readonly faults: Faults;
  readonly chance: Chance;
  readonly masked: boolean;
}

const callsOf = ({ pair, faults, chance, masked }: Asked): CallScores[] =>
  (["ab", "ba"] as const).map((order) => {
    const more_checks = pair.passed.a - pair.passed.b;
    const gap = gapSeen(pair, faults, { a_first: order === "ab", more_checks, chance });
    const [a, b] = [scoresFor(gap), scoresFor(-gap)];
    const scores = CRITERIA.map((id, index) => ({
      ...{ id, score_a: a[index] ?? 0, score_b: b[index] ?? 0 },
      supported: true,
    }));
    return { order, masked, valid: true, scores };
  });
