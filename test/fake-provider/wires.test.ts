import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { FakeReply } from "./exchange.ts";
import { type FakeProvider, startFakeProvider } from "./fake-provider.ts";

const INPUT = { path: "src/ä.js", lines: [1, 2] };
const REPLY: FakeReply = {
  thinking: "First the tests.",
  text: "I look at it.",
  calls: [
    { id: "c1", name: "read", input: INPUT },
    { id: "c2", name: "run", input: { command: "ls" } },
  ],
  usage: { in: 100, out: 20, cached: 40, written: 10, thinking: 5 },
};
type Part = { readonly text?: string; readonly thought?: boolean };

const QUESTION = [{ role: "user" as const, content: "Fix it." }];
const BREAK: FakeReply = { ...REPLY, breaks: { at: "after_calls" } };

const anthropicOf = ({ url }: FakeProvider) => new Anthropic({ baseURL: url, apiKey: "k", maxRetries: 0 });
const openaiOf = ({ url }: FakeProvider) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "k", maxRetries: 0 });

async function geminiEvents({ url }: FakeProvider, method = "streamGenerateContent?alt=sse"): Promise<string> {
  const contents = [{ role: "user", parts: [{ text: "Fix it." }] }];
  const body = JSON.stringify({ contents });
  return await (await fetch(`${url}/v1beta/models/gemini-x:${method}`, { method: "POST", body })).text();
}

test("Anthropic's own client reads the same message whole and in pieces", async () => {
  await using provider = await startFakeProvider({ reply: REPLY });
  const client = anthropicOf(provider);
  const request = { model: "claude-x", max_tokens: 10, messages: QUESTION };
  const whole = await client.messages.create(request);
  const streamed = await client.messages.stream(request).finalMessage();
  expect({ ...streamed, id: whole.id }).toMatchObject({ ...whole });
  expect(streamed).toMatchObject({
    content: [
      { thinking: "First the tests." },
      { text: "I look at it." },
      { name: "read", input: INPUT },
      { name: "run" },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 50, cache_read_input_tokens: 40, cache_creation_input_tokens: 10, output_tokens: 20 },
  });
  expect(provider.billed).toEqual({ in: 200, out: 40, cached: 80, written: 20, thinking: 10 });
});

test("OpenAI's own client reads the same chat completion whole and in pieces, with usage when it asks", async () => {
  await using provider = await startFakeProvider({ reply: REPLY });
  const client = openaiOf(provider);
  const request = { model: "gpt-x", messages: QUESTION };
  const whole = await client.chat.completions.create(request);
  const stream = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } });
  const streamed = await stream.finalChatCompletion();
  expect(streamed.choices[0]?.message.tool_calls).toMatchObject(whole.choices[0]?.message.tool_calls ?? []);
  expect(streamed).toMatchObject({
    choices: [{ message: { content: "I look at it." }, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 40 } },
  });
  const without = await client.chat.completions.stream(request).finalChatCompletion();
  expect(without.usage).toBeUndefined();
});

test("OpenAI's own client reads the same response whole and in pieces, custom tools too", async () => {
  const calls = [...(REPLY.calls ?? []), { name: "patch", input: "*** Begin" }];
  await using provider = await startFakeProvider({ reply: { ...REPLY, calls } });
  const client = openaiOf(provider);
  const request = { model: "gpt-x", input: "Fix it.", tools: [{ type: "custom" as const, name: "patch" }] };
  const whole = await client.responses.create(request);
  const streamed = await client.responses.stream(request).finalResponse();
  expect(streamed.output_text).toBe("I look at it.");
  expect(streamed.output.map(({ type }) => type)).toEqual([
    "reasoning",
    "message",
    "function_call",
    "function_call",
    "custom_tool_call",
  ]);
  expect(whole.output.at(-1)).toMatchObject({ type: "custom_tool_call", input: "*** Begin" });
  expect(streamed.output.at(2)).toMatchObject({ arguments: JSON.stringify(INPUT) });
  expect(streamed.usage).toMatchObject({ input_tokens: 100, output_tokens: 20 });
});

test("Gemini's events hold thoughts, text, calls and at last how many tokens it took", async () => {
  await using provider = await startFakeProvider({ reply: REPLY });
  const events = (await geminiEvents(provider)).trim().split("\r\n\r\n");
  const chunks = events.map((event) => JSON.parse(event.replace(/^data: /, "")));
  const parts = chunks.flatMap(({ candidates }) => candidates[0].content.parts);
  const said = (thought: boolean) =>
    parts.flatMap((part: Part) => ((part.thought === true) === thought && part.text ? [part.text] : [])).join("");
  expect([said(true), said(false)]).toEqual(["First the tests.", "I look at it."]);
  expect(parts.flatMap(({ functionCall }) => functionCall ?? [])).toEqual([
    { id: "c1", name: "read", args: INPUT },
    { id: "c2", name: "run", args: { command: "ls" } },
  ]);
  expect(chunks.at(-1)).toMatchObject({
    candidates: [{ finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 15, thoughtsTokenCount: 5, totalTokenCount: 120 },
  });
  const whole = JSON.parse(await geminiEvents(provider, "generateContent"));
  expect(whole.usageMetadata).toEqual(chunks.at(-1).usageMetadata);
});

test("a reply breaks off after its calls, and a refusal has the wire's form", async () => {
  await using provider = await startFakeProvider({ plan: [BREAK, BREAK, BREAK, BREAK], reply: { refuse: 529 } });
  const anthropic = anthropicOf(provider);
  const openai = openaiOf(provider);
  const asks = [
    () => anthropic.messages.stream({ model: "claude-x", max_tokens: 10, messages: QUESTION }).finalMessage(),
    () => openai.chat.completions.stream({ model: "gpt-x", messages: QUESTION }).finalChatCompletion(),
    () => openai.responses.stream({ model: "gpt-x", input: "Fix it." }).finalResponse(),
    () => geminiEvents(provider),
  ];
  for (const ask of asks) expect(await ask().catch((error: unknown) => error)).toBeInstanceOf(Error);
  expect(await asks[0]?.().catch((error: unknown) => error)).toMatchObject({ status: 529, type: "overloaded_error" });
  expect(await asks[2]?.().catch((error: unknown) => error)).toMatchObject({ status: 529, type: "server_error" });
  expect(JSON.parse(await geminiEvents(provider))).toMatchObject({ error: { code: 529 } });
});

test("a request that belongs to no reply is a visit: counts, lists, heads", async () => {
  await using provider = await startFakeProvider();
  const { url } = provider;
  const counted = await fetch(`${url}/v1/messages/count_tokens`, { method: "POST", body: '{"model":"x"}' });
  expect(await counted.json()).toEqual({ input_tokens: 4 });
  expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
  expect((await fetch(`${url}/v1/models`)).status).toBe(404);
  expect(provider.visits.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /v1/messages/count_tokens",
    "HEAD /",
    "GET /v1/models",
  ]);
  expect(provider.requests).toEqual([]);
});
