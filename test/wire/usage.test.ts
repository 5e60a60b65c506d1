import { expect, test } from "bun:test";
import { anthropicUsage, geminiUsage, laterUsage, responsesUsage } from "../../src/arms/wire/usage.ts";
import { pass, sse } from "./streams.ts";

test("what Anthropic counts later takes the place of what it counted before, unless it is less", () => {
  const before = { input_tokens: 10, cache_read_input_tokens: 90 };
  expect(laterUsage(before, { input_tokens: 0, output_tokens: 7, cache_read_input_tokens: 95 })).toEqual({
    ...{ input_tokens: 10, cache_read_input_tokens: 95, output_tokens: 7 },
  });
  expect(anthropicUsage(laterUsage(undefined, { input_tokens: -1, output_tokens: 7 }))).toMatchObject({
    tokens_in: null,
  });
});

test("a count that is none makes its side unknown and leaves the other", () => {
  expect(anthropicUsage({ output_tokens: 3 })).toMatchObject({ tokens_in: null, cached_tokens: null, tokens_out: 3 });
  expect(responsesUsage({ input_tokens: "9", output_tokens: 3 })).toMatchObject({ tokens_in: null, tokens_out: 3 });
  expect(geminiUsage({ promptTokenCount: 5, candidatesTokenCount: 1.5 })).toMatchObject({
    tokens_in: 5,
    tokens_out: null,
  });
  expect(responsesUsage({ input_tokens: 9, input_tokens_details: { cached_tokens: 10 } }).cached_tokens).toBeNull();
});

test("what Gemini counted before a stream was cut is not all that it will charge", () => {
  const chunk = {
    candidates: [{ content: { parts: [{ text: "So" }] } }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1 },
  };
  expect(pass("gemini", sse(chunk)).reply).toMatchObject({ tokens_in: 9, tokens_out: null, ended: "cut" });
});

test("what a cache keeps for an hour is counted apart", () => {
  const usage = {
    ...{ input_tokens: 10, cache_creation_input_tokens: 300, output_tokens: 1 },
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  };
  expect(anthropicUsage(usage)).toMatchObject({ tokens_in: 310, cache_write_tokens: 300, cache_write_1h_tokens: 200 });
  expect("cache_write_1h_tokens" in anthropicUsage({ input_tokens: 10 })).toBe(false);
});
