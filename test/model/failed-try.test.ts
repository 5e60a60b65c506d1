import { expect, test } from "bun:test";
import { type FailedTry, isContextOverflow, isForcedToolRefused, triesAgain } from "../../src/arms/model/failed-try.ts";

const refused = (words: string, status = 400) => ({ kind: "status", status, words }) satisfies FailedTry;

test.each([
  ["Anthropic", "prompt is too long: 215000 tokens > 200000 maximum"],
  ["Anthropic, with the answer", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"],
  [
    "OpenAI",
    '{"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}',
  ],
  ["vLLM", "This model's maximum context length is 4096 tokens and your request has 2104 input tokens"],
  ["OpenRouter", "This endpoint's maximum context length is 131072 tokens. However, you requested about 132463 tokens"],
  ["Google", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
  ["xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  ["Mistral", "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"],
  ["Groq", "Please reduce the length of the messages or completion."],
  ["llama.cpp", "the request exceeds the available context size, try increasing it"],
  ["Ollama", "prompt too long; exceeded max context length by 12 tokens"],
  ["LM Studio", "The number of tokens to keep from the initial prompt is greater than the context length"],
])("%s says that the input does not fit", (_, words) => {
  expect(isContextOverflow(refused(words))).toBe(true);
});

test("a request too large in bytes does not fit either", () => {
  expect(isContextOverflow(refused("Request Entity Too Large", 413))).toBe(true);
});

test.each([
  [
    "a limit on the answer",
    refused("max_tokens is too large: 8192. This model supports at most 4096 completion tokens"),
  ],
  ["a minute's quota", refused("Request too large for model x on tokens per minute (TPM): Limit 6000", 413)],
  ["throttling", refused("maximum context length", 429)],
  ["a wrong parameter", refused("`temperature` is deprecated for this model.")],
  ["an answer that cannot be read", { ...refused("prompt is too long"), kind: "not_json" } as const],
])("%s is no overflow", (_, failed) => {
  expect(isContextOverflow(failed)).toBe(false);
});

test.each([
  ['tool_choice: type "tool" and "any" are not supported for this model.', true],
  ["Thinking may not be enabled when tool_choice forces tool use.", true],
  ["tools.0.input_schema: invalid", false],
])("%p refuses a forced tool: %p", (words, expected) => {
  expect(isForcedToolRefused(refused(words))).toBe(expected);
});

test("a refusal that says the same thing a million times is read at once", () => {
  expect(isContextOverflow(refused("input token count ".repeat(250_000)))).toBe(false);
});

test("a refused connection is tried three times, six where the address answered before", () => {
  const triesOf = (failed: FailedTry, reached: boolean) => {
    let attempts = 1;
    while (triesAgain(failed, attempts, reached)) attempts += 1;
    return attempts;
  };
  const lost = (code: string) => ({ kind: "unreachable", cause: { code } }) satisfies FailedTry;
  expect([triesOf(lost("ECONNREFUSED"), false), triesOf(lost("ConnectionRefused"), false)]).toEqual([3, 3]);
  expect(triesOf(lost("ConnectionRefused"), true)).toBe(6);
  expect([triesOf(lost("ECONNRESET"), false), triesOf({ kind: "timeout" }, false)]).toEqual([6, 6]);
  expect(triesOf(lost("CERT_HAS_EXPIRED"), true)).toBe(1);
});
