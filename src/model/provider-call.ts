import type { Clock } from "../clock.ts";
import { PROVIDER_TRIES } from "../domain/defaults.ts";
import type { CallOptions } from "./client.ts";
import type { Endpoint } from "./credentials.ts";
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

/**
 * One provider call: `send` runs the SDK with the given fetch, and the SDK repeats, waits and gives up. The fetch reads
 * each reply to its end, so that the SDK's timeout and its retries also cover a body that drips, breaks off or is no
 * JSON, which the SDKs leave to their caller.
 *
 * @throws what `send` throws for a reason of its own; `signal.reason` when the signal fires.
 */
export async function callProvider(
  transport: Transport,
  options: CallOptions,
  send: (fetch: Fetch) => Promise<unknown>,
): Promise<CallOutcome> {
  options.signal.throwIfAborted();
  const tries = new Tries(transport, options);
  try {
    return { answered: true, body: await send((input, init) => tries.next(input, init)) };
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    if (tries.failed === undefined) throw error;
    return { answered: false, failed: tries.failed, attempts: tries.attempts };
  }
}

/** The tries of one call, watched. */
class Tries {
  readonly #transport: Transport;
  readonly #options: CallOptions;
  #startedAt = 0;
  attempts = 0;
  /** The last try, when it failed. */
  failed: FailedTry | undefined;

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
      // A redirect could carry the key to another host, and turns a POST into a GET.
      const { response, failed, repeat } = await readTry(await fetch(input, { ...init, redirect: "manual" }), clock);
      if (failed !== undefined) this.#fail(failed, repeat);
      return response;
    } catch (error) {
      const kind = init?.signal?.aborted === true ? "timeout" : "connection";
      this.#fail({ kind, status: null, retryable: true, words: "", cause: error }, true);
      throw error;
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
