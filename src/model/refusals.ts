import type { FailedTry } from "./provider-reply.ts";

/** Statuses with which servers refuse an input for its size. */
const OVERFLOW_STATUSES: readonly (number | null)[] = [400, 413, 422];

/**
 * How the usual servers say that the input does not fit: Anthropic, OpenAI and vLLM, OpenRouter, Google, xAI, Mistral,
 * Groq, llama.cpp, Ollama, LM Studio, Moonshot, in this order.
 */
const OVERFLOW_WORDS = new RegExp(
  [
    "prompt is too long|exceed context limit|request_too_large",
    "context_length_exceeded|maximum context length|maximum model length",
    "context window",
    "input token count .* exceeds",
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
export function isContextOverflow({ kind, status, words }: FailedTry): boolean {
  if (kind !== "status" || !OVERFLOW_STATUSES.includes(status) || QUOTA_WORDS.test(words)) return false;
  return status === 413 || OVERFLOW_WORDS.test(words);
}

/**
 * The model does not take a forced tool call: models that always think refuse it
 * (`tool_choice: type "tool" and "any" are not supported for this model.`), some local servers too.
 */
export function isForcedToolRefused({ kind, status, words }: FailedTry): boolean {
  return kind === "status" && (status === 400 || status === 422) && /tool.?choice/i.test(words);
}
