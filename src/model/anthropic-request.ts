import type { Anthropic } from "@anthropic-ai/sdk";
import type { Message, ModelRequest, ToolCall, ToolSpec } from "./client.ts";
import { asRecords, asText } from "./lenient.ts";
import { answerEveryCall } from "./unanswered-calls.ts";
import { wireSchema } from "./wire-schema.ts";

type Block = Anthropic.ContentBlockParam;

/** Everything up to here is the same on the next turn, so it is read from the cache then. */
const CACHED = { cache_control: { type: "ephemeral" } } as const;

/** Our request in Anthropic's words, with cache breakpoints after the tools, the system prompt and the last message. */
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
  // Every tool input is an object.
  const input_schema = wireSchema(input) as Anthropic.Tool.InputSchema;
  return { name, description, input_schema, ...(index === tools.length - 1 ? CACHED : {}) };
}

/** Empty text and empty turns are refused, so they are left out; neighbours of one role are allowed. */
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

/** A turn as Anthropic sent it: thinking blocks are signed and must come back unchanged, in their places. */
function rawBlocks(message: Message): Block[] | undefined {
  if (message.role !== "assistant" || !Array.isArray(message.raw)) return undefined;
  // What the provider sent as content it takes back as content; this history was made by this provider.
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
  // Blocks of the model itself come back unchanged, so only what we wrote is marked.
  if (last?.role !== "user" || typeof last.content === "string") return [...messages];
  const content = last.content.map((block, index, all) => (index === all.length - 1 ? { ...block, ...CACHED } : block));
  return [...messages.slice(0, -1), { ...last, content }];
}
