import { dig } from "../../../domain/lenient.ts";
import { UNKNOWN_USAGE } from "../../../domain/usage.ts";
import type { CallOptions, ModelClient, ModelReply, ModelRequest } from "../client.ts";
import { type FailedTry, isContextOverflow, isForcedToolRefused, statusOf, TryFailed } from "../failed-try.ts";
import { ProviderCall, type Transport } from "../provider-call.ts";
import { clientFailure, type FailedCall, providerFailure, unreadableReply } from "./provider-failure.ts";

/** Both SDKs have this class of errors, each its own. */
type ApiError = new (
  ...args: never[]
) => Error & {
  readonly status: number | undefined;
  readonly error: unknown;
};

/** A wire format: what differs between the SDKs. */
interface Dialect {
  /**
   * Sends the request through the SDK, which uses the call's fetch and signal. The model must call `force_tool`, unless it
   * was found to refuse that. Resolves with the reply's JSON.
   */
  send(request: ModelRequest, call: ProviderCall, force_tool: string | undefined): Promise<unknown>;
  /** Undefined when the reply has not the shape of this interface. Never throws. */
  read(body: unknown): ModelReply | undefined;
  readonly APIError: ApiError;
}

interface Answered {
  readonly answered: true;
  readonly body: unknown;
  readonly recorded_ms: number | undefined;
}

type CallOutcome = Answered | ({ readonly answered: false } & FailedCall);

/** A model behind a provider: failures in words, and what every dialect treats alike. */
export function providerModel(ref: string, dialect: Dialect, transport: Transport): ModelClient {
  async function ask(request: ModelRequest, options: CallOptions, forced: boolean): Promise<CallOutcome> {
    options.signal.throwIfAborted();
    const call = new ProviderCall(transport, options, request.timeout_ms);
    try {
      const body = await dialect.send(request, call, forced ? request.force_tool : undefined);
      return { answered: true, body, recorded_ms: call.recorded_ms };
    } catch (error) {
      options.signal.throwIfAborted();
      const reason: unknown = call.signal.aborted ? call.signal.reason : error;
      const failed = failedTryOf(reason, dialect.APIError);
      if (failed === undefined) throw clientFailure(transport, reason);
      return { answered: false, failed, attempts: call.attempts, timeout_ms: request.timeout_ms };
    }
  }

  async function complete(request: ModelRequest, options: CallOptions): Promise<ModelReply> {
    const forced = request.force_tool !== undefined && !transport.unforced.has(ref);
    let outcome = await ask(request, options, forced);
    if (forced && !outcome.answered && isForcedToolRefused(outcome.failed)) {
      transport.unforced.add(ref);
      outcome = await ask(request, options, false);
    }
    if (outcome.answered) return read(outcome);
    if (isContextOverflow(outcome.failed)) return overflow(outcome);
    throw providerFailure(transport, outcome);
  }

  function read({ body, recorded_ms }: Answered): ModelReply {
    const reply = dialect.read(body);
    if (reply === undefined) throw unreadableReply(transport);
    return recorded_ms === undefined ? reply : { ...reply, recorded_ms };
  }

  return { ref, complete };
}

/** What an error says of the last try, whether it is the SDK's or a try's; undefined when nothing was tried. */
function failedTryOf(error: unknown, APIError: ApiError): FailedTry | undefined {
  if (error instanceof TryFailed) return error.failed;
  if (!(error instanceof APIError)) return undefined;
  if (error.status !== undefined) return { kind: "status", status: error.status, words: wordsOf(error) };
  return error.cause instanceof TryFailed ? error.cause.failed : undefined;
}

/** The reply's body. OpenAI's SDK keeps what stands under `error`, Anthropic's the whole; both put a text into the message. */
function wordsOf({ error, message, status }: InstanceType<ApiError>): string {
  if (error != null) return JSON.stringify(dig(error, "error") === undefined ? { error } : error);
  const text = message.slice(`${status} `.length);
  return text === "status code (no body)" ? "" : text;
}

function overflow({ failed }: FailedCall): ModelReply {
  return {
    text: "",
    calls: [],
    stop: "context_overflow",
    stop_reason: `status_${statusOf(failed)}`,
    ...UNKNOWN_USAGE,
    model_served: null,
  };
}
