import type { Anthropic } from "@anthropic-ai/sdk";
import { asRecords, asText } from "../../../domain/lenient.ts";
import type { Message, ModelRequest, ToolCall, ToolSpec } from "../client.ts";
import { answerEveryCall } from "./unanswered-calls.ts";

type Block = Anthropic.ContentBlockParam;

/** The next turn begins with the same text up to here and reads it from the cache. */
const CACHED = { cache_control: { type: "ephemeral" } } as const;

/** Our request as Anthropic's. The tools, the system prompt and the last message end in cache breakpoints. */
export function messageParams(
  model: string,
  request: ModelRequest,
  force_tool: string | undefined,
): Anthropic.MessageCreateParamsNonStreaming {
  const { system, params, tools } = request;
  return {
    model,
    max_tokens: params.max_output_tokens,
    messages: withBreakpoint(answerEveryCall(request.messages, callIds).flatMap(toMessage)),
    ...(system === "" ? {} : { system: [{ type: "text", text: system, ...CACHED }] }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(force_tool === undefined ? {} : { tool_choice: { type: "tool", name: force_tool } }),
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(params.top_p === undefined ? {} : { top_p: params.top_p }),
  };
}

function toTool({ name, description, input }: ToolSpec, index: number, tools: readonly ToolSpec[]): Anthropic.Tool {
  const last = index === tools.length - 1;
  return { name, description, input_schema: { ...input, type: "object" }, ...(last ? CACHED : {}) };
}

/** Anthropic refuses empty text and empty turns, so they are left out. It allows two turns of one role in a row. */
function toMessage(message: Message): readonly Anthropic.MessageParam[] {
  const content = toBlocks(message);
  return content.length === 0 ? [] : [{ role: message.role === "assistant" ? "assistant" : "user", content }];
}

function toBlocks(message: Message): Block[] {
  switch (message.role) {
    case "user":
      return textBlocks(message.text);
    case "assistant":
      return rawBlocks(message) ?? [...textBlocks(message.text), ...message.calls.map(toToolUse)];
    case "tool":
      return message.results.map(({ call_id, ok, text }) => ({
        type: "tool_result",
        tool_use_id: call_id,
        ...(text === "" ? {} : { content: text }),
        ...(ok ? {} : { is_error: true }),
      }));
  }
}

/** A turn as Anthropic sent it. Thinking blocks are signed and must go back unchanged, in their places. */
function rawBlocks(message: Message): Block[] | undefined {
  if (message.role !== "assistant" || !Array.isArray(message.raw)) return undefined;
  // The provider sent this as content and takes it back as content.
  return message.raw.length === 0 ? undefined : (message.raw as Block[]);
}

function callIds(message: Message): readonly string[] {
  if (message.role !== "assistant") return [];
  const raw = rawBlocks(message);
  if (raw === undefined) return message.calls.map(({ id }) => id);
  return asRecords(raw).flatMap(({ type, id }) => (type === "tool_use" ? (asText(id) ?? []) : []));
}

function textBlocks(text: string): Block[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function toToolUse({ id, name, input, unparsed }: ToolCall): Block {
  return { type: "tool_use", id, name, input: unparsed === undefined ? (input ?? {}) : { unparsed } };
}

function withBreakpoint(messages: readonly Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const last = messages.at(-1);
  // The model's own blocks must go back unchanged, so only our message is marked.
  if (last?.role !== "user" || typeof last.content === "string") return [...messages];
  const content = last.content.map((block, index, all) => (index === all.length - 1 ? { ...block, ...CACHED } : block));
  return [...messages.slice(0, -1), { ...last, content }];
}
