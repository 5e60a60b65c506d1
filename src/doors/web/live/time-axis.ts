import type { Decision } from "../../../domain/decision.ts";
import type { Side } from "../../../domain/verdict.ts";

/** A decision on the axis that both arms share. */
export interface TimedStep {
  readonly side: Side;
  readonly decision: Decision;
  /** Milliseconds from the start of the first step of either arm. */
  readonly start_ms: number;
  readonly end_ms: number;
}

export interface TimeAxis {
  /** Steps of both arms in the order in which they ended. */
  readonly steps: readonly TimedStep[];
  readonly span_ms: number;
}

/**
 * Puts both logs on one axis, as they ran, or each from its own start where they ran at different times. A decision without a
 * time stands at the end of the one before.
 */
export function timeAxis(logs: Readonly<Record<Side, readonly Decision[]>>, ranTogether = true): TimeAxis {
  const [a, b] = [placed("a", logs.a), placed("b", logs.b)];
  const steps = (ranTogether ? fromStart([...a, ...b]) : [...fromStart(a), ...fromStart(b)]).sort(
    (one, other) => one.end_ms - other.end_ms || one.decision.seq - other.decision.seq,
  );
  return { steps, span_ms: Math.max(1, steps.at(-1)?.end_ms ?? 0) };
}

function fromStart(steps: readonly TimedStep[]): TimedStep[] {
  const start = steps.reduce((least, { start_ms }) => Math.min(least, start_ms), Number.POSITIVE_INFINITY);
  return steps.map((step) => ({ ...step, start_ms: step.start_ms - start, end_ms: step.end_ms - start }));
}

function placed(side: Side, log: readonly Decision[]): TimedStep[] {
  let last = 0;
  return log.map((decision) => {
    const end_ms = decision.at === undefined ? last : Date.parse(decision.at);
    last = end_ms;
    return { side, decision, end_ms, start_ms: end_ms - decision.latency_ms };
  });
}
