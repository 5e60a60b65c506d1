import { computed, type ReadonlySignal } from "@preact/signals";
import type { Verdict } from "../../domain/verdict.ts";
import { basisOf, decide, type ScoredOutcome } from "../../judge/decide.ts";
import { chosenWeights } from "../preferences.ts";

/** A verdict under weights that the reader sets; this browser remembers them. The code that made the verdict computes it. */
export interface Weighing {
  readonly weights: ReadonlySignal<ReadonlyMap<string, number>>;
  readonly now: ReadonlySignal<ScoredOutcome>;
  /** With the rubric's weights. */
  readonly original: ScoredOutcome;
  readonly touched: ReadonlySignal<boolean>;
  readonly flipped: ReadonlySignal<boolean>;
  set(criterion: string, weight: number): void;
  reset(): void;
}

export function weigh(verdict: Verdict, tie_margin: number): Weighing {
  const rubric: ReadonlyMap<string, number> = new Map(verdict.criteria.map(({ id, weight }) => [id, weight]));
  const basis = basisOf(verdict, tie_margin);
  const original = decide(basis, rubric);
  const weights = computed(() => new Map([...rubric, ...Object.entries(chosenOf(verdict.verdict_id))]));
  const now = computed(() => decide(basis, weights.value));
  return {
    weights,
    now,
    original,
    touched: computed(() => [...rubric].some(([id, weight]) => weights.value.get(id) !== weight)),
    flipped: computed(() => now.value.outcome !== original.outcome || now.value.winner_side !== original.winner_side),
    set: (criterion, weight) => {
      choose(verdict.verdict_id, { ...chosenOf(verdict.verdict_id), [criterion]: weight });
    },
    reset: () => {
      choose(verdict.verdict_id, {});
    },
  };
}

const chosenOf = (verdict_id: string) =>
  (Object.hasOwn(chosenWeights.value, verdict_id) && chosenWeights.value[verdict_id]) || {};

function choose(verdict_id: string, weights: Readonly<Record<string, number>>): void {
  const { [verdict_id]: _, ...others } = chosenWeights.value;
  chosenWeights.value = Object.keys(weights).length === 0 ? others : { ...others, [verdict_id]: weights };
}
