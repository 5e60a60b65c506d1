import { asRecord, asRecords, asText, type LooseRecord } from "../../domain/lenient.ts";
import type { WireCall } from "./wire.ts";

/** A call of a command that does nothing, of a tool that the request offers. Undefined when none of them runs commands. */
export function harmlessCall({ tools }: LooseRecord): Pick<WireCall, "name" | "input"> | undefined {
  return asRecords(tools)
    .slice(0, MAX_TOOLS)
    .flatMap((tool) => [tool, ...declaredIn(tool)])
    .map(callOf)
    .find((call) => call !== undefined);
}

const MAX_TOOLS = 1_000;

/** Where a wire puts what a function is. */
const declaredIn = (tool: LooseRecord): readonly LooseRecord[] =>
  asRecords([tool["function"], tool["functionDeclarations"], tool["function_declarations"]].flat());

function callOf(tool: LooseRecord): Pick<WireCall, "name" | "input"> | undefined {
  const name = asText(tool["name"]);
  const schema = asRecord(tool["input_schema"] ?? tool["parameters"] ?? tool["parametersJsonSchema"]);
  const fields = asRecord(schema?.["properties"]) ?? {};
  const command = COMMANDS.find((field) => Object.hasOwn(fields, field));
  if (name === undefined || command === undefined) return undefined;
  const required = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  const given = required.flatMap((field) =>
    typeof field === "string" ? [[field, fitting(asRecord(fields[field]) ?? {})]] : [],
  );
  const harmless = typeOf(asRecord(fields[command]) ?? {}) === "array" ? ["true"] : "true";
  return { name, input: { ...Object.fromEntries(given), [command]: harmless } };
}

/** Fields in which agents take a command. */
const COMMANDS = ["command", "cmd", "commands"];

/** Something that fits the schema of a field, as far as its type says. */
function fitting(schema: LooseRecord): unknown {
  const [first] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  return first ?? VALUES.get(typeOf(schema)) ?? "true";
}

/** Gemini writes types in capitals. */
const typeOf = ({ type }: LooseRecord) => asText([type].flat()[0])?.toLowerCase() ?? "";

const VALUES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["boolean", false],
  ["integer", 1],
  ["number", 1],
  ["array", []],
  ["object", {}],
]);
