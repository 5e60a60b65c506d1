import { asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { callInput } from "../../wire/call-input.ts";
import { textIn } from "../../wire/text-in.ts";
import { chatUsage, wholeUsage } from "../../wire/usage.ts";
import type { ModelReply, ToolCall } from "../client.ts";

/** A chat completion; undefined when it is none. */
export function readCompletion(body: unknown): ModelReply | undefined {
  const choice = asRecords(dig(body, "choices"))[0];
  const message = asRecord(dig(choice, "message"));
  const stop_reason = asText(dig(choice, "finish_reason")) ?? "unknown";
  if (message === undefined || stop_reason === "error") return undefined;
  const { content, refusal, tool_calls } = message;
  const calls = asRecords(tool_calls).map(toCall);
  const text = textIn(content);
  const refused = text === "" ? (asText(refusal) ?? "") : "";
  return {
    text: text + refused,
    calls,
    stop: stopOf(stop_reason, { calls: calls.length, refused: refused !== "" }),
    stop_reason,
    ...wholeUsage(chatUsage(dig(body, "usage"))),
    model_served: asText(dig(body, "model")) ?? null,
    raw: calls.length === 0 ? {} : keep(message, calls),
  };
}

/** Some local servers leave out the id. */
function toCall(call: LooseRecord, index: number): ToolCall {
  const id = asText(dig(call, "id")) || `call_${index + 1}`;
  const name = asText(dig(call, "function", "name")) ?? "";
  return { id, name, ...callInput(dig(call, "function", "arguments")) };
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
