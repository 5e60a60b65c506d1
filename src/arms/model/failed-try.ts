import { PROVIDER_TRIES } from "../../domain/defaults.ts";
import { asText, dig } from "../../domain/lenient.ts";

/** What went wrong in one try. `words` is the beginning of what the provider sent, as it came: it may hold secrets, as may a `cause`. */
export type FailedTry =
  | { readonly kind: "status"; readonly status: number; readonly words: string }
  | { readonly kind: "unreachable"; readonly cause: unknown }
  | { readonly kind: "timeout" }
  | { readonly kind: "broken_off"; readonly status: number; readonly cause: unknown }
  | { readonly kind: "not_json"; readonly status: number; readonly words: string }
  | { readonly kind: "too_large"; readonly status: number; readonly fault: string };

/** A failed try as an SDK's fetch throws it. The SDK repeats the try, and in the end gives this as the cause of its error. */
export class TryFailed extends Error {
  readonly failed: FailedTry;

  // The SDKs take an error for a timeout when its message says so. This message therefore quotes nothing.
  constructor(failed: FailedTry) {
    super("no usable reply");
    this.failed = failed;
  }
}

/** HTTP status; null when the connection failed or timed out. */
export const statusOf = (failed: FailedTry): number | null => ("status" in failed ? failed.status : null);

const RETRYABLE_STATUSES: readonly number[] = [408, 409, 429];

/** What gateways answer to what they do not have, and never will while a run lasts. */
const FINAL_STATUSES: readonly number[] = [501, 505];

/** A wrong certificate is wrong the next time too. */
const CERTIFICATE = /CERT/;

/** Another try may pass. */
export function isRetryable(failed: FailedTry): boolean {
  switch (failed.kind) {
    case "status":
      if (FINAL_STATUSES.includes(failed.status) || isOutOfCredit(failed.words)) return false;
      return failed.status >= 500 || RETRYABLE_STATUSES.includes(failed.status);
    case "unreachable":
      return !CERTIFICATE.test(asText(dig(failed.cause, "code")) ?? "");
    case "timeout":
    case "broken_off":
      return true;
    case "not_json":
      return !isPage(failed.words);
    case "too_large":
      return false;
  }
}

/** A wrong address is told soon; one that answered before may be about to come back. */
const REFUSED_TRIES = 3;

/** Whether another try is worth it after so many. @param reached the address answered before */
export const triesAgain = (failed: FailedTry, attempts: number, reached: boolean): boolean =>
  isRetryable(failed) && attempts < (isRefused(failed) && !reached ? REFUSED_TRIES : PROVIDER_TRIES);

const isRefused = (failed: FailedTry): boolean =>
  failed.kind === "unreachable" && REFUSED.test(asText(dig(failed.cause, "code")) ?? "");

const REFUSED = /^(ECONNREFUSED|ConnectionRefused)$/;

/** A page in place of an answer means a wrong address and stays a page; half an answer may be whole the next time. */
const isPage = (text: string): boolean => text.trimStart().startsWith("<");

/**
 * How the usual servers say that nothing is paid for, at times with the status of throttling: OpenAI three times,
 * Anthropic, gateways that quote one of them.
 */
const NO_CREDIT = /insufficient_quota|billing_hard_limit_reached|billing_not_active|credit balance is too low/i;

/** The account has nothing left, or never had: no try can pass before somebody pays. */
export const isOutOfCredit = (words: string): boolean => NO_CREDIT.test(words);

/** Statuses with which servers refuse an input for its size. */
const OVERFLOW_STATUSES: readonly number[] = [400, 413, 422];

/**
 * How the usual servers say that the input does not fit: Anthropic, OpenAI and vLLM, OpenRouter, Google, xAI, Mistral,
 * Groq, llama.cpp, Ollama, LM Studio, Moonshot, in this order.
 */
const OVERFLOW_WORDS = new RegExp(
  [
    "prompt is too long|exceed context limit|request_too_large",
    "context_length_exceeded|maximum context length|maximum model length",
    "context window",
    "input token count .{0,100} exceeds",
    "maximum prompt length",
    "too large for model with",
    "reduce the length of the messages",
    "exceeds? the available context size|exceed_context_size",
    "prompt too long|exceeds (the )?context length",
    "greater than the context length",
    "exceeded model token limit",
  ].join("|"),
  "i",
);

/** A minute's quota is also counted in tokens; that is throttling. */
const QUOTA_WORDS = /rate.?limit|per minute|per day|quota|\bTPM\b/i;

/** The input no longer fits into the model's context. */
export function isContextOverflow(failed: FailedTry): boolean {
  if (failed.kind !== "status" || !OVERFLOW_STATUSES.includes(failed.status)) return false;
  return !QUOTA_WORDS.test(failed.words) && (failed.status === 413 || OVERFLOW_WORDS.test(failed.words));
}

/**
 * The model does not take a forced tool call: models that always think refuse it
 * (`tool_choice: type "tool" and "any" are not supported for this model.`), some local servers too.
 */
export function isForcedToolRefused(failed: FailedTry): boolean {
  return failed.kind === "status" && [400, 422].includes(failed.status) && /tool.?choice/i.test(failed.words);
}
