import { asId } from "../../../domain/as-id.ts";
import { asName, asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { textIn, writtenInput } from "../wire.ts";
import type { Part, RequestParts, Said } from "./message.ts";

/** OpenAI's chat completions. */
export function readChat({ messages, tools, functions }: LooseRecord): RequestParts {
  const all = asRecords(messages);
  return {
    system: all.flatMap(({ role, content }) => (isSystem(role) ? [textIn(content)] : [])).join("\n\n"),
    said: all.filter(({ role }) => !isSystem(role)).map(saidIn),
    offers_tools: asRecords(tools).some(isClientTool) || asRecords(functions).length > 0,
  };
}

export const isClientTool = ({ type }: LooseRecord): boolean =>
  type === undefined || type === "function" || type === "custom";

export const isSystem = (role: unknown) => role === "system" || role === "developer";

function saidIn(message: LooseRecord): Said {
  const role = asName(message["role"]) ?? "user";
  if (role === "tool" || role === "function") return { role, parts: [resultIn(message)] };
  const { content, refusal, tool_calls, function_call } = message;
  const parts: Part[] = [
    { kind: "text", text: textIn(content) || (asText(refusal) ?? "") },
    ...asRecords(content)
      .filter(({ type }) => !isTextType(type))
      .map((value): Part => ({ kind: "other", value })),
    ...asRecords(tool_calls).map(callIn),
  ];
  const legacy = asRecord(function_call);
  return { role, parts: legacy === undefined ? parts : [...parts, callIn({ function: legacy })] };
}

const isTextType = (type: unknown) => type === "text" || type === "refusal" || type === "thinking";

function callIn(call: LooseRecord): Part {
  const custom = asRecord(call["custom"]);
  const id = asId(call["id"]) ?? null;
  if (custom !== undefined)
    return { kind: "call", call: { id, name: asName(custom["name"]) ?? "", input: custom["input"] } };
  const name = asName(dig(call, "function", "name")) ?? "";
  return { kind: "call", call: { id, name, ...writtenInput(dig(call, "function", "arguments")) } };
}

function resultIn({ tool_call_id, name, content }: LooseRecord): Part {
  const result = { call_id: asId(tool_call_id) ?? null, name: asName(name) ?? null, text: textIn(content) };
  return { kind: "result", result: { ...result, is_error: null } };
}
