import { expect, test } from "bun:test";
import type { ModelReply } from "../../src/arms/model/client.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { AT_ONCE, ask, clientOf, FAKE_KEY, READ_FILE, REQUEST, seen } from "./asking.ts";

const REF = "openai/gpt-x";
const USAGE = { prompt_tokens: 5, completion_tokens: 2 };

/** The reply to a message exactly as the server wrote it. */
async function replyTo(message: unknown, rest: { finish_reason?: unknown; usage?: unknown } = {}): Promise<ModelReply> {
  const { finish_reason = "stop", usage = USAGE } = rest;
  await using provider = await startFakeProvider({
    reply: { status: 200, body: { model: "m", choices: [{ message, finish_reason }], usage } },
  });
  const { reply } = await ask(clientOf(provider, REF));
  if (reply instanceof Error) throw reply;
  // `ask` gives an error or what `complete` resolved with.
  return reply as ModelReply;
}

const called = (call: object) => ({ role: "assistant", content: null, tool_calls: [call] });

test("the limit on the output has the name that the server knows", async () => {
  await using provider = await startFakeProvider();
  await ask(clientOf(provider, REF));
  await ask(clientOf(provider, "gateway/any"));
  expect(provider.requests.map(({ body }) => [body["max_completion_tokens"], body["max_tokens"]])).toEqual([
    [100, undefined],
    [undefined, 100],
  ]);
});

test("the key goes into its header, and without one no credential is sent", async () => {
  await using provider = await startFakeProvider();
  await ask(clientOf(provider, REF));
  await ask(clientOf(provider, "gateway/any"));
  expect(provider.requests.map(({ headers }) => headers["authorization"])).toEqual([`Bearer ${FAKE_KEY}`, undefined]);
});

test.each([
  ["text", '{"path": '],
  ["a word", "read a.ts"],
])("arguments that are no JSON (%s) are kept as they came, and sent back as JSON", async (_, raw) => {
  await using provider = await startFakeProvider({
    plan: [{ calls: [{ id: "c1", name: "read_file", arguments: raw }] }],
  });
  const client = clientOf(provider, REF);
  const { text, calls, raw: own } = (await ask(client, { tools: [READ_FILE] })).reply as ModelReply;
  expect(calls).toEqual([{ id: "c1", name: "read_file", input: undefined, unparsed: raw }]);
  const results = [{ call_id: "c1", ok: false, text: "no JSON" }];
  await ask(client, {
    messages: [...REQUEST.messages, { role: "assistant", text, calls, raw: own }, { role: "tool", results }],
  });
  expect(provider.requests[1]?.messages[1]).toMatchObject({ calls: [{ id: "c1", input: { unparsed: raw } }] });
});

test.each([
  ["an object", { path: "a" }, { path: "a" }],
  ["nothing", undefined, {}],
  ["an empty text", "", {}],
])("arguments given as %s are understood", async (_, given, input) => {
  const reply = await replyTo(
    called({ id: "c1", type: "function", function: { name: "read_file", arguments: given } }),
  );
  expect(reply).toMatchObject({ stop: "calls", calls: [{ id: "c1", name: "read_file", input }] });
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

test("a call without an id gets one", async () => {
  const reply = await replyTo(called({ function: { name: "read_file", arguments: "{}" } }));
  expect(reply.calls).toEqual([{ id: "call_1", name: "read_file", input: {} }]);
});

test("a call that names nothing is still a call, for the loop to refuse", async () => {
  expect((await replyTo(called({}))).calls).toEqual([{ id: "call_1", name: "", input: {} }]);
});

test("the outdated function_call is no call", async () => {
  const reply = await replyTo(
    { content: "hi", function_call: { name: "read_file", arguments: "{}" } },
    { finish_reason: "function_call" },
  );
  expect(reply).toMatchObject({ text: "hi", calls: [], stop: "end" });
});

test("content in parts is their text", async () => {
  const parts = [{ type: "text", text: "one " }, { type: "image_url" }, "two", null];
  expect((await replyTo({ content: parts })).text).toBe("one two");
});

test.each([
  ["length", "output_limit"],
  ["content_filter", "refusal"],
  ["tool_calls", "end"],
  [null, "end"],
  ["eos", "end"],
] as const)("finish_reason %p without calls is %s", async (finish_reason, stop) => {
  expect((await replyTo({ content: "x" }, { finish_reason })).stop).toBe(stop);
});

test("a refusal in its own field is a refusal in words", async () => {
  expect(await replyTo({ content: null, refusal: "I cannot." })).toMatchObject({ text: "I cannot.", stop: "refusal" });
});

test.each([
  ["no details", {}, null],
  ["DeepSeek's field", { prompt_cache_hit_tokens: 3 }, 3],
  ["more than there was", { prompt_tokens_details: { cached_tokens: 99 } }, null],
])("cached tokens with %s are %p", async (_, extra, cached_tokens) => {
  const reply = await replyTo({ content: "x" }, { usage: { ...USAGE, ...extra } });
  expect(reply).toMatchObject({ tokens_in: 5, tokens_out: 2, cached_tokens });
});

test("usage with no input tokens is unknown: every prompt has some", async () => {
  const reply = await replyTo({ content: "x" }, { usage: { prompt_tokens: 0, completion_tokens: 0 } });
  expect(reply).toMatchObject({ tokens_in: null, tokens_out: null });
});

test("what a provider puts into a turn for itself comes back with the next request", async () => {
  const call = {
    id: "c1",
    type: "function",
    function: { name: "read_file", arguments: '{"path":"a"}' },
    extra_content: { google: { thought_signature: "s" } },
  };
  const message = {
    ...called(call),
    reasoning_content: "hm",
    reasoning_details: [{ id: 1 }],
    annotations: [],
    refusal: null,
  };
  const body = { choices: [{ message, finish_reason: "tool_calls" }], usage: USAGE };
  await using provider = await startFakeProvider({ plan: [{ status: 200, body }] });
  const client = clientOf(provider, REF);
  const { text, calls, raw } = (await ask(client)).reply as ModelReply;
  const results = [{ call_id: "c1", ok: true, text: "one" }];
  await ask(client, {
    messages: [...REQUEST.messages, { role: "assistant", text, calls, raw }, { role: "tool", results }],
  });
  expect(provider.requests[1]?.body["messages"]).toEqual([
    { role: "system", content: "You are careful." },
    { role: "user", content: "Fix it." },
    { role: "assistant", content: null, tool_calls: [call], reasoning_content: "hm", reasoning_details: [{ id: 1 }] },
    { role: "tool", tool_call_id: "c1", content: "one" },
  ]);
});

test("a failure that a gateway reports with status 200 is a failure", async () => {
  const body = { error: { code: 429, message: "upstream is busy" } };
  await using provider = await startFakeProvider({ plan: [{ status: 200, body, headers: AT_ONCE }] });
  const { reply, retries } = await ask(clientOf(provider, "gateway/any"));
  expect(reply).toMatchObject({ text: "Done." });
  expect(retries).toMatchObject([{ status: 429 }]);
});

test.each([[13], ["internal"], [200]])(
  "a failure that a gateway reports with the code %p is one of the server",
  async (code) => {
    const body = { error: { code, message: "upstream is down" } };
    await using provider = await startFakeProvider({ plan: [{ status: 200, body, headers: AT_ONCE }] });
    expect((await ask(clientOf(provider, "gateway/any"))).retries).toMatchObject([{ status: 502 }]);
  },
);

test("a choice that ended in an error is no answer", async () => {
  const body = { choices: [{ message: { content: "ha" }, finish_reason: "error" }] };
  await using provider = await startFakeProvider({ reply: { status: 200, body } });
  expect(seen((await ask(clientOf(provider, "gateway/any"))).reply)).toMatchObject({
    code: "provider_failed",
    message: "gateway sent a reply that its interface does not define. Check GATEWAY_BASE_URL.",
  });
});
