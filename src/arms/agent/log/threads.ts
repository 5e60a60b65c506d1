import type { DecisionDetail } from "../../../domain/decision.ts";
import { sha256 } from "../../../domain/sha256.ts";
import type { BudgetState } from "../../arm/budget.ts";
import type { PricedModel } from "../../arm/known-use.ts";
import type { WireReply, WireRequest } from "../../wire/wire.ts";

/** By what number a conversation is told. */
export interface ThreadName {
  readonly number: number;
}

/** One conversation of an agent with its model, as its last request showed it. What was said is kept as digests alone. */
interface Thread extends ThreadName {
  /** Changes once at most: see `Threads`. */
  number: number;
  /** It offers tools. */
  tools: boolean;
  readonly system: string;
  /** A digest of its messages, and their number. */
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
 * Says which conversation a request goes on with. Nothing is left out where the guess is wrong. The main one is the first that
 * offers tools. An agent that is not known to have any may speak a text protocol: of such a one the very first conversation is
 * the main one, until one that offers tools takes its place. A fresh one like the main one, begun while that waits for nothing,
 * is its continuation.
 */
export class Threads {
  #has_tools: boolean;
  /** The one that was asked last stands last. */
  readonly #threads = new Map<number, Thread>();
  #last = MAIN_THREAD;
  #forgotten = 0;

  /** @param has_tools the agent is known to work by tools: a conversation without any is none of its work */
  constructor(has_tools: boolean) {
    this.#has_tools = has_tools;
  }

  /** How many are not kept any more: those that were silent longest, never the main one. One that goes on is a new one. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** The request's thread, which waits for its reply from now on. */
  asked(request: WireRequest): ThreadName {
    const beginnings = beginningsOf(request.message_digests);
    const thread = this.#ofResults(request) ?? this.#longest(beginnings) ?? this.#begun(request);
    thread.tools ||= request.offers_tools;
    this.#has_tools ||= request.offers_tools;
    thread.digest = beginnings.at(-1) ?? "";
    thread.length = beginnings.length;
    thread.open = true;
    for (const { call_id } of request.results) if (call_id !== null) thread.pending.delete(call_id);
    this.#threads.delete(thread.number);
    this.#threads.set(thread.number, thread);
    if (this.#threads.size > MAX_THREADS) this.#forget();
    return thread;
  }

  /** A small call besides the work, of an agent that works by tools. What the main conversation asks is never one. */
  isAside({ number }: ThreadName, { offers_tools }: Pick<WireRequest, "offers_tools">): boolean {
    return this.#has_tools && !offers_tools && number !== MAIN_THREAD;
  }

  /** `reply` is null when none came. */
  answered({ number }: ThreadName, reply: WireReply | null): void {
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
    const own = sha256(system);
    const main = this.#threads.get(MAIN_THREAD);
    const replaces = main !== undefined && offers_tools && !main.tools;
    const continues = main !== undefined && main.system === own && !main.open && main.pending.size === 0;
    const isWork = offers_tools || !this.#has_tools;
    const isMain = isWork && (main === undefined || replaces || continues);
    if (!isMain || replaces) this.#last += 1;
    if (replaces) this.#renumber(main);
    return {
      number: isMain ? MAIN_THREAD : this.#last,
      ...{ system: own, digest: "", length: 0, open: false, answered: false, pending: new Set<string>() },
      tools: offers_tools,
    };
  }

  /** What looked like the work was a title or the like. */
  #renumber(thread: Thread): void {
    this.#threads.delete(thread.number);
    thread.number = this.#last;
    this.#threads.set(thread.number, thread);
  }

  #forget(): void {
    const oldest = this.#threads.keys().find((number) => number !== MAIN_THREAD);
    if (oldest === undefined) return;
    this.#threads.delete(oldest);
    this.#forgotten += 1;
  }
}

/** A digest of each beginning of a conversation, the shortest first. */
function beginningsOf(digests: readonly string[]): readonly string[] {
  let so_far = "";
  return digests.map((digest) => {
    so_far = sha256(`${so_far}${digest}`);
    return so_far;
  });
}

/** The same request again is a repetition only where the first had no answer: two helpers may begin with the same words. */
function isContinued({ digest, length, answered, open }: Thread, beginnings: readonly string[]): boolean {
  if (length === 0 || beginnings[length - 1] !== digest) return false;
  return beginnings.length > length || (!answered && !open);
}

/** A request that goes on to the provider. */
export interface OpenTurn {
  readonly thread: ThreadName;
  /** A small call besides the work. */
  readonly side: boolean;
  /** What the provider is asked for. */
  readonly model: string;
  /** Set when that is not the arm's own. */
  readonly other?: PricedModel | undefined;
  readonly sent_bytes: number;
  /** Monotonic milliseconds. */
  readonly began_ticks: number;
  /** Calls of its reply that were refused. */
  readonly blocks: DecisionDetail<"policy_block">[];
  /** Set when its reply holds more calls than the budget: nothing more of it goes to the agent. */
  spent?: BudgetState | undefined;
}
