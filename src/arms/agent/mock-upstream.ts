import type { WireName } from "../../domain/external-agent.ts";
import { asRecord, asRecords, asText, type LooseRecord, parseJson } from "../../domain/lenient.ts";
import { splitModelRef } from "../model/model-ref.ts";
import type { Take, Upstream, UpstreamRequest } from "../model/upstream.ts";
import { readRequest } from "../wire/read-request.ts";
import { sseBytes } from "../wire/sse-blocks.ts";
import type { WireCall, WireRequest } from "../wire/wire.ts";

/** A call of a command that does nothing, of a tool that the request offers. Undefined when none of them runs commands. */
export function harmlessCall({ tools }: LooseRecord): Pick<WireCall, "name" | "input"> | undefined {
  return asRecords(tools)
    .slice(0, MAX_TOOLS)
    .flatMap((tool) => [tool, ...declaredIn(tool)])
    .map(callOf)
    .find((call) => call !== undefined);
}

const MAX_TOOLS = 1_000;

/** Where a wire puts what a function is. */
const declaredIn = (tool: LooseRecord): readonly LooseRecord[] =>
  asRecords([tool["function"], tool["functionDeclarations"], tool["function_declarations"]].flat());

function callOf(tool: LooseRecord): Pick<WireCall, "name" | "input"> | undefined {
  const name = asText(tool["name"]);
  const schema = asRecord(tool["input_schema"] ?? tool["parameters"] ?? tool["parametersJsonSchema"]);
  const fields = asRecord(schema?.["properties"]) ?? {};
  const command = COMMANDS.find((field) => Object.hasOwn(fields, field));
  if (name === undefined || command === undefined) return undefined;
  const required = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  const given = required.flatMap((field) =>
    typeof field === "string" ? [[field, fitting(asRecord(fields[field]) ?? {})]] : [],
  );
  const harmless = typeOf(asRecord(fields[command]) ?? {}) === "array" ? ["true"] : "true";
  return { name, input: { ...Object.fromEntries(given), [command]: harmless } };
}

/** Fields in which agents take a command. */
const COMMANDS = ["command", "cmd", "commands"];

/** Something that fits the schema of a field, as far as its type says. */
function fitting(schema: LooseRecord): unknown {
  const [first] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  return first ?? VALUES.get(typeOf(schema)) ?? "true";
}

/** Gemini writes types in capitals. */
const typeOf = ({ type }: LooseRecord) => asText([type].flat()[0])?.toLowerCase() ?? "";

const VALUES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["boolean", false],
  ["integer", 1],
  ["number", 1],
  ["array", []],
  ["object", {}],
]);

/**
 * A provider of our own, which costs nothing. It has the agent make one call that does nothing, where it can, and answers with one word
 * after that. `onAsked` is called for each request.
 */
export const mockUpstream = (
  ref: string,
  wire: WireName,
  onAsked: (request: WireRequest, body: string) => void,
): Upstream => ({
  model: splitModelRef(ref).model,
  wire,
  conceal: (text) => text,
  async send<T>({ path, body, aside }: UpstreamRequest, take: Take<T>): Promise<T> {
    const json: LooseRecord = asRecord(parseJson(body ?? "{}")) ?? {};
    const request = readRequest(wire, path, json);
    if (!aside) onAsked(request, String(body ?? ""));
    const call = request.results.length === 0 ? harmlessCall(json) : undefined;
    const said = mockReply(wire, request, call === undefined ? { text: "Done." } : { call });
    const headers = new Headers({ "content-type": said.content_type });
    return await take.reply({ status: 200, headers, chunks: once(Buffer.from(said.body)) });
  },
});

async function* once(bytes: Uint8Array) {
  yield bytes;
}

type Saying = { readonly text: string } | { readonly call: Pick<WireCall, "name" | "input"> };

/** A whole reply of one text or one call, in the form that was asked for. It counts one token each way. */
export function mockReply(
  wire: WireName,
  { model, stream }: Pick<WireRequest, "model" | "stream">,
  saying: Saying,
): { readonly content_type: string; readonly body: string } {
  const events = SAYERS[wire](model ?? "none", saying);
  if (!stream) return { content_type: "application/json", body: JSON.stringify(events.whole) };
  const last = wire === "chat" ? [sseText(undefined, "[DONE]")] : [];
  const body = [...events.streamed.map((event) => sseText(event.type, JSON.stringify(event))), ...last].join("");
  return { content_type: "text/event-stream", body };
}

const sseText = (event: string | undefined, data: string) => Buffer.from(sseBytes(event, data)).toString();

type Event = { readonly type?: string; readonly [field: string]: unknown };

interface Events {
  readonly whole: object;
  readonly streamed: readonly Event[];
}

const SAYERS: Readonly<Record<WireName, (model: string, saying: Saying) => Events>> = {
  anthropic: sayMessage,
  chat: sayCompletion,
  responses: sayResponse,
  gemini: sayContent,
};

/** Both are said once, so that each has ids of its own. */
const named = (prefix: string, saying: Saying) => `${prefix}_${"text" in saying ? 1 : 2}`;

function sayMessage(model: string, saying: Saying): Events {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const id = named("msg", saying);
  const message = { id, type: "message", role: "assistant", model, stop_sequence: null, usage };
  const stop_reason = "text" in saying ? "end_turn" : "tool_use";
  const [block, begun, delta] =
    "text" in saying
      ? [{ type: "text", text: saying.text }, { text: "" }, { type: "text_delta", text: saying.text }]
      : [
          { type: "tool_use", id: "toolu_2", ...saying.call },
          { input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(saying.call.input) },
        ];
  return {
    whole: { ...message, content: [block], stop_reason },
    streamed: [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: { ...block, ...begun } },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ],
  };
}

function sayCompletion(model: string, saying: Saying): Events {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const head = (object: string) => ({ id: named("chatcmpl", saying), object, created: 0, model });
  const chunk = { ...head("chat.completion.chunk"), usage: null };
  const finish_reason = "text" in saying ? "stop" : "tool_calls";
  const message = {
    role: "assistant",
    ...("text" in saying
      ? { content: saying.text }
      : { content: null, tool_calls: [{ index: 0, ...toolCall(saying) }] }),
  };
  return {
    whole: { ...head("chat.completion"), choices: [{ index: 0, message, finish_reason }], usage },
    streamed: [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...chunk, choices: [], usage },
    ],
  };
}

const toolCall = ({ call: { name, input } }: Extract<Saying, { call: unknown }>) => ({
  id: "call_2",
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});

function sayResponse(model: string, saying: Saying): Events {
  const usage = {
    ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  };
  const id = named("resp", saying);
  const head = { id, object: "response", created_at: 0, model, error: null, incomplete_details: null };
  const { item, begun, between } = "text" in saying ? messageItem(saying.text) : callItem(saying.call);
  const done = { ...item, status: "completed" };
  const whole = { ...head, status: "completed", output: [done], usage };
  const events = [
    { type: "response.created", response: { ...head, status: "in_progress", output: [], usage: null } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, ...begun, status: "in_progress" } },
    ...between.map((event) => ({ ...event, item_id: item.id, output_index: 0 })),
    { type: "response.output_item.done", output_index: 0, item: done },
    { type: "response.completed", response: whole },
  ];
  return { whole, streamed: events.map((event, sequence_number) => ({ ...event, sequence_number })) };
}

function messageItem(text: string) {
  const part = { type: "output_text", text, annotations: [] };
  return {
    item: { id: "msg_1", type: "message", role: "assistant", content: [part] },
    begun: { content: [] },
    between: [
      { type: "response.content_part.added", content_index: 0, part: { ...part, text: "" } },
      { type: "response.output_text.delta", content_index: 0, delta: text, logprobs: [] },
      { type: "response.output_text.done", content_index: 0, text, logprobs: [] },
      { type: "response.content_part.done", content_index: 0, part },
    ],
  };
}

function callItem({ name, input }: Pick<WireCall, "name" | "input">) {
  const given = JSON.stringify(input);
  return {
    item: { id: "fc_2", type: "function_call", call_id: "call_2", name, arguments: given },
    begun: { arguments: "" },
    between: [
      { type: "response.function_call_arguments.delta", delta: given },
      { type: "response.function_call_arguments.done", arguments: given },
    ],
  };
}

function sayContent(model: string, saying: Saying): Events {
  const part = "text" in saying ? saying : { functionCall: { name: saying.call.name, args: saying.call.input } };
  const content = { role: "model", parts: [part] };
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  const whole = { candidates: [{ content, finishReason: "STOP", index: 0 }], usageMetadata, modelVersion: model };
  return { whole, streamed: [whole] };
}
