import { createHash } from "node:crypto";
import type { WireMessage, WireReply, WireRequest } from "../wire/wire.ts";

/** One conversation of an agent with its model, as its last request showed it. What was said is kept as digests alone. */
interface Thread {
  readonly number: number;
  readonly system: string;
  /** Of its messages, and how many there are. */
  digest: string;
  length: number;
  /** A request waits for its reply. */
  open: boolean;
  /** The last reply came whole. */
  answered: boolean;
  /** Calls whose results have not been seen. */
  readonly pending: Set<string>;
}

export const MAIN_THREAD = 1;

/** That are kept. Small calls begin one each, and no budget of turns counts them. */
export const MAX_THREADS = 1_000;

/**
 * Says which conversation a request goes on with. It only labels: nothing is left out where the guess is wrong. The first
 * that offers tools is the main one; a fresh one like it, begun while the main one waits for nothing, is its continuation.
 */
export class Threads {
  /** The one that was asked last stands last. */
  readonly #threads = new Map<number, Thread>();
  #last = MAIN_THREAD;
  #forgotten = 0;

  /** How many are not kept any more: those that were silent longest, never the main one. One that goes on is a new one. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** The number of the request's thread, which waits for its reply from now on. */
  asked(request: WireRequest): number {
    const beginnings = beginningsOf(request.messages);
    const thread = this.#ofResults(request) ?? this.#longest(beginnings) ?? this.#begun(request);
    thread.digest = beginnings.at(-1) ?? "";
    thread.length = beginnings.length;
    thread.open = true;
    for (const { call_id } of request.results) if (call_id !== null) thread.pending.delete(call_id);
    this.#threads.delete(thread.number);
    this.#threads.set(thread.number, thread);
    if (this.#threads.size > MAX_THREADS) this.#forget();
    return thread.number;
  }

  /** `reply` is null when none came. */
  answered(number: number, reply: WireReply | null): void {
    const thread = this.#threads.get(number);
    if (thread === undefined) return;
    thread.open = false;
    thread.answered = reply?.ended === "whole";
    for (const { id } of reply?.calls ?? []) if (id !== null) thread.pending.add(id);
  }

  /** Ids of calls tell even threads apart that began with the same words. */
  #ofResults({ results }: WireRequest): Thread | undefined {
    const last = results.findLast(({ call_id }) => call_id !== null)?.call_id ?? null;
    return last === null ? undefined : this.#threads.values().find(({ pending }) => pending.has(last));
  }

  #longest(beginnings: readonly string[]): Thread | undefined {
    const continued = [...this.#threads.values()].filter((thread) => isContinued(thread, beginnings));
    return continued.sort((a, b) => b.length - a.length)[0];
  }

  #begun({ system, offers_tools }: WireRequest): Thread {
    const own = createHash("sha256").update(system).digest("base64");
    const main = this.#threads.get(MAIN_THREAD);
    const continues = main !== undefined && main.system === own && !main.open && main.pending.size === 0;
    const isMain = offers_tools && (main === undefined || continues);
    if (!isMain) this.#last += 1;
    return {
      number: isMain ? MAIN_THREAD : this.#last,
      ...{ system: own, digest: "", length: 0, open: false, answered: false, pending: new Set<string>() },
    };
  }

  #forget(): void {
    const oldest = this.#threads.keys().find((number) => number !== MAIN_THREAD);
    if (oldest === undefined) return;
    this.#threads.delete(oldest);
    this.#forgotten += 1;
  }
}

/** A digest of each beginning of a conversation, the shortest first. */
function beginningsOf(messages: readonly WireMessage[]): readonly string[] {
  const hash = createHash("sha256");
  return messages.map(({ digest }) => hash.update(`${digest}\n`).copy().digest("base64"));
}

/** The same request again is a repetition only where the first had no answer: two helpers may begin with the same words. */
function isContinued({ digest, length, answered, open }: Thread, beginnings: readonly string[]): boolean {
  if (length === 0 || beginnings[length - 1] !== digest) return false;
  return beginnings.length > length || (!answered && !open);
}
