import type { WireReply, WireRequest } from "../wire/wire.ts";

/** One conversation of an agent with its model, as its last request showed it. */
interface Thread {
  readonly number: number;
  readonly system: string;
  messages: readonly string[];
  /** A request waits for its reply. */
  open: boolean;
  /** The last reply came whole. */
  answered: boolean;
  /** Calls whose results have not been seen. */
  readonly pending: Set<string>;
}

export const MAIN_THREAD = 1;

/**
 * Says which conversation a request goes on with. It only labels: nothing is left out where the guess is wrong. The first
 * that offers tools is the main one; a fresh one like it, begun while the main one waits for nothing, is its continuation.
 */
export class Threads {
  readonly #threads: Thread[] = [];
  #last = MAIN_THREAD;

  /** The number of the request's thread, which waits for its reply from now on. */
  asked(request: WireRequest): number {
    const thread = this.#ofResults(request) ?? this.#longest(request) ?? this.#begun(request);
    thread.messages = request.messages.map(({ digest }) => digest);
    thread.open = true;
    for (const { call_id } of request.results) if (call_id !== null) thread.pending.delete(call_id);
    return thread.number;
  }

  /** `reply` is null when none came. */
  answered(number: number, reply: WireReply | null): void {
    const thread = this.#threads.findLast((one) => one.number === number);
    if (thread === undefined) return;
    thread.open = false;
    thread.answered = reply?.ended === "whole";
    for (const { id } of reply?.calls ?? []) if (id !== null) thread.pending.add(id);
  }

  /** Ids of calls tell even threads apart that began with the same words. */
  #ofResults({ results }: WireRequest): Thread | undefined {
    const last = results.findLast(({ call_id }) => call_id !== null)?.call_id ?? null;
    return last === null ? undefined : this.#threads.find(({ pending }) => pending.has(last));
  }

  #longest(request: WireRequest): Thread | undefined {
    const digests = request.messages.map(({ digest }) => digest);
    const continued = this.#threads.filter((thread) => isContinued(thread, digests));
    return continued.sort((a, b) => b.messages.length - a.messages.length)[0];
  }

  #begun(request: WireRequest): Thread {
    const { system, offers_tools } = request;
    const main = this.#threads.find(({ number }) => number === MAIN_THREAD);
    const continues = main !== undefined && main.system === system && !main.open && main.pending.size === 0;
    const isMain = offers_tools && (main === undefined || continues);
    if (isMain && main !== undefined) this.#threads.splice(this.#threads.indexOf(main), 1);
    if (!isMain) this.#last += 1;
    const thread = {
      number: isMain ? MAIN_THREAD : this.#last,
      ...{ system, messages: [], open: false, answered: false, pending: new Set<string>() },
    };
    this.#threads.push(thread);
    return thread;
  }
}

/** The same request again is a repetition only where the first had no answer: two helpers may begin with the same words. */
function isContinued({ messages, answered, open }: Thread, digests: readonly string[]): boolean {
  if (messages.length === 0 || !messages.every((digest, at) => digests[at] === digest)) return false;
  return digests.length > messages.length || (!answered && !open);
}
