import type { LooseRecord } from "../../../domain/lenient.ts";
import type { Usage } from "../../../domain/usage.ts";
import type { CallSoFar } from "./call-so-far.ts";
import type { ReplySoFar } from "./reply-so-far.ts";

/** How the replies of one wire are written. Neither function throws, whatever the event is. */
export interface ReplyForm {
  /**
   * Takes in an event of a stream, or a whole body.
   *
   * @returns the calls that it speaks of, in the order in which they stand in it.
   */
  readonly take: (event: LooseRecord, reply: ReplySoFar) => readonly CallSoFar[];
  /** The same event, or those in its place, with what is exchanged. `calls` is what `take` returned for it. */
  readonly exchange: (event: LooseRecord, calls: readonly CallSoFar[]) => readonly LooseRecord[];
  readonly usageOf: (usage: unknown) => Usage;
}
