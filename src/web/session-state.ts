import type { SessionState } from "../domain/session.ts";

/** The way of a run that goes well, in order. */
export const STAGES: readonly SessionState[] = ["queued", "preparing", "running", "probing", "judging", "completed"];

const FINAL: ReadonlySet<SessionState> = new Set(["completed", "failed", "cancelled", "interrupted"]);

/** Nothing of the run will change any more. */
export const isFinal = (state: SessionState) => FINAL.has(state);
