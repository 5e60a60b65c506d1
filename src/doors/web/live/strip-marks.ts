import type { DecisionKind } from "../../../domain/decision.ts";
import type { TimedStep } from "../../../domain/timeline.ts";
import { isFailure } from "../evidence/failed-step.ts";
import type { Span } from "./step-filter.ts";

/** What is drawn of a step on the strip: place and length as shares of what is shown. */
interface Mark {
  readonly seq: number;
  readonly left: number;
  readonly width: number;
  readonly kind: DecisionKind;
  readonly failed: boolean;
}

/** Places on the strip. More would lie on one pixel. */
const PLACES = 800;

/** The steps within a span, at most one for each place; where several share one, a failure is the one that is seen. */
export function marksOf(steps: readonly TimedStep[], { from_ms, to_ms }: Span): readonly Mark[] {
  const length = Math.max(1, to_ms - from_ms);
  const byPlace = new Map<string, Mark>();
  for (const { decision, start_ms, end_ms } of steps) {
    if (end_ms < from_ms || start_ms > to_ms) continue;
    const left = Math.max(0, (start_ms - from_ms) / length);
    const width = Math.min(1, (end_ms - from_ms) / length) - left;
    const mark = { seq: decision.seq, left, width, kind: decision.kind, failed: isFailure(decision) };
    const place = `${Math.floor(left * PLACES)}-${Math.floor((left + width) * PLACES)}`;
    if (!byPlace.has(place) || mark.failed) byPlace.set(place, mark);
  }
  return [...byPlace.values()];
}

/** The step at a moment: the shortest that it lies in, else the one that ends nearest. Undefined when there is none. */
export function stepAt(steps: readonly TimedStep[], ms: number): TimedStep | undefined {
  const within = steps.filter(({ start_ms, end_ms }) => start_ms <= ms && ms <= end_ms);
  const distance = ({ start_ms, end_ms }: TimedStep) => (within.length > 0 ? end_ms - start_ms : Math.abs(end_ms - ms));
  const candidates = within.length > 0 ? within : steps;
  return candidates.reduce<TimedStep | undefined>(
    (best, step) => (best === undefined || distance(step) < distance(best) ? step : best),
    undefined,
  );
}

/** Half of a span around its middle. */
export function closer({ from_ms, to_ms }: Span): Span {
  const quarter = (to_ms - from_ms) / 4;
  return { from_ms: from_ms + quarter, to_ms: to_ms - quarter };
}

/** Twice a span, within the axis; null when that is all of it. */
export function wider({ from_ms, to_ms }: Span, whole_ms: number): Span | null {
  const half = (to_ms - from_ms) / 2;
  const span = { from_ms: Math.max(0, from_ms - half), to_ms: Math.min(whole_ms, to_ms + half) };
  return span.from_ms === 0 && span.to_ms === whole_ms ? null : span;
}
