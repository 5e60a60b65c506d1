import { describe, expect, test } from "bun:test";
import { judgeModelRef, modelFamily, splitModelRef } from "../../src/arms/model/model-ref.ts";

test("a reference is split at the first slash, its provider in lower case", () => {
  expect(splitModelRef("OpenRouter/Anthropic/Claude-X")).toEqual({
    provider: "openrouter",
    model: "Anthropic/Claude-X",
  });
});

test.each(["gpt", "/gpt", "openai/"])("%p names no model", (ref) => {
  expect(() => splitModelRef(ref)).toThrow(`model "${ref}": expected <provider>/<model>`);
});

test("a judge without a slash is taken from the default judge's provider", () => {
  expect(judgeModelRef("claude-x")).toBe("anthropic/claude-x");
  expect(judgeModelRef("openai/gpt-x")).toBe("openai/gpt-x");
});

test("a panel has one name, in whatever order its judges are given, and the name names it again", () => {
  const name = "panel(anthropic/claude-x+openai/gpt-x+xai/grok-4)";
  expect(judgeModelRef("openai/gpt-x, claude-x,xai/grok-4")).toBe(name);
  expect(judgeModelRef("xai/grok-4,openai/gpt-x,anthropic/claude-x")).toBe(name);
  expect(judgeModelRef(name)).toBe(name);
});

describe("families", () => {
  test.each([
    ["anthropic/claude-x", "anthropic"],
    ["openrouter/anthropic/claude-x", "anthropic"],
    ["gateway/claude-x", "anthropic"],
    ["openai/o3", "openai"],
    ["groq/openai/gpt-oss-120b", "openai"],
    ["openai/ft-of-ours", "openai"],
    ["openrouter/x-ai/grok-4", "xai"],
    ["openrouter/mistralai/small", "mistral"],
    ["groq/llama-3.3-70b", "meta"],
    ["google/gemini-pro", "google"],
    ["gateway/house-model", "house-model"],
    ["ollama/house-model", "house-model"],
    ["bedrock/us.anthropic.claude-x-v1:0", "anthropic"],
    ["bedrock/meta.llama3-1-70b", "meta"],
    ["a-name-without-a-provider", "a-name-without-a-provider"],
    [`gateway/${"x".repeat(400)}`, "x".repeat(400)],
    ["scripted/x", null],
    ["builtin/evidence", null],
  ])("%s belongs to %p", (ref, family) => {
    expect(modelFamily(ref)).toBe(family);
  });

  test("what was served tells the maker where its name does, and else the name that was asked for", () => {
    expect(modelFamily("gateway/fast", "claude-x")).toBe("anthropic");
    expect(modelFamily("openai/ours", "ours-2026")).toBe("openai");
    expect(modelFamily("gateway/fast", "fast-2026")).toBe("fast");
  });
});
