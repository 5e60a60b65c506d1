import type { Address } from "../../http/listen.ts";

/** Milliseconds between two signs of life. */
export const BEAT_MS = 1_000;

/** What the server says to its supervisor over their pipe. */
export interface FromServer {
  /** Its flags are right, and it waits for `go`. */
  readonly opening?: { readonly json: boolean; readonly health: Address | undefined };
  /** It listens on this port, or works without one. Its runs bear this name in its state directory. */
  readonly ready?: { readonly port: number | undefined; readonly owner?: string | undefined };
  /** A sign of life: the runs under way, each with the kind of its last step. */
  readonly beat?: readonly string[];
  /** It takes no more work, and this is left. */
  readonly left?: number;
  /** The run that was accepted or went a step further, its id first, with the kind of that step. */
  readonly step?: string;
}

/** What the supervisor says to its server. */
export interface ToServer {
  /** It opens. A server that was started again listens on the port that the first one chose, and goes on with the runs of the one before. */
  readonly go?: {
    readonly port?: number | undefined;
    readonly after?: string | undefined;
    readonly hangup_ignored: boolean;
    readonly fault?: string;
  };
  /** It knows that the server is ready, and says so of its health. */
  readonly heard?: true;
  /** It takes no more work. */
  readonly drain?: true;
  /** How many signals to stop have come. */
  readonly stop?: { readonly count: number; readonly name: NodeJS.Signals };
}
