import { asId } from "../../../domain/as-id.ts";
import { asName, asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { shallow, textIn, type WireCall, writtenInput } from "../wire.ts";
import { isSystem } from "./chat.ts";
import { ASSISTANT, type Part, type RequestParts, type Said } from "./message.ts";

/** OpenAI's Responses. */
export function readInput({ instructions, input, tools }: LooseRecord): RequestParts {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : asRecords(input);
  const system = [
    textIn(instructions),
    ...items.filter(({ role }) => isSystem(role)).map(({ content }) => textIn(content)),
  ];
  return {
    system: system.filter((text) => text !== "").join("\n\n"),
    said: joinTurns(items.filter(({ role }) => !isSystem(role)).flatMap(saidIn)),
    offers_tools: asRecords(tools).some(isClientTool),
  };
}

export const isClientTool = ({ type, environment }: LooseRecord): boolean =>
  type === "shell" ? !asText(dig(environment, "type"))?.startsWith("container") : CLIENT_TOOLS.has(asText(type) ?? "");

/** Types of tools that the agent runs. */
const CLIENT_TOOLS: ReadonlySet<string> = new Set([
  "function",
  "custom",
  "namespace",
  "local_shell",
  "apply_patch",
  "computer",
  "computer_use_preview",
]);

function saidIn(item: LooseRecord): Said[] {
  const type = asText(item["type"]) ?? "message";
  const call = callIn(item);
  if (call !== undefined) return [{ role: ASSISTANT, parts: [{ kind: "call", call }] }];
  if (type === "message") return [{ role: asName(item["role"]) ?? "user", parts: contentParts(item["content"]) }];
  if (type.endsWith("_call_output")) return [{ role: "tool", parts: [resultIn(item)] }];
  // Reasoning, summaries, and what the provider's own tools did.
  return [];
}

function contentParts(content: unknown): Part[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return asRecords(content).map((block): Part => {
    const text = asText(block["text"]) ?? asText(block["refusal"]);
    return text === undefined ? { kind: "other", value: block } : { kind: "text", text };
  });
}

function resultIn({ call_id, id, output }: LooseRecord): Part {
  const result = { call_id: asId(call_id) ?? asId(id) ?? null, name: null, text: outputText(output) };
  return { kind: "result", result: { ...result, is_error: null } };
}

/** A text, content blocks, or what each command of a shell call printed. */
function outputText(output: unknown): string {
  if (!asRecords(output).some((part) => "stdout" in part)) return textIn(output) || jsonOf(output);
  return asRecords(output)
    .map(({ stdout, stderr }) => `${asText(stdout) ?? ""}${asText(stderr) ?? ""}`)
    .join("");
}

const jsonOf = (output: unknown) => (asRecord(output) === undefined ? "" : JSON.stringify(shallow(output)));

/** What a model does in one turn is several items. They are one message, as on the other wires. */
function joinTurns(said: readonly Said[]): Said[] {
  const joined: { readonly role: string; readonly parts: Part[] }[] = [];
  for (const { role, parts } of said) {
    const last = joined.at(-1);
    // One by one: an argument list has no room for the parts of a large message.
    if (role === ASSISTANT && last?.role === ASSISTANT) for (const part of parts) last.parts.push(part);
    else joined.push({ role, parts: [...parts] });
  }
  return joined;
}

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
