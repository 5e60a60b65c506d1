import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { basisOf, decide, type ScoredOutcome } from "../../../comparison/judge/decide.ts";
import type { Verdict } from "../../../domain/verdict.ts";
import { address, navigate } from "../routes.ts";
import { type MovedWeights, readWeights, writeWeights } from "./moved-weights.ts";

/** A verdict under weights that the reader sets; the address holds them. The code that made the verdict computes it. */
export interface Weighing {
  readonly weights: ReadonlySignal<ReadonlyMap<string, number>>;
  readonly now: ReadonlySignal<ScoredOutcome>;
  /** The outcome with the rubric's weights. */
  readonly original: ScoredOutcome;
  readonly touched: ReadonlySignal<boolean>;
  readonly flipped: ReadonlySignal<boolean>;
  /** While the reader moves a slider. */
  set(criterion: string, weight: number): void;
  /** Writes what was set into the address. */
  keep(): void;
  reset(): void;
}

export function openWeighing(verdict: Verdict, tie_margin: number): Weighing {
  const rubric: ReadonlyMap<string, number> = new Map(verdict.criteria.map(({ id, weight }) => [id, weight]));
  const basis = basisOf(verdict, tie_margin);
  const original = decide(basis, rubric);
  const setting = signal<MovedWeights | null>(null);
  const moved = computed(() => setting.value ?? readWeights(address.value.searchParams.get(PARAMETER), rubric));
  const weights = computed(() => new Map([...rubric, ...moved.value]));
  const now = computed(() => decide(basis, weights.value));
  const write = (next: MovedWeights) => {
    setting.value = null;
    keepInAddress(writeWeights(next, rubric));
  };
  return {
    weights,
    now,
    original,
    touched: computed(() => writeWeights(moved.value, rubric) !== null),
    flipped: computed(() => now.value.outcome !== original.outcome || now.value.winner_side !== original.winner_side),
    set: (criterion, weight) => {
      setting.value = new Map([...moved.value, [criterion, weight]]);
    },
    keep: () => write(moved.value),
    reset: () => write(new Map()),
  };
}

const PARAMETER = "weights";

function keepInAddress(text: string | null): void {
  const { pathname, searchParams, hash } = new URL(address.peek());
  if (text === null) searchParams.delete(PARAMETER);
  else searchParams.set(PARAMETER, text);
  const query = searchParams.size === 0 ? "" : `?${searchParams}`;
  navigate(pathname + query + hash, { replace: true });
}
