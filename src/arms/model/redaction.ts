import { Failure } from "../../domain/failure.ts";
import { asRecord, isNested } from "../../domain/lenient.ts";
import type { ModelClient, ModelReply, ToolCall } from "./client.ts";

const REDACTED = "[redacted]";

/** Shorter values are words rather than keys: removing "none" or "test" everywhere would destroy text and hide nothing. */
const MIN_SECRET_CHARS = 8;

/**
 * What keys look like at the usual providers, at GitHub, AWS and Slack. Where words could look the same they have a digit among
 * their first hundred characters; `sk-some-css-class-name` is no key. The looks ahead are bounded, so that a text of nothing but
 * beginnings takes linear time.
 */
const KEY_SHAPES = new RegExp(
  [
    /\b(?:sk|pk|gsk|xai|rk)[-_](?=[\w-]{0,99}\d)[\w-]{16,}/,
    /\bAIza[\w-]{30,}/,
    /\b(?:gh[opsur]_[A-Za-z\d]{36,}|github_pat_\w{36,})/,
    /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/,
    /\bxox[abeoprs]-(?=[\w-]{0,99}\d)[\w-]{10,}/,
    /\b(Bearer|Basic)\s+(?=[\w.~+/=-]{0,99}\d)[\w.~+/-]{16,}=*/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** Takes the given secrets out of text, in every form in which a program is likely to print them. */
export type Redact = (text: string) => string;

/** Removes exactly the given secrets: raw, JSON-escaped, URL-encoded, hex, and base64 also when it is part of a longer text. */
export function secretRedactor(secrets: readonly Secret[]): Redact {
  const forms = [...new Set(secrets.flatMap((secret) => writtenForms(secret.reveal())))];
  // Longest first: a form that contains another must go before it, or its ends stay.
  forms.sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((rest, form) => (rest.includes(form) ? rest.replaceAll(form, REDACTED) : rest), text);
}

/** Removes what looks like a key, known or not. For error texts, not for what a model writes. */
export const redactKeyShapes: Redact = (text) =>
  text.replace(KEY_SHAPES, (_, scheme?: string) => (scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`));

function writtenForms(value: string): readonly string[] {
  if (value.length < MIN_SECRET_CHARS) return [];
  const bytes = Buffer.from(value, "utf8");
  const hex = bytes.toString("hex");
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64Forms(bytes, offset)),
  ];
}

/**
 * The part of a base64 text that depends on `bytes` alone when they start `offset` bytes (modulo 3) into what was
 * encoded: the characters at both ends mix with the neighbours.
 */
function base64Forms(bytes: Buffer, offset: number): readonly string[] {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  const core = encoded.slice(Math.ceil((offset * 8) / 6), end);
  return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
}

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

const SHOWN = "[secret]";

/** A value that never shows itself when it is printed, logged, concatenated or serialised. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself: only for what sends it to its provider and for what removes it from text. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [Symbol.toPrimitive](): string {
    return SHOWN;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return SHOWN;
  }
}
