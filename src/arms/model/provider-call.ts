import { PROVIDER_TRIES } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import { type Clock, startTimer } from "../../runtime/clock.ts";
import type { CallOptions } from "./client.ts";
import type { Endpoint } from "./credentials.ts";
import { statusOf, TryFailed, triesAgain } from "./failed-try.ts";
import { readReply } from "./provider-reply.ts";
import type { Redact } from "./redaction.ts";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** What an adapter needs beside its SDK client. */
export interface Transport {
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly redact: Redact;
  /** Models that refuse to be forced to call a tool. No later call, of whatever session, pays for that again. */
  readonly unforced: Set<string>;
  /** Whether the address ever answered this process. */
  readonly line: { reached: boolean };
}

/** The SDKs count retries, we count tries. */
export const SDK_RETRIES = PROVIDER_TRIES - 1;

/** Milliseconds. `ProviderCall` ends a try before: the SDK's own timer would count the pauses of our own loop. */
export const SDK_TIMEOUT_MS = 24 * 3_600_000;

/** The last try, when it failed. */
interface Failed {
  readonly status: number | null;
  /** Monotonic milliseconds. */
  readonly began: number;
}

/** One provider call. An SDK makes its tries with this `fetch` and this `signal`; it repeats, waits and gives up. */
export class ProviderCall {
  /** Fires for the caller's reason, or for a TryFailed or Failure that no try can mend: only a signal keeps an SDK from the next try. */
  readonly signal: AbortSignal;
  attempts = 0;
  /** Milliseconds that the last reply took when it was recorded; undefined for a live one. */
  recorded_ms: number | undefined;
  readonly #transport: Transport;
  readonly #options: CallOptions;
  readonly #timeout_ms: number;
  readonly #hopeless = new AbortController();
  #failed: Failed | undefined;

  /** @param timeout_ms for one try */
  constructor(transport: Transport, options: CallOptions, timeout_ms: number) {
    this.#transport = transport;
    this.#options = options;
    this.#timeout_ms = timeout_ms;
    this.signal = AbortSignal.any([options.signal, this.#hopeless.signal]);
  }

  readonly fetch: Fetch = async (input, init) => {
    const { clock } = this.#transport;
    const began = clock.ticks();
    if (this.#failed) this.#reportRetry(this.#failed, began);
    this.attempts += 1;
    const late = new AbortController();
    const signal = AbortSignal.any([late.signal, init?.signal ?? this.signal]);
    using _timer = startTimer(clock, this.#timeout_ms, () => late.abort());
    try {
      return await this.#reply(input, { ...init, signal }, began);
    } catch (error) {
      // No reply is worth another try where none was recorded.
      if (error instanceof Failure) this.#hopeless.abort(error);
      if (error instanceof Failure) throw error;
      const lost = signal.aborted ? new TryFailed({ kind: "timeout" }) : lostTry(error);
      const repeat = triesAgain(lost.failed, this.attempts, this.#transport.line.reached);
      this.#fail({ status: statusOf(lost.failed), began }, repeat);
      if (!repeat) this.#hopeless.abort(lost);
      throw lost;
    }
  };

  async #reply(input: Parameters<Fetch>[0], init: RequestInit, began: number): Promise<Response> {
    const { clock, fetch } = this.#transport;
    const answer = await fetch(input, init);
    this.#transport.line.reached = true;
    const reply = await readReply(answer, clock);
    this.recorded_ms = answer instanceof ReplayedReply ? answer.took_ms : undefined;
    if (!reply.ok) this.#fail({ status: reply.status, began }, isRepeated(reply));
    return reply;
  }

  #fail(failed: Failed, repeat: boolean): void {
    this.#failed = failed;
    if (repeat && this.attempts < PROVIDER_TRIES && !this.#options.signal.aborted) this.#options.onFailedTry?.();
  }

  #reportRetry({ status, began }: Failed, now: number): void {
    this.#options.onRetry?.({ status, attempts: this.attempts, waited_ms: Math.round(now - began) });
  }
}

/** Whether the SDK will retry after this reply, if it has tries left. */
const isRepeated = (reply: Response): boolean => reply.headers.get("x-should-retry") === "true";

interface CallInit extends RequestInit {
  readonly call: ProviderCall;
}

/** Options of one request of an SDK, whose client all calls share: its tries are made by `call`. */
export const forCall = (call: ProviderCall): object => ({ call }) satisfies CallInit;

/** The `fetch` of such a client. */
export const fetchOfCall: Fetch = (input, init) => (init as CallInit).call.fetch(input, init);

const lostTry = (error: unknown) =>
  error instanceof TryFailed ? error : new TryFailed({ kind: "unreachable", cause: error });

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

export class ReplayedReply extends Response {
  /** Milliseconds that the provider took when it was recorded. */
  readonly took_ms: number;

  constructor(body: string | null, init: ResponseInit & { readonly took_ms: number }) {
    super(body, init);
    this.took_ms = init.took_ms;
  }
}
