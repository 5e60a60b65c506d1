import type { ArmSummary, SessionOutcome } from "../domain/session.ts";

/** Milliseconds between the arms' first decisions beyond which the start counts as uneven. */
const START_SKEW_MS = 1_000;

/** What differed between the arms that nobody declared, in words. */
export function observedDifferences({ arms: [a, b], decisions }: SessionOutcome): string[] {
  return [servedModels(a, b), throttling(a, b), startSkew(firstAt(decisions, a), firstAt(decisions, b))].filter(
    (line) => line !== null,
  );
}

function servedModels(a: ArmSummary, b: ArmSummary): string | null {
  if (a.model !== b.model || a.model_served === b.model_served) return null;
  return `the same model was asked for, but ${a.model_served ?? "an unknown one"} and ${b.model_served ?? "an unknown one"} answered`;
}

function throttling(a: ArmSummary, b: ArmSummary): string | null {
  if (a.throttled_ms === 0 && b.throttled_ms === 0) return null;
  return `the provider made ${a.arm_id} wait ${a.throttled_ms} ms and ${b.arm_id} ${b.throttled_ms} ms`;
}

function startSkew(a: number | null, b: number | null): string | null {
  if (a === null || b === null || Math.abs(a - b) < START_SKEW_MS) return null;
  return `the arms' first turns began ${Math.abs(a - b)} ms apart`;
}

/** When an arm's first step began, milliseconds since the epoch. */
function firstAt(decisions: SessionOutcome["decisions"], { arm_id }: ArmSummary): number | null {
  const first = decisions[arm_id]?.[0];
  return first?.at === undefined ? null : Date.parse(first.at) - first.latency_ms;
}
