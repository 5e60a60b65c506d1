import type { Failure } from "../domain/failure.ts";

export interface RunInFlight {
  /** It waits for its place, and has spent nothing. */
  readonly waits: () => boolean;
  /** Its log has an end; it still tidies up. */
  readonly over: () => boolean;
  /** Stops it; its session ends with `reason`. */
  cancel(reason: Failure): void;
  /** Resolves when nothing of it runs here any more and its workspaces are gone. Never rejects for a failed run. */
  readonly done: Promise<unknown>;
}
