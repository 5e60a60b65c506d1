import type { Fetch } from "./provider-call.ts";

/** Where the traffic of one arm, or of a judge, is recorded or comes from. */
export interface Recording {
  /** Replies come from a recording: no network is asked, and no key is needed. */
  readonly replayed: boolean;
  /** Recorded when small calls of an agent kept their model, whatever the scenario says by default today. */
  readonly side_model?: "keep";
  /**
   * Records what `send` does, or answers in its place. What it answers with is then a `ReplayedReply`.
   * The function throws Failure `replay_mismatch` for a request that was not recorded.
   */
  fetch(send: Fetch): Fetch;
}
