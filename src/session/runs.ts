import type { Failure } from "../domain/failure.ts";

export interface RunInFlight {
  readonly session_id: string;
  /** It waits for its place, and has spent nothing. */
  readonly waits: () => boolean;
  /** Its log has an end; it still tidies up. */
  readonly over: () => boolean;
  /** Stops it; its session ends with `reason`. */
  cancel(reason: Failure): void;
  /** Resolves when nothing of it runs here any more and its workspaces are gone. Never rejects for a failed run. */
  readonly done: Promise<unknown>;
}

/** The runs of this process, queued ones included. */
export class Runs {
  readonly #runs = new Map<string, RunInFlight>();

  add(run: RunInFlight): void {
    this.#runs.set(run.session_id, run);
  }

  delete(session_id: string): void {
    this.#runs.delete(session_id);
  }

  /** Undefined when the session does not run here, or no longer: then its stream answers 404. */
  live(session_id: string): RunInFlight | undefined {
    const run = this.#runs.get(session_id);
    return run?.over() ? undefined : run;
  }

  /** Oldest first. */
  all(): readonly RunInFlight[] {
    return [...this.#runs.values()];
  }
}
