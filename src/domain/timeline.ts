import type { Decision } from "./decision.ts";
import type { Side } from "./verdict.ts";

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

/** How many steps both arms began with alike. What a command printed does not count, as it holds times and the like. */
export function commonSteps(a: readonly Decision[], b: readonly Decision[]): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index += 1) if (essence(a[index]) !== essence(b[index])) return index;
  return shorter;
}

/** What was said or done in a step, without what it cost. */
function essence(decision: Decision | undefined): string {
  if (!decision?.detail) return JSON.stringify([decision?.kind, decision?.summary]);
  const { kind, detail } = decision;
  if (kind === "model_turn") return JSON.stringify([kind, detail.text, detail.tools, detail.thread]);
  if (kind === "tool_call") return JSON.stringify([kind, detail.tool, detail.input, detail.ok, detail.exit_code]);
  return JSON.stringify([kind, decision.summary]);
}
