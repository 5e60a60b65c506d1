import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Verdict } from "../../domain/verdict.ts";
import { basisOf, decide, type ScoredOutcome } from "../../judge/decide.ts";

/** A verdict under weights that the reader sets. The code that made the verdict computes it. */
export interface Weighing {
  readonly weights: Signal<ReadonlyMap<string, number>>;
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
  const weights = signal(rubric);
  const now = computed(() => decide(basis, weights.value));
  return {
    weights,
    now,
    original,
    touched: computed(() => [...rubric].some(([id, weight]) => weights.value.get(id) !== weight)),
    flipped: computed(() => now.value.outcome !== original.outcome || now.value.winner_side !== original.winner_side),
    set: (criterion, weight) => {
      weights.value = new Map(weights.value).set(criterion, weight);
    },
    reset: () => {
      weights.value = rubric;
    },
  };
}
