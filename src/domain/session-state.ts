/** Without TypeBox, so that the web UI can load it. */
export const STATES = [
  "queued",
  "preparing",
  "running",
  "probing",
  "judging",
  "completed",
  "failed",
  "cancelled",
  "interrupted",
] as const;
export type SessionState = (typeof STATES)[number];

/** Whether the run has ended; a rejudge may still add to it. */
export const isFinal = (state: SessionState) =>
  state === "completed" || state === "failed" || state === "cancelled" || state === "interrupted";
