import { asCount, asRecord, asRecords, asText, dig, type LooseRecord, parseJson } from "../domain/lenient.ts";
import { UNKNOWN_USAGE, type Usage } from "../domain/usage.ts";
import type { ModelReply, ToolCall } from "./client.ts";

/** A chat completion; undefined when it is none. */
export function readCompletion(body: unknown): ModelReply | undefined {
  const choice = asRecords(dig(body, "choices"))[0];
  const message = asRecord(dig(choice, "message"));
  const stop_reason = asText(dig(choice, "finish_reason")) ?? "unknown";
  if (message === undefined || stop_reason === "error") return undefined;
  const { content, refusal, tool_calls } = message;
  const calls = asRecords(tool_calls).map(toCall);
  const text = readText(content);
  const refused = text === "" ? (asText(refusal) ?? "") : "";
  return {
    text: text + refused,
    calls,
    stop: stopOf(stop_reason, { calls: calls.length, refused: refused !== "" }),
    stop_reason,
    ...readUsage(dig(body, "usage")),
    model_served: asText(dig(body, "model")) ?? null,
    raw: calls.length === 0 ? {} : keep(message, calls),
  };
}

/** A string, null, or parts of which some are text. */
function readText(content: unknown): string {
  if (!Array.isArray(content)) return asText(content) ?? "";
  return content.map((part) => asText(part) ?? asText(dig(part, "text")) ?? "").join("");
}

/** Some local servers leave out the id, send the arguments as an object, or send none. */
function toCall(call: LooseRecord, index: number): ToolCall {
  const id = asText(dig(call, "id")) || `call_${index + 1}`;
  const name = asText(dig(call, "function", "name")) ?? "";
  const given = dig(call, "function", "arguments");
  if (typeof given !== "string") return { id, name, input: given ?? {} };
  if (given.trim() === "") return { id, name, input: {} };
  const input = parseJson(given);
  return input === undefined ? { id, name, input, unparsed: given } : { id, name, input };
}

function stopOf(reason: string, found: { readonly calls: number; readonly refused: boolean }): ModelReply["stop"] {
  if (reason === "length") return "output_limit";
  if (reason === "content_filter" || found.refused) return "refusal";
  // Servers differ in whether a turn with calls says `tool_calls` or `stop`: the calls themselves decide.
  return found.calls > 0 ? "calls" : "end";
}

/**
 * What must go back unchanged with the results of tool calls: the reasoning that some providers demand, and calls with the
 * signatures that Google puts into them. Some servers refuse other fields as input.
 */
function keep({ tool_calls, reasoning_content, reasoning_details }: LooseRecord, calls: readonly ToolCall[]) {
  const sound = asRecords(tool_calls).every((call, index) => isSound(call, calls[index]));
  return {
    ...(sound ? { tool_calls } : {}),
    ...(reasoning_content == null ? {} : { reasoning_content }),
    ...(reasoning_details == null ? {} : { reasoning_details }),
  };
}

/** A call that can be sent back as it came. */
function isSound(wire: LooseRecord, call: ToolCall | undefined): boolean {
  const complete = dig(wire, "id") === call?.id && dig(wire, "type") === "function";
  return complete && typeof dig(wire, "function", "arguments") === "string" && call?.unparsed === undefined;
}

/** Every prompt has tokens. A server that reports none did not count. */
function readUsage(usage: unknown): Usage {
  const tokens_in = asCount(dig(usage, "prompt_tokens")) || null;
  const tokens_out = asCount(dig(usage, "completion_tokens"));
  if (tokens_in === null || tokens_out === null) return UNKNOWN_USAGE;
  const cached = asCount(dig(usage, "prompt_tokens_details", "cached_tokens") ?? dig(usage, "prompt_cache_hit_tokens"));
  return { tokens_in, tokens_out, cached_tokens: cached !== null && cached <= tokens_in ? cached : null };
}
