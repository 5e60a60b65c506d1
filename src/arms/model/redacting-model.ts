import { Failure } from "../../domain/failure.ts";
import { asRecord, isNested } from "../../domain/lenient.ts";
import type { ModelClient, ModelReply, ToolCall } from "./client.ts";
import type { Redact } from "./redaction.ts";

/**
 * The same model without the loaded secrets in its replies and failures. `raw` stays as it is: it goes back to the
 * provider and nowhere else.
 */
export function redactingModel(model: ModelClient, redact: Redact): ModelClient {
  return {
    ref: model.ref,
    complete: async (request, options) => {
      try {
        return redactReply(await model.complete(request, options), redact);
      } catch (error) {
        throw error instanceof Failure ? redactFailure(error, redact) : error;
      }
    },
  };
}

function redactReply(reply: ModelReply, redact: Redact): ModelReply {
  const calls = reply.calls.map(readable).map((call) => redactCall(call, redact));
  const model_served = reply.model_served === null ? null : redact(reply.model_served);
  const raw = isNested(reply.raw, LEVELS + RAW_LEVELS) ? undefined : reply.raw;
  return { ...reply, text: redact(reply.text), stop_reason: redact(reply.stop_reason), model_served, calls, raw };
}

/** Levels of nesting in a call's input. Tools need three. Thousands overflow the stack of whatever walks the input. */
const LEVELS = 64;

/** Levels of the provider's own blocks around a call's input. */
const RAW_LEVELS = 8;

const readable = (call: ToolCall): ToolCall =>
  isNested(call.input, LEVELS) ? { ...call, input: undefined, unparsed: TOO_DEEP } : call;

const TOO_DEEP = `[arguments nested more than ${LEVELS} levels deep]`;

function redactCall({ id, name, input, unparsed }: ToolCall, redact: Redact): ToolCall {
  const clean = { id, name: redact(name), input: redactDeep(input, redact) };
  return unparsed === undefined ? clean : { ...clean, unparsed: redact(unparsed) };
}

function redactFailure(failure: Failure, redact: Redact): Failure {
  const message = redact(failure.message);
  if (message === failure.message) return failure;
  const { retryable, details = {} } = failure;
  return new Failure(failure.code, message, { retryable, details });
}

/** The same value without the secrets in its strings and keys. It comes from JSON, so there are no cycles. */
export function redactDeep(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact));
  const record = asRecord(value);
  if (record === undefined) return value;
  return Object.fromEntries(Object.entries(record).map(([key, item]) => [redact(key), redactDeep(item, redact)]));
}
