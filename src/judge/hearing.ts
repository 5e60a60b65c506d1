import type { Citation, Flag, JudgeCall, Suspicion } from "../domain/verdict.ts";

/** What was heard of a judge before code turns it into a verdict. */
export interface Hearing {
  /** Empty when no model was asked. */
  readonly calls: readonly JudgeCall[];
  /** Valid citations of both orders by criterion id, without repetitions. */
  readonly citations: ReadonlyMap<string, readonly Citation[]>;
  /** Cache reads within the calls' input tokens; null when unknown. */
  readonly cached_tokens: number | null;
  readonly flags: readonly Flag[];
  /** What the scan and the judge found; whose side is enough to name the arm. */
  readonly suspicions: readonly Omit<Suspicion, "arm_id">[];
  /** Null when no model was asked. */
  readonly prompt_digest: string | null;
  readonly protocol: string;
}
