import type { WireName } from "../../../domain/external-agent.ts";
import { asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import * as anthropic from "../request/anthropic.ts";
import * as chat from "../request/chat.ts";
import * as responses from "../request/responses.ts";
import {
  type Filter,
  type FilterTool,
  filters,
  filterTools,
  type TextBlock,
  withoutAddresses,
  withoutFields,
} from "./filter-request.ts";

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
