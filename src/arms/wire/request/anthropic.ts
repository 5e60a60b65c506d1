import { asId } from "../../../domain/as-id.ts";
import { asName, asRecords, asText, type LooseRecord } from "../../../domain/lenient.ts";
import { textIn } from "../wire.ts";
import type { Part, RequestParts, Said } from "./message.ts";

/** Anthropic's messages interface. */
export function readMessages({ system, messages, tools }: LooseRecord): RequestParts {
  const said = asRecords(messages).map(
    ({ role, content }): Said => ({ role: asName(role) ?? "user", parts: partsOf(content) }),
  );
  return { system: textIn(system), said, offers_tools: asRecords(tools).some(isClientTool) };
}

/** A tool of the agent's own, or one of those that Anthropic describes and the agent runs. */
export const isClientTool = ({ type, name }: LooseRecord): boolean => {
  if (type === undefined || type === null || type === "custom") return typeof name === "string";
  return /^(bash|text_editor|memory|computer)_\d+$/.test(asText(type) ?? "");
};

function partsOf(content: unknown): Part[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return asRecords(content).flatMap(partOf);
}

function partOf({ cache_control: _, ...block }: LooseRecord): Part[] {
  switch (block["type"]) {
    case "text":
      return [{ kind: "text", text: asText(block["text"]) ?? "" }];
    case "tool_use": {
      const { id, name, input } = block;
      return [{ kind: "call", call: { id: asId(id) ?? null, name: asName(name) ?? "", input } }];
    }
    case "tool_result": {
      const { tool_use_id, content, is_error } = block;
      const result = { call_id: asId(tool_use_id) ?? null, name: null, text: textIn(content) };
      return [{ kind: "result", result: { ...result, is_error: is_error === true } }];
    }
    case "thinking":
    case "redacted_thinking":
      return [];
    default:
      return [{ kind: "other", value: block }];
  }
}
