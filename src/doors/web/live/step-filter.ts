import { signal } from "@preact/signals";
import type { Decision, DecisionKind } from "../../../domain/decision.ts";
import type { TimedStep } from "../../../domain/timeline.ts";
import { isFailure, threadOf } from "../evidence/failed-step.ts";

/** A part of the axis, in milliseconds from its start. */
export interface Span {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** Which steps a reader wants to see. */
export interface StepFilter {
  /** Words that a step must hold, in any of its texts; empty for all. */
  readonly text: string;
  readonly hidden: ReadonlySet<DecisionKind>;
  readonly only_failures: boolean;
  /** Null for every thread. */
  readonly thread: number | null;
  /** Null for the whole axis. */
  readonly span: Span | null;
}

const EVERYTHING: StepFilter = { text: "", hidden: new Set(), only_failures: false, thread: null, span: null };

/** The filter of one timeline, which lasts as long as its page. */
export const stepFilter = () => signal(EVERYTHING);

/** The steps that pass. */
export function passing(
  steps: readonly TimedStep[],
  { text, hidden, only_failures, thread, span }: StepFilter,
): TimedStep[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return steps.filter(
    ({ decision, start_ms, end_ms }) =>
      !hidden.has(decision.kind) &&
      (!only_failures || isFailure(decision)) &&
      (thread === null || threadOf(decision) === thread) &&
      (span === null || (end_ms >= span.from_ms && start_ms <= span.to_ms)) &&
      holds(decision, words),
  );
}

function holds({ kind, summary, detail }: Decision, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = [kind.replaceAll("_", " "), summary, ...Object.values(detail ?? {})].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}
