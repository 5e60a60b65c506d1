import { setTimeout as wait } from "node:timers/promises";
import { CALL_TIMEOUT_MS, PROVIDER_TRIES } from "../../domain/defaults.ts";
import type { WireName } from "../../domain/external-agent.ts";
import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Semaphore } from "../../runtime/semaphore.ts";
import { endpointOf } from "./check-model.ts";
import type { CallOptions } from "./client.ts";
import type { Endpoint } from "./credentials.ts";
import { type FailedTry, isRetryable, statusOf, TryFailed } from "./failed-try.ts";
import { splitModelRef } from "./model-ref.ts";
import { revealed } from "./provider/extra-headers.ts";
import { providerFailure } from "./provider/provider-failure.ts";
import { type Fetch, type Recording, ReplayedReply } from "./provider-call.ts";
import { nextTry, readBounded, refusalText } from "./provider-reply.ts";
import { begun, type ReplyStream, SilenceWatch } from "./reply-stream.ts";
import { type ModelSources, placeFor } from "./resolve-model.ts";

/** A request in the agent's own words, after the base address of its wire. Its headers hold no credentials. */
export interface UpstreamRequest {
  readonly method: "POST" | "GET";
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** A question besides the work, whose refusal harms nothing: the agent gets any refusal, at once. */
  readonly aside: boolean;
}

/** A request that the provider will not take as it is: for the agent, which may change it. */
export interface RefusedRequest {
  readonly status: number;
  readonly headers: Headers;
  /** The provider's words as they came. They may hold secrets. */
  readonly words: string;
}

/** A provider for requests that another program has written. Bytes pass; address and key are ours. */
export interface Upstream {
  /** The model's name without its provider. */
  readonly model: string;
  readonly wire: WireName;
  /** Takes our keys out of what a provider says, and nothing else. */
  conceal(text: string): string;
  /**
   * Sends it, again and again until a first byte of an answer has come; `take` reads that. Then nothing is repeated.
   * @throws Failure `provider_failed` after the last try, and for a key or a model that the provider does not know;
   * `signal.reason` when the signal fires.
   */
  send<T>(request: UpstreamRequest, take: Take<T>, options: CallOptions): Promise<T>;
}

export interface Take<T> {
  reply(reply: ReplyStream): Promise<T>;
  refused(refusal: RefusedRequest): Promise<T>;
}

/** Opens the way to a model's provider. @throws Failure `credentials_missing`, `invalid_request`, unless the recording is replayed */
export type OpenUpstream = (ref: string, wire: WireName, recording?: Recording) => Upstream;

export const upstreams =
  (sources: ModelSources): OpenUpstream =>
  (ref, wire, recording) => {
    const endpoint = endpointOf(ref, sources, recording, wire === "anthropic" ? wire : undefined);
    const { clock, limiter, credentials, fetch = globalThis.fetch } = sources;
    return new ProviderUpstream(splitModelRef(ref).model, wire, {
      ...{ endpoint, clock, limiter, fetch: recording ? recording.fetch(fetch) : fetch },
      redact: (text) => credentials.redact(text),
      conceal: credentials.redactSecrets,
    });
  };

interface UpstreamParts {
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  readonly limiter: Semaphore;
  readonly fetch: Fetch;
  readonly redact: (text: string) => string;
  readonly conceal: (text: string) => string;
}

class ProviderUpstream implements Upstream {
  readonly model: string;
  readonly wire: WireName;
  readonly #parts: UpstreamParts;

  constructor(model: string, wire: WireName, parts: UpstreamParts) {
    this.model = model;
    this.wire = wire;
    this.#parts = parts;
  }

  conceal(text: string): string {
    return this.#parts.conceal(text);
  }

  async send<T>(request: UpstreamRequest, take: Take<T>, options: CallOptions): Promise<T> {
    const { clock } = this.#parts;
    using _place = await placeFor(this, this.#parts, options);
    for (let attempts = 1; ; attempts += 1) {
      const began = clock.ticks();
      const tried = await this.#try(request, options.signal);
      if (tried.kind === "reply") return await take.reply(tried.reply);
      if (tried.kind === "refused") return await take.refused(tried.refusal);
      const { failed, repeat, wait_ms } = tried;
      if (!repeat || attempts === PROVIDER_TRIES) throw this.#failure(failed, attempts);
      options.onFailedTry?.();
      await wait(wait_ms ?? pauseAfter(attempts), undefined, { signal: options.signal }).catch(() => undefined);
      options.signal.throwIfAborted();
      options.onRetry?.({ status: statusOf(failed), attempts, waited_ms: Math.round(clock.ticks() - began) });
    }
  }

  async #try(request: UpstreamRequest, signal: AbortSignal): Promise<Tried> {
    const silence = new SilenceWatch(this.#parts.clock);
    const own = AbortSignal.any([signal, silence.signal]);
    try {
      const reply = await this.#parts.fetch(this.#url(request.path), this.#init(request, own));
      if (reply.ok) {
        const recorded_ms = reply instanceof ReplayedReply ? reply.took_ms : undefined;
        return { kind: "reply", reply: { ...(await begun(reply, silence)), recorded_ms } };
      }
      const refusal = { status: reply.status, headers: reply.headers, words: refusalText(await readBounded(reply)) };
      silence.end();
      if (request.aside || isForAgent(refusal.status)) return { kind: "refused", refusal };
      const { status, words } = refusal;
      return { kind: "failed", failed: { kind: "status", status, words }, ...nextTry(refusal, this.#parts.clock) };
    } catch (error) {
      silence.end();
      signal.throwIfAborted();
      if (error instanceof Failure) throw error;
      const failed = silence.signal.aborted ? ({ kind: "timeout" } as const) : lost(error);
      return { kind: "failed", failed, repeat: isRetryable(failed), wait_ms: undefined };
    }
  }

  #failure(failed: FailedTry, attempts: number): Failure {
    const { endpoint, redact } = this.#parts;
    return providerFailure({ endpoint, redact }, { failed, attempts, timeout_ms: CALL_TIMEOUT_MS });
  }

  #url(path: string): string {
    return `${baseOf(this.#parts.endpoint, this.wire)}${path}`;
  }

  #init({ method, headers, body }: UpstreamRequest, signal: AbortSignal): RequestInit {
    return {
      method,
      body,
      signal,
      // A redirect could carry the key to another host.
      redirect: "manual",
      headers: { ...headers, ...keyHeaders(this.#parts.endpoint, this.wire) },
    };
  }
}

type Tried =
  | { readonly kind: "reply"; readonly reply: ReplyStream }
  | { readonly kind: "refused"; readonly refusal: RefusedRequest }
  | {
      readonly kind: "failed";
      readonly failed: FailedTry;
      readonly repeat: boolean;
      readonly wait_ms?: number | undefined;
    };

/** The agent's own mistake. A wrong key or model is ours, and so is what a later try may mend. */
const isForAgent = (status: number) =>
  status >= 400 && status < 500 && ![401, 402, 403, 404, 408, 409, 429].includes(status);

/** Milliseconds after the nth failed try where the provider asks for none: 0.5, 1, 2, 4, 8 seconds. */
const pauseAfter = (attempts: number) => Math.min(8_000, 500 * 2 ** (attempts - 1));

const lost = (error: unknown): FailedTry =>
  error instanceof TryFailed ? error.failed : { kind: "unreachable", cause: error };

/** Our addresses end where the SDKs want it; an agent's path goes on where its wire's base ends. */
function baseOf({ base_url }: Endpoint, wire: WireName): string {
  const base = base_url.replace(/\/+$/, "");
  if (wire === "anthropic") return base.replace(/\/v1$/, "");
  return wire === "gemini" ? base.replace(/\/openai$/, "").replace(/\/v1(beta)?$/, "") : base;
}

function keyHeaders({ key, base_url_overridden, extra }: Endpoint, wire: WireName): Record<string, string> {
  const value = key?.reveal();
  const bearer = value === undefined ? {} : { authorization: `Bearer ${value}` };
  const named = (name: string) => (value === undefined ? {} : { [name]: value });
  // Gateways take a bearer token, too.
  const own = {
    anthropic: { ...named("x-api-key"), ...(base_url_overridden ? bearer : {}) },
    gemini: { ...named("x-goog-api-key"), ...(base_url_overridden ? bearer : {}) },
    chat: bearer,
    responses: bearer,
  };
  return { ...own[wire], ...revealed(extra) };
}
