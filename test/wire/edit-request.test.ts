import { expect, test } from "bun:test";
import { editRequest } from "../../src/arms/wire/edit-request.ts";
import type { LooseRecord } from "../../src/domain/lenient.ts";

const KEEP = { model: null, without_provider_tools: false };

test("another model is asked for where the wire names it", () => {
  const forced = { model: "claude-opus-4-5", without_provider_tools: false };
  const body: LooseRecord = { model: "claude-haiku-4-5", max_tokens: 9 };
  expect(editRequest("anthropic", "/v1/messages", body, forced)).toMatchObject({
    path: "/v1/messages",
    body: { model: "claude-opus-4-5", max_tokens: 9 },
    refused: null,
  });
  expect(
    editRequest(
      "gemini",
      "/v1beta/models/gemini-2.5-flash:generateContent?x=1",
      {},
      { model: "gemini-2.5-pro", without_provider_tools: false },
    ),
  ).toMatchObject({ path: "/v1beta/models/gemini-2.5-pro:generateContent?x=1", body: {} });
  expect(editRequest("anthropic", "/v1/messages", body, KEEP).body).toEqual(body);
});

test("no other model is asked for where the one that is asked for fails", () => {
  const body = { model: "small", models: ["large:online"], fallbacks: ["large"], max_tokens: 9 };
  const forced = { model: "small", without_provider_tools: false };
  expect(editRequest("chat", "/chat/completions", body, forced).body).toEqual({ model: "small", max_tokens: 9 });
  expect(editRequest("anthropic", "/v1/messages", body, forced).body).toEqual({ model: "small", max_tokens: 9 });
  expect(editRequest("chat", "/chat/completions", body, KEEP).body).toEqual(body);
});

test("a streamed chat is asked for its usage, and says whether the client wanted to know", () => {
  const edit = (stream_options?: object) =>
    editRequest("chat", "/chat/completions", { stream: true, ...(stream_options && { stream_options }) }, KEEP);
  expect(edit()).toMatchObject({ body: { stream_options: { include_usage: true } }, hide_usage: true });
  expect(edit({ include_obfuscation: false })).toMatchObject({
    body: { stream_options: { include_obfuscation: false, include_usage: true } },
    hide_usage: true,
  });
  expect(edit({ include_usage: true })).toMatchObject({ hide_usage: false });
  expect(editRequest("chat", "/chat/completions", { stream: false }, KEEP)).toMatchObject({
    body: { stream: false },
    hide_usage: false,
  });
});
