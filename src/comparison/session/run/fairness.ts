import type { ArmSummary } from "../../../domain/session.ts";
import { stallMattered } from "../../../domain/stall.ts";

/** Milliseconds between the arms' starts beyond which the start counts as uneven. */
const START_SKEW_MS = 1_000;

/** Differences between the arms that nobody declared, in words. `skew_ms` is the time between their starts. */
export function observedDifferences(a: ArmSummary, b: ArmSummary, skew_ms: number): string[] {
  return [servedModels(a, b), throttling(a, b), stalls(a, b), startSkew(skew_ms)].filter((line) => line !== null);
}

function servedModels(a: ArmSummary, b: ArmSummary): string | null {
  if (a.model !== b.model || a.model_served === b.model_served) return null;
  return `the same model was asked for, but ${a.model_served ?? "an unknown one"} and ${b.model_served ?? "an unknown one"} answered`;
}

function throttling(a: ArmSummary, b: ArmSummary): string | null {
  if (a.throttled_ms === 0 && b.throttled_ms === 0) return null;
  return `the provider made ${a.arm_id} wait ${a.throttled_ms} ms and ${b.arm_id} ${b.throttled_ms} ms`;
}

function stalls(a: ArmSummary, b: ArmSummary): string | null {
  if (!stallMattered(a) && !stallMattered(b)) return null;
  const { stalled_ms: of_a = 0 } = a;
  const { stalled_ms: of_b = 0 } = b;
  return `abeval itself stood still for ${of_a} ms while ${a.arm_id} ran and for ${of_b} ms while ${b.arm_id} did; this counts as no arm's time`;
}

function startSkew(skew_ms: number): string | null {
  return Math.abs(skew_ms) < START_SKEW_MS ? null : `the arms started ${Math.round(Math.abs(skew_ms))} ms apart`;
}
