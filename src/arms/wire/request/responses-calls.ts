import { asId } from "../../../domain/as-id.ts";
import { asName, asText, type LooseRecord } from "../../../domain/lenient.ts";
import { writtenInput } from "../call-input.ts";
import type { WireCall } from "../wire.ts";

/**
 * Items of the Responses interface by which a model calls what the agent runs, with the field that holds the input.
 * https://platform.openai.com/docs/api-reference/responses/object
 */
export const INPUT_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ["function_call", "arguments"],
  ["custom_tool_call", "input"],
  ["local_shell_call", "action"],
  ["shell_call", "action"],
  ["apply_patch_call", "operation"],
  ["computer_call", "action"],
]);

/** Undefined for an item that is no call of a tool of the agent. An input that is JSON in a text is not read yet. */
export function callIn(item: LooseRecord): WireCall | undefined {
  const type = asText(item["type"]);
  const field = INPUT_FIELDS.get(type);
  if (type === undefined || field === undefined) return undefined;
  const id = asId(item["call_id"]) ?? asId(item["id"]) ?? null;
  const name = asName(item["name"]) ?? type.replace(/_call$/, "");
  return { id, name, ...(type === "function_call" ? writtenInput(item[field]) : { input: item[field] }) };
}
