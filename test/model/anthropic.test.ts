import { expect, test } from "bun:test";
import type { ModelReply } from "../../src/arms/model/client.ts";
import { Credentials } from "../../src/arms/model/credentials.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { ask, clientOf, FAKE_KEY, READ_FILE, REQUEST } from "./asking.ts";

const REF = "anthropic/claude-x";
const CACHED = { cache_control: { type: "ephemeral" } };

test("tools, system prompt and last message end in cache breakpoints", async () => {
  await using provider = await startFakeProvider();
  const other = { ...READ_FILE, name: "other" };
  await ask(clientOf(provider, REF), { tools: [other, READ_FILE] });
  expect(provider.requests[0]?.body).toEqual({
    model: "claude-x",
    max_tokens: 100,
    system: [{ type: "text", text: "You are careful.", ...CACHED }],
    tools: [
      expect.not.objectContaining(CACHED),
      {
        name: "read_file",
        description: "Reads a file.",
        input_schema: JSON.parse(JSON.stringify(READ_FILE.input)),
        ...CACHED,
      },
    ],
    messages: [{ role: "user", content: [{ type: "text", text: "Fix it.", ...CACHED }] }],
    stream: undefined,
  });
});

test("a name and an id longer than any are kept, and sent back, as far as a log has them", async () => {
  const long = "n".repeat(1_500_000);
  await using provider = await startFakeProvider({
    plan: [{ calls: [{ id: long, name: long, input: { path: "a" } }] }],
  });
  const client = clientOf(provider, REF);
  const { text, calls, raw } = (await ask(client, { tools: [READ_FILE] })).reply as ModelReply;
  expect(calls.map(({ id, name }) => [id.length, name.length])).toEqual([[64, 128]]);
  await ask(client, { messages: [...REQUEST.messages, { role: "assistant", text, calls, raw }] });
  expect(JSON.stringify(provider.requests[1]?.body).length).toBeLessThan(5_000);
});

test("thinking blocks go back unchanged, in their places", async () => {
  const content = [
    { type: "thinking", thinking: "", signature: "c2lnbmVk" },
    { type: "redacted_thinking", data: "b3BhcXVl" },
    { type: "text", text: "I look." },
    { type: "tool_use", id: "c1", name: "read_file", input: { path: "a" }, caller: { type: "direct" } },
  ];
  const body = { content, stop_reason: "tool_use", model: "m", usage: { input_tokens: 5, output_tokens: 5 } };
  await using provider = await startFakeProvider({ plan: [{ status: 200, body }] });
  const client = clientOf(provider, REF);
  // The request succeeded, or the assertion below would show the error.
  const { text, calls, raw } = (await ask(client, { tools: [READ_FILE] })).reply as ModelReply;
  expect({ text, calls }).toEqual({ text: "I look.", calls: [{ id: "c1", name: "read_file", input: { path: "a" } }] });
  const results = [{ call_id: "c1", ok: false, text: "" }];
  await ask(client, {
    messages: [...REQUEST.messages, { role: "assistant", text, calls, raw }, { role: "tool", results }],
  });
  expect(provider.requests[1]?.body).toMatchObject({
    messages: [
      { role: "user" },
      { role: "assistant", content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", is_error: true, ...CACHED }] },
    ],
  });
});

test("an empty turn is left out, since the provider refuses empty content", async () => {
  await using provider = await startFakeProvider();
  const messages = [
    ...REQUEST.messages,
    { role: "assistant", text: "", calls: [], raw: [] },
    { role: "user", text: "Go on." },
  ] as const;
  await ask(clientOf(provider, REF), { system: "", messages });
  expect(provider.requests[0]?.messages).toEqual([
    { role: "user", text: "Fix it." },
    { role: "user", text: "Go on." },
  ]);
  expect(provider.requests[0]?.body).not.toHaveProperty("system");
});

test("a context filled while answering is an overflow too, and its cut calls are dropped", async () => {
  await using provider = await startFakeProvider({
    reply: { stop: "context_overflow", calls: [{ name: "read_file", input: {} }], usage: { in: 9, out: 1 } },
  });
  expect((await ask(clientOf(provider, REF))).reply).toMatchObject({
    stop: "context_overflow",
    calls: [],
    tokens_in: 9,
  });
});

test("an address with or without /v1 leads to the same place", async () => {
  await using provider = await startFakeProvider();
  for (const url of [provider.url, `${provider.url}/`, `${provider.url}/v1`, `${provider.url}/v1/`]) {
    await ask(clientOf({ environment: { ANTHROPIC_BASE_URL: url } }, REF));
  }
  expect(provider.requests).toHaveLength(4);
});

test("the key goes to a gateway in both headers that servers look at, and without one no credential is sent", async () => {
  await using provider = await startFakeProvider();
  await ask(clientOf(provider, REF));
  await ask(clientOf({ environment: { ANTHROPIC_BASE_URL: provider.url } }, REF));
  const sent = provider.requests.map(({ headers }) => [headers["authorization"], headers["x-api-key"]]);
  expect(sent).toEqual([
    [`Bearer ${FAKE_KEY}`, FAKE_KEY],
    [undefined, undefined],
  ]);
});

test("sampling parameters are asked for in the version of the interface that has them", async () => {
  await using provider = await startFakeProvider();
  const client = clientOf(provider, REF);
  await ask(client);
  await ask(client, { params: { max_output_tokens: 9, temperature: 0, top_p: 0.5 } });
  expect(
    provider.requests.map(({ headers, body }) => [headers["anthropic-version"], body["temperature"], body["top_p"]]),
  ).toEqual([
    ["2026-10-21", undefined, undefined],
    ["2023-06-01", 0, 0.5],
  ]);
});

test("a parameter that the model refuses is named with the way out", async () => {
  const body = {
    type: "error",
    error: { type: "invalid_request_error", message: "`temperature` is deprecated for this model." },
  };
  await using provider = await startFakeProvider({ reply: { status: 400, body } });
  const { reply } = await ask(clientOf(provider, REF));
  expect(String(reply)).toBe(
    'Failure: anthropic answered 400 invalid_request_error: "`temperature` is deprecated for this model.". Leave temperature out of the params for this model.',
  );
});

test("credentials of the environment that were not passed are not used", () => {
  expect(new Credentials({ ANTHROPIC_AUTH_TOKEN: "token-0123456789" }).endpoint("anthropic")?.key).toBeNull();
});
