import type { WireName } from "../domain/external-agent.ts";
import { sseBytes } from "./sse-blocks.ts";
import type { WireRequest } from "./wire.ts";

export interface Said {
  readonly content_type: string;
  readonly body: string;
}

/** A whole reply with one text and no call, in the form that was asked for. It counts one token each way. */
export function sayOnce(wire: WireName, { model, stream }: Pick<WireRequest, "model" | "stream">, text: string): Said {
  const events = SAYERS[wire](model ?? "none", text);
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

const SAYERS: Readonly<Record<WireName, (model: string, text: string) => Events>> = {
  anthropic: sayMessage,
  chat: sayCompletion,
  responses: sayResponse,
  gemini: sayContent,
};

function sayMessage(model: string, text: string): Events {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model, stop_sequence: null, usage };
  return {
    whole: { ...message, content: [{ type: "text", text }], stop_reason: "end_turn" },
    streamed: [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ],
  };
}

function sayCompletion(model: string, text: string): Events {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const head = (object: string) => ({ id: "chatcmpl-1", object, created: 0, model });
  const chunk = { ...head("chat.completion.chunk"), usage: null };
  const message = { role: "assistant", content: text };
  return {
    whole: { ...head("chat.completion"), choices: [{ index: 0, message, finish_reason: "stop" }], usage },
    streamed: [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { ...chunk, choices: [], usage },
    ],
  };
}

function sayResponse(model: string, text: string): Events {
  const usage = {
    ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  };
  const item = { id: "msg_1", type: "message", role: "assistant" };
  const part = { type: "output_text", text, annotations: [] };
  const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const head = { id: "resp_1", object: "response", created_at: 0, model, error: null, incomplete_details: null };
  const done = { ...item, status: "completed", content: [part] };
  const whole = { ...head, status: "completed", output: [done], usage };
  const events = [
    { type: "response.created", response: { ...head, status: "in_progress", output: [], usage: null } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...place, delta: text, logprobs: [] },
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part },
    { type: "response.output_item.done", output_index: 0, item: done },
    { type: "response.completed", response: whole },
  ];
  return { whole, streamed: events.map((event, sequence_number) => ({ ...event, sequence_number })) };
}

function sayContent(model: string, text: string): Events {
  const content = { role: "model", parts: [{ text }] };
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  const whole = { candidates: [{ content, finishReason: "STOP", index: 0 }], usageMetadata, modelVersion: model };
  return { whole, streamed: [whole] };
}
