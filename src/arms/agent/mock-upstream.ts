import type { WireName } from "../../domain/external-agent.ts";
import { asRecord, asRecords, asText, type LooseRecord, parseJson } from "../../domain/lenient.ts";
import { splitModelRef } from "../model/model-ref.ts";
import type { Take, Upstream, UpstreamRequest } from "../model/upstream.ts";
import { mockReply } from "../wire/mock-reply.ts";
import { readRequest } from "../wire/read-request.ts";
import type { WireCall, WireRequest } from "../wire/wire.ts";

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

/**
 * A provider of our own, which costs nothing. It has the agent make one call that does nothing, where it can, and answers with one word
 * after that. `onAsked` is called for each request.
 */
export const mockUpstream = (
  ref: string,
  wire: WireName,
  onAsked: (request: WireRequest, body: string) => void,
): Upstream => ({
  model: splitModelRef(ref).model,
  wire,
  conceal: (text) => text,
  async send<T>({ path, body, aside }: UpstreamRequest, take: Take<T>): Promise<T> {
    const json: LooseRecord = asRecord(parseJson(body ?? "{}")) ?? {};
    const request = readRequest(wire, path, json);
    if (!aside) onAsked(request, String(body ?? ""));
    const call = request.results.length === 0 ? harmlessCall(json) : undefined;
    const said = mockReply(wire, request, call === undefined ? { text: "Done." } : { call });
    const headers = new Headers({ "content-type": said.content_type });
    return await take.reply({ status: 200, headers, chunks: once(Buffer.from(said.body)) });
  },
});

async function* once(bytes: Uint8Array) {
  yield bytes;
}
