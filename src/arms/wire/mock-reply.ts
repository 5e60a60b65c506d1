import type { WireName } from "../../domain/external-agent.ts";
import { sseBytes } from "./sse-blocks.ts";
import type { WireCall, WireRequest } from "./wire.ts";

interface Said {
  readonly content_type: string;
  readonly body: string;
}

/** A text, or one call of a tool. */
type Saying = { readonly text: string } | { readonly call: Pick<WireCall, "name" | "input"> };

/** A whole reply of one text or one call, in the form that was asked for. It counts one token each way. */
export function mockReply(
  wire: WireName,
  { model, stream }: Pick<WireRequest, "model" | "stream">,
  saying: Saying,
): Said {
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
