import type { WireName } from "../../../domain/external-agent.ts";
import { asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import * as anthropic from "../request/anthropic.ts";
import * as chat from "../request/chat.ts";
import * as responses from "../request/responses.ts";

/** A body, and what was taken out of it. */
interface Filtered {
  readonly body: LooseRecord;
  readonly removed: readonly string[];
}

type Filter = (body: LooseRecord) => Filtered;

/** One after the other. */
const filters =
  (...steps: readonly Filter[]): Filter =>
  (body) =>
    steps.reduce<Filtered>(
      (before, step) => {
        const after = step(before.body);
        return { body: after.body, removed: [...before.removed, ...after.removed] };
      },
      { body, removed: [] },
    );

const withoutFields =
  (...fields: readonly string[]): Filter =>
  (body) => ({
    body: Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field))),
    removed: fields.filter((field) => body[field] != null),
  });

/** What becomes of one tool: itself, less of it, or nothing. */
type FilterTool = (tool: LooseRecord) => {
  readonly tool: LooseRecord | null;
  readonly removed: readonly string[];
};

/** Drops the choice among tools where there are none. */
const filterTools =
  (filterTool: FilterTool): Filter =>
  (body) => {
    if (body["tools"] == null) return { body, removed: [] };
    const filtered = asRecords(body["tools"]).map(filterTool);
    const removed = filtered.flatMap((one) => one.removed);
    const tools = filtered.flatMap(({ tool }) => tool ?? []);
    if (tools.length > 0) return { body: { ...body, tools }, removed };
    const { tools: _, tool_choice: __, toolConfig: ___, tool_config: ____, ...rest } = body;
    return { body: rest, removed };
  };

/** Levels of content within content: a result of a document of blocks has six. */
const LEVELS = 16;

/** Fields of messages in which content stands. Inputs of calls are none: what they say is up to their tool. */
const CONTENT_FIELDS: readonly string[] = [
  "content",
  "output",
  "parts",
  "source",
  "functionResponse",
  "function_response",
];

/** A block that says something, as its wire writes it. */
type TextBlock = (text: string) => LooseRecord;

/** Content which the provider would fetch becomes a text that says so. `field` has the conversation. */
const withoutAddresses =
  (field: string, textBlock: TextBlock): Filter =>
  (body) => {
    const removed: string[] = [];
    if (body[field] == null) return { body, removed };
    const instead = () => {
      removed.push("content at an address");
      return textBlock(TEXT);
    };
    return { body: { ...body, [field]: fenceContent(body[field], 0, instead) }, removed };
  };

const TEXT = "[This was at an address. The network is closed, so it was not fetched.]";

function fenceContent(content: unknown, level: number, instead: () => LooseRecord): unknown {
  if (level > LEVELS) return null;
  if (Array.isArray(content)) return content.map((item) => fenceContent(item, level + 1, instead));
  const block = asRecord(content);
  if (block === undefined) return content;
  return isAtAddress(block) ? instead() : mapContent(block, (inner) => fenceContent(inner, level + 1, instead));
}

/** The block itself where no content stands in it, as in most of a long conversation. */
function mapContent(block: LooseRecord, change: (content: unknown) => unknown): LooseRecord {
  const held = CONTENT_FIELDS.filter((field) => typeof block[field] === "object");
  if (held.length === 0) return block;
  return { ...block, ...Object.fromEntries(held.map((field) => [field, change(block[field])])) };
}

/** Fields with a URL: an address, or `data:` and the content itself. */
const URL_FIELDS: readonly string[] = ["image_url", "video_url", "audio_url"];

/** Fields with content in base64, where some providers take an address too. */
const BASE64_FIELDS: readonly string[] = ["file", "file_data", "input_audio", "audio", "image", "video"];

/** Not all of what a block shows is in it. */
function isAtAddress(block: LooseRecord): boolean {
  const source = asRecord(block["source"]);
  if (source?.["type"] === "url" || source?.["url"] != null || block["file_url"] != null) return true;
  // Gemini's. On OpenAI's wires `file_data` is the file itself.
  if (block["fileData"] != null || asRecord(block["file_data"]) !== undefined) return true;
  const leadsAway = (field: string) => block[field] != null && !isData(asRecord(block[field])?.["url"] ?? block[field]);
  const isFetched = (field: string) => block[field] != null && heldIn(block[field]).some(isAddress);
  return URL_FIELDS.some(leadsAway) || BASE64_FIELDS.some(isFetched);
}

const heldIn = (value: unknown): readonly unknown[] =>
  [value].flat().flatMap((item) => {
    const record = asRecord(item);
    return record === undefined ? [item] : [record["url"], record["data"], record["file_data"]];
  });

const isData = (value: unknown) => typeof value === "string" && /^data:/i.test(value);

/** Every address has one of these characters, and base64 none. */
const isAddress = (value: unknown) => typeof value === "string" && !isData(value) && /[.:]/.test(value);

/** A tool of the agent, or one that only finds other tools of the same request. */
const keep =
  (isKept: (tool: LooseRecord) => boolean): FilterTool =>
  (tool) =>
    isKept(tool) || /^tool_search/.test(kindOf(tool)) ? { tool, removed: [] } : { tool: null, removed: [kindOf(tool)] };

const kindOf = ({ type, name }: LooseRecord) => asText(type) ?? asText(name) ?? "a tool without a type";

/** A namespace holds tools itself. */
const keepResponses: FilterTool = (tool) => {
  if (tool["type"] !== "namespace") return keep(responses.isClientTool)(tool);
  const { body, removed } = filterTools(keepResponses)({ tools: tool["tools"] ?? [] });
  return { tool: body["tools"] === undefined ? null : { ...tool, tools: body["tools"] }, removed };
};

const DECLARATIONS: readonly string[] = ["functionDeclarations", "function_declarations"];

/** Gemini has a field for each kind of tool. */
const keepGemini: FilterTool = (tool) => {
  const kept = Object.entries(tool).filter(([field]) => DECLARATIONS.includes(field));
  const removed = Object.keys(tool).filter((field) => !DECLARATIONS.includes(field));
  return { tool: kept.length === 0 ? null : Object.fromEntries(kept), removed };
};

/** A tool that was taken out cannot be demanded. */
const chooseAmong =
  (auto: unknown, isThere: (choice: LooseRecord, tools: Tools) => boolean): Filter =>
  (body) => {
    const choice = asRecord(body["tool_choice"]);
    const stays = choice === undefined || isThere(choice, new Tools(asRecords(body["tools"])));
    return { body: stays ? body : { ...body, tool_choice: auto }, removed: [] };
  };

/** What a choice may speak of. Looked up: a request has room for thousands of tools, and for as many choices among them. */
class Tools {
  readonly types: ReadonlySet<unknown>;
  readonly names: ReadonlySet<unknown>;

  constructor(tools: readonly LooseRecord[]) {
    this.types = new Set(tools.map(({ type }) => type));
    this.names = new Set(tools.flatMap(namesOf));
  }
}

const namesOf = (tool: LooseRecord) => [tool["name"], dig(tool, "function", "name"), dig(tool, "custom", "name")];

/** A choice of a wire of OpenAI: by name, by type, or among several of these. */
function isThere(choice: LooseRecord, tools: Tools): boolean {
  const name = namesOf(choice).find((one) => one != null);
  if (choice["type"] === "allowed_tools") {
    const allowed = asRecords(choice["tools"] ?? dig(choice, "allowed_tools", "tools"));
    return allowed.every((one) => isThere(one, tools));
  }
  return name === undefined ? tools.types.has(choice["type"]) : tools.names.has(name);
}

const typed =
  (type: string): TextBlock =>
  (text) => ({ type, text });

/** What the provider would do for an agent, in a network that the agent is denied. What is of no known kind goes, too. */
export const PROVIDER_TOOL_FILTERS: Readonly<Record<WireName, Filter>> = {
  anthropic: filters(
    withoutFields("mcp_servers", "container"),
    filterTools(keep(anthropic.isClientTool)),
    chooseAmong({ type: "auto" }, ({ type, name }, tools) => type !== "tool" || tools.names.has(name)),
    withoutAddresses("messages", typed("text")),
  ),
  // Fields of Perplexity, xAI, OpenRouter and Qwen beside OpenAI's own.
  chat: filters(
    withoutFields("web_search_options", "search_parameters", "plugins", "enable_search", "search_options"),
    filterTools(keep(chat.isClientTool)),
    chooseAmong("auto", isThere),
    withoutAddresses("messages", typed("text")),
  ),
  responses: filters(
    filterTools(keepResponses),
    chooseAmong("auto", isThere),
    withoutAddresses("input", typed("input_text")),
  ),
  gemini: filters(
    filterTools(keepGemini),
    withoutAddresses("contents", (text) => ({ text })),
  ),
};
