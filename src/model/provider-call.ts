import type { Clock } from "../clock.ts";
import { PROVIDER_TRIES } from "../domain/defaults.ts";
import type { CallOptions } from "./client.ts";
import type { Endpoint } from "./credentials.ts";
import { isFinalBreak } from "./hopeless.ts";
import { type FailedTry, readTry } from "./provider-reply.ts";
import type { Redact } from "./redaction.ts";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** What an adapter needs beside its SDK client. */
export interface Transport {
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly redact: Redact;
}

/** The SDKs count retries, we count tries. */
export const SDK_RETRIES = PROVIDER_TRIES - 1;

export type CallOutcome =
  | { readonly answered: true; readonly body: unknown }
  | { readonly answered: false; readonly failed: FailedTry; readonly attempts: number };

/** Marks the requests of one call: an SDK hands these options, its own beside them, to its fetch. */
export interface WatchedInit {
  readonly [WATCHED]: Tries;
  /** A redirect could carry the key to another host, and turns a POST into a GET. */
  readonly redirect: "manual";
}

const WATCHED = Symbol("tries");

/** What an SDK client fetches with. One client serves every call of a model: making one costs as much as a call. */
export const watchedFetch: Fetch = (input, init) => {
  const tries = (init as Partial<WatchedInit> | undefined)?.[WATCHED];
  if (tries === undefined) throw new Error("a request that belongs to no call");
  return tries.next(input, init);
};

/**
 * One provider call: `send` runs the SDK with the given options for its fetch, and the SDK repeats, waits and gives up.
 * The fetch reads each reply to its end, so that the SDK's timeout and its retries also cover a body that drips, breaks
 * off or is no JSON, which the SDKs leave to their caller; what it read is the answer, and the SDK sees only that there is one.
 *
 * @throws what `send` throws for a reason of its own; `signal.reason` when the signal fires.
 */
export async function callProvider(
  transport: Transport,
  options: CallOptions,
  send: (watched: WatchedInit) => Promise<unknown>,
): Promise<CallOutcome> {
  options.signal.throwIfAborted();
  const tries = new Tries(transport, options);
  try {
    await send({ [WATCHED]: tries, redirect: "manual" });
    return { answered: true, body: tries.answer };
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    if (tries.failed === undefined) throw error;
    return { answered: false, failed: tries.failed, attempts: tries.attempts };
  }
}

/** All that an SDK gets to see of an answer. */
const ANSWERED = new Response();

/** An SDK repeats whatever is thrown; only a reply can tell it not to. */
const GIVEN_UP = { status: 502, headers: { "x-should-retry": "false" } };

/** The tries of one call, watched. */
class Tries {
  readonly #transport: Transport;
  readonly #options: CallOptions;
  #startedAt = 0;
  attempts = 0;
  /** The last try, when it failed. */
  failed: FailedTry | undefined;
  /** The reply's JSON, when a try was answered. */
  answer: unknown;

  constructor(transport: Transport, options: CallOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  async next(input: string | URL | Request, init: RequestInit | undefined): Promise<Response> {
    const { clock, fetch } = this.#transport;
    const now = clock.ticks();
    if (this.failed !== undefined) this.#reportRetry(this.failed, now);
    this.#startedAt = now;
    this.attempts += 1;
    this.failed = undefined;
    try {
      const read = await readTry(await fetch(input, init), clock);
      if ("failed" in read) {
        this.#fail(read.failed, read.repeat);
        return read.response;
      }
      this.answer = read.answer;
      return ANSWERED;
    } catch (error) {
      const kind = init?.signal?.aborted === true ? "timeout" : "connection";
      const retryable = !isFinalBreak(error);
      this.#fail({ kind, status: null, retryable, words: "", cause: error }, retryable);
      if (retryable) throw error;
      return new Response(null, GIVEN_UP);
    }
  }

  #fail(failed: FailedTry, repeat: boolean): void {
    this.failed = failed;
    const another = repeat && this.attempts < PROVIDER_TRIES && !this.#options.signal.aborted;
    if (another) this.#options.onFailedTry?.();
  }

  #reportRetry({ status }: FailedTry, now: number): void {
    this.#options.onRetry?.({ status, attempts: this.attempts, waited_ms: Math.round(now - this.#startedAt) });
  }
}
