import type { ArmSummary } from "./session.ts";

/** Milliseconds below which a pause matters to nobody: a busy machine makes such. */
const LEAST_MS = 1_000;

/** Share of an arm's time. */
const MUCH = 0.1;

/** Whether the pauses of our own loop were much of an arm's time, or would have ended it had they counted. */
export function stallMattered({ stalled_ms = 0, wall_ms, working_ms, budget }: ArmSummary): boolean {
  if (stalled_ms < LEAST_MS) return false;
  const limit_s = budget.find((use) => use.budget === "seconds")?.limit ?? null;
  const ended = limit_s !== null && working_ms + stalled_ms >= limit_s * 1_000;
  return ended || stalled_ms >= MUCH * (wall_ms + stalled_ms);
}
