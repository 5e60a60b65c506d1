import { asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { anthropicUsage, wholeUsage } from "../../wire/usage.ts";
import type { ModelReply, ToolCall } from "../client.ts";

/** A reply of Anthropic's messages interface; undefined when it is none. */
export function readMessage(body: unknown): ModelReply | undefined {
  const content = dig(body, "content");
  if (!Array.isArray(content)) return undefined;
  const blocks = asRecords(content);
  const calls = blocks.filter(({ type }) => type === "tool_use").map(toCall);
  const stop_reason = asText(dig(body, "stop_reason")) ?? "unknown";
  const stop = stopOf(stop_reason, calls.length);
  return {
    text: blocks.map(({ type, text }) => (type === "text" ? (asText(text) ?? "") : "")).join(""),
    calls: stop === "context_overflow" ? [] : calls,
    stop,
    stop_reason,
    ...wholeUsage(anthropicUsage(dig(body, "usage"))),
    model_served: asText(dig(body, "model")) ?? null,
    raw: content,
  };
}

function toCall({ id, name, input }: LooseRecord, index: number): ToolCall {
  return { id: asText(id) ?? `call_${index + 1}`, name: asText(name) ?? "", input };
}

function stopOf(reason: string, calls: number): ModelReply["stop"] {
  switch (reason) {
    case "max_tokens":
      return "output_limit";
    case "model_context_window_exceeded":
      return "context_overflow";
    case "refusal":
      return "refusal";
    default:
      return calls > 0 ? "calls" : "end";
  }
}
