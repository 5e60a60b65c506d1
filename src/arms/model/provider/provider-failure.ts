import { Failure, wordsOf } from "../../../domain/failure.ts";
import { asText, dig, parseJson } from "../../../domain/lenient.ts";
import type { Endpoint } from "../credentials.ts";
import { type FailedTry, isOutOfCredit, isRetryable, statusOf } from "../failed-try.ts";
import type { Transport } from "../provider-call.ts";
import type { Redact } from "../redaction.ts";

/** Characters of the provider's own words that a message quotes. */
const MAX_QUOTED_CHARS = 500;

/** Characters that are read before quoting: markup and white space may come before the words. */
const MAX_READ_CHARS = 64 * 1024;

/** Who was asked, and what takes secrets out of words. */
type Asked = Pick<Transport, "endpoint" | "redact">;

export interface FailedCall {
  readonly failed: FailedTry;
  readonly attempts: number;
  readonly timeout_ms: number;
}

/** The failure as a user reads it: who, what, in the provider's own words without secrets, and what to do. */
export function providerFailure(transport: Asked, call: FailedCall): Failure {
  const { provider } = transport.endpoint;
  const message = `${provider} ${happened(transport, call)}${advice(transport, call.failed)}`;
  const details = { provider, status: statusOf(call.failed) };
  return new Failure("provider_failed", message, { retryable: isRetryable(call.failed), details });
}

/** Its reply was JSON, but not of the shape its interface has. */
export function unreadableReply(transport: Asked): Failure {
  const { provider, base_url_variable } = transport.endpoint;
  return new Failure(
    "provider_failed",
    `${provider} sent a reply that its interface does not define. Check ${base_url_variable}.`,
    { details: { provider, status: 200 } },
  );
}

/** An error of the SDK itself, before anything was sent; a Failure stays what it is. */
export function clientFailure(transport: Asked, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { provider } = transport.endpoint;
  const words = quote(readable(transport, wordsOf(error)));
  return new Failure("provider_failed", `${provider} could not be called: ${words}`, {
    details: { provider, status: null },
  });
}

function happened(transport: Asked, { failed, attempts, timeout_ms }: FailedCall): string {
  const tried = attempts === 1 ? "" : ` (${attempts} tries)`;
  switch (failed.kind) {
    case "status":
      if (isRedirect(failed)) return `answered ${failed.status}, a redirect.`;
      return `answered ${failed.status}${statedType(failed.words)}${tried}${stated(transport, failed.words)}`;
    case "timeout":
      return `did not answer within ${timeout_ms / 1000} s${tried}.`;
    case "unreachable":
      return `could not be reached at ${host(transport)}${tried}: ${errorName(failed.cause)}.`;
    case "broken_off":
      return `broke off its reply${tried}: ${errorName(failed.cause)}.`;
    case "not_json":
      return `sent a reply that is not a JSON object${tried}${stated(transport, failed.words)}`;
    case "too_large":
      return `sent a reply that is too large: ${failed.fault}.`;
  }
}

function advice({ endpoint }: Asked, failed: FailedTry): string {
  const { base_url_variable } = endpoint;
  switch (failed.kind) {
    case "status":
      return statusAdvice(endpoint, failed);
    case "unreachable":
    case "not_json":
      return ` Check ${base_url_variable}.`;
    case "timeout":
      return " Try again later, or with a smaller max_output_tokens.";
    case "broken_off":
      return " Try again later.";
    case "too_large":
      return ` Check that ${base_url_variable} leads to the model's API; if it does, set a smaller max_output_tokens.`;
  }
}

type FailedStatus = Extract<FailedTry, { kind: "status" }>;

const isRedirect = ({ status }: FailedStatus) => status < 400;

function statusAdvice({ key_variable, base_url_variable }: Endpoint, failed: FailedStatus): string {
  const { status, words } = failed;
  if (isRedirect(failed)) return ` Put the final address into ${base_url_variable}.`;
  if (isOutOfCredit(words)) return " Add credit to the account, or use another.";
  if (status === 401 || status === 403) return ` Check ${key_variable}.`;
  if (status === 404) return ` Check the model's name, and ${base_url_variable}.`;
  if (status === 402 || status === 429) return " Check the account's limits, or try again later.";
  const refused = /\b(temperature|top_p)\b/.exec(words)?.[1];
  return status === 400 && refused !== undefined ? ` Leave ${refused} out of the params for this model.` : "";
}

/** Host and port: never the user, path or query, which may hold a key. */
function host({ endpoint }: Asked): string {
  return URL.canParse(endpoint.base_url) ? new URL(endpoint.base_url).host : endpoint.base_url_variable;
}

/** What kind of network error: the code where there is one, since messages may hold addresses. */
function errorName(cause: unknown): string {
  const code = asText(dig(cause, "code"));
  if (code !== undefined) return code;
  return cause instanceof Error ? cause.name : "unknown error";
}

function statedType(words: string): string {
  const error = dig(parseJson(words), "error");
  const type = asText(dig(error, "type")) ?? asText(dig(error, "code"));
  return type === undefined || !/^[\w.-]{1,60}$/.test(type) ? "" : ` ${type}`;
}

function stated(transport: Asked, words: string): string {
  const message = statedMessage(words);
  const said = quote(message === undefined ? plainText(readable(transport, words)) : readable(transport, message));
  return said === "" ? "." : `: ${JSON.stringify(said)}.`;
}

/** Where the usual servers put it. */
function statedMessage(words: string): string | undefined {
  const body = parseJson(words);
  const places = [["error", "message"], ["error"], ["error", "detail"]];
  return places.map((path) => asText(dig(body, ...path))).find((text) => text !== undefined);
}

/** Removes scripts, styles and tags. Each pattern stops at the next tag, so the time is linear in the text. */
function plainText(words: string): string {
  const [head = "", ...blocks] = words.split(/<(?:script|style)\b/i);
  const rest = blocks.map((block) => block.replace(/^[\s\S]*?<\/(?:script|style)\b/i, "<"));
  return [head, ...rest].join("").replaceAll(/<[^<>]*>/g, " ");
}

/** Characters of the longest secret that is looked for where a text is cut. */
const LONGEST = 8 * 1024;

const readable = ({ redact }: Asked, words: string) => redactedStart(words, MAX_READ_CHARS, redact);

/**
 * The beginning of a text without secrets, in time that does not grow with the rest of it. A secret that the cut halves looks
 * like none: what may be half of one is left out, too.
 */
function redactedStart(text: string, limit: number, redact: Redact): string {
  const clean = redact(text.slice(0, limit + LONGEST));
  const whole = text.length <= limit + LONGEST ? clean.length : Math.max(0, clean.length - LONGEST);
  return clean.slice(0, Math.min(limit, whole));
}

function quote(words: string): string {
  const clean = words.replaceAll(/\s+/g, " ").trim();
  return clean.length <= MAX_QUOTED_CHARS ? clean : `${clean.slice(0, MAX_QUOTED_CHARS)}…`;
}
