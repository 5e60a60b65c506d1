import type { CallOptions, ModelClient, ModelReply, ModelRequest } from "./client.ts";
import { type CallOutcome, callProvider, type Transport, type WatchedInit } from "./provider-call.ts";
import { clientFailure, providerFailure, unreadableReply } from "./provider-failure.ts";
import type { FailedTry } from "./provider-reply.ts";
import { isContextOverflow, isForcedToolRefused } from "./refusals.ts";

export interface Sending {
  readonly watched: WatchedInit;
  readonly signal: AbortSignal;
  /** The tool that the model must call, unless it was found to refuse that. */
  readonly force_tool: string | undefined;
}

/** A wire format: what differs between the SDKs. */
export interface Dialect {
  /** Sends the request through the SDK, `watched` among the options of its fetch. */
  send(request: ModelRequest, sending: Sending): Promise<unknown>;
  /** Undefined when the reply has not the shape of this interface. Never throws. */
  read(body: unknown): ModelReply | undefined;
}

/** A model behind a provider: retries watched, failures in words, and what every dialect treats alike. */
export function providerModel(ref: string, dialect: Dialect, transport: Transport): ModelClient {
  // Learnt once for all calls of this client, so that a judge does not pay for the refusal on every call.
  let canForce = true;

  async function ask(request: ModelRequest, options: CallOptions, forced: boolean): Promise<CallOutcome> {
    const force_tool = forced ? request.force_tool : undefined;
    const send = (watched: WatchedInit) => dialect.send(request, { watched, signal: options.signal, force_tool });
    try {
      return await callProvider(transport, options, send);
    } catch (error) {
      throw options.signal.aborted ? options.signal.reason : clientFailure(transport, error);
    }
  }

  async function complete(request: ModelRequest, options: CallOptions): Promise<ModelReply> {
    const forced = request.force_tool !== undefined && canForce;
    let outcome = await ask(request, options, forced);
    if (forced && !outcome.answered && isForcedToolRefused(outcome.failed)) {
      canForce = false;
      outcome = await ask(request, options, false);
    }
    if (outcome.answered) {
      const reply = dialect.read(outcome.body);
      if (reply === undefined) throw unreadableReply(transport);
      return reply;
    }
    if (isContextOverflow(outcome.failed)) return overflow(outcome.failed);
    throw providerFailure(transport, { ...outcome, timeout_ms: request.timeout_ms });
  }

  return { ref, complete };
}

function overflow({ status }: FailedTry): ModelReply {
  return {
    text: "",
    calls: [],
    stop: "context_overflow",
    stop_reason: `status_${status}`,
    tokens_in: null,
    tokens_out: null,
    cached_tokens: null,
    model_served: null,
  };
}
