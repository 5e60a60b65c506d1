import type { WireName } from "../../domain/external-agent.ts";
import { asRecord, asRecords, asText, dig, isNested, type LooseRecord } from "../../domain/lenient.ts";
import { PROVIDER_TOOL_FILTERS } from "./edit/provider-tools.ts";

interface RequestEdit {
  /** Asked for in the place of the client's; null: the client's stays. */
  readonly model: string | null;
  /** Takes out what the provider would do for the agent in a network that the agent is denied. */
  readonly without_provider_tools: boolean;
}

/** A request as it may go to the provider. */
interface EditedRequest {
  readonly path: string;
  readonly body: LooseRecord;
  /** What was taken out, each kind once: `web_search`, `mcp_servers`. */
  readonly removed: readonly string[];
  /** Why the request cannot be sent at all, which is the agent's doing. */
  readonly refused: string | null;
  /** What the request asks for that abeval cannot do. It cannot be sent either, and that is not the agent's fault. */
  readonly unsupported: string | null;
  /** Usage was asked for in the client's place: see `OpenReply.hide_usage`. */
  readonly hide_usage: boolean;
}

/** Levels of nesting in a request. More would overflow the stack of whoever writes it. */
const MAX_LEVELS = 1000;

/** Makes of an agent's request what may be sent. Never throws. `path` is that of its `Route`. */
export function editRequest(wire: WireName, path: string, body: LooseRecord, edit: RequestEdit): EditedRequest {
  const counted = wire === "gemini" ? asRecord(body["generateContentRequest"]) : undefined;
  if (counted !== undefined) return editCount(path, { body, asked: counted }, edit);
  const { body: filtered, removed } = edit.without_provider_tools
    ? PROVIDER_TOOL_FILTERS[wire](body)
    : { body, removed: [] };
  const hide_usage = wire === "chat" && body["stream"] === true && usageOption(body) !== true;
  const asked = {
    ...(edit.model === null || wire === "gemini" ? filtered : asking(edit.model, filtered)),
    ...(hide_usage ? { stream_options: { ...asRecord(body["stream_options"]), include_usage: true } } : {}),
  };
  return {
    path: edit.model === null || wire !== "gemini" ? path : withModel(path, edit.model),
    body: wire === "responses" && /^\/responses(\?|$)/.test(path) ? withoutState(asked) : asked,
    removed: [...new Set(removed)],
    refused: unreadableBody(body),
    unsupported: unsupportedIn(wire, body),
    hide_usage,
  };
}

/** Why a request cannot be read, which is the agent's own doing; null when it can. */
const unreadableBody = (body: LooseRecord): string | null =>
  isNested(body, MAX_LEVELS) ? "the request is nested deeper than abeval reads." : null;

/** Gateways ask one of the others when the first model fails, and a request can be made so that it does. */
const asking = (model: string, { models: _, fallbacks: __, ...body }: LooseRecord) => ({ ...body, model });

const usageOption = (body: LooseRecord) => asRecord(body["stream_options"])?.["include_usage"];

const withModel = (path: string, model: string) => path.replace(/\/models\/[^/:?]+:/, () => `/models/${model}:`);

interface Count {
  readonly body: LooseRecord;
  readonly asked: LooseRecord;
}

/** Gemini counts the tokens of a request within the request, which names the model once more. */
function editCount(path: string, { body, asked }: Count, edit: RequestEdit): EditedRequest {
  const inner = editRequest("gemini", path, asked, edit);
  const model = edit.model === null ? {} : { model: `models/${edit.model}` };
  return { ...inner, body: { ...body, generateContentRequest: { ...inner.body, ...model } } };
}

/** Fields by which a request rests on what a provider keeps. */
const FIELDS: Readonly<Record<WireName, readonly string[]>> = {
  anthropic: [],
  chat: [],
  responses: ["previous_response_id", "conversation", "prompt"],
  gemini: ["cachedContent", "cached_content"],
};

/** What a provider would do and abeval cannot, because it could not be counted, repeated or read; null when there is nothing. */
function unsupportedIn(wire: WireName, body: LooseRecord): string | null {
  const field = FIELDS[wire].find((name) => body[name] != null) ?? referenceIn(wire, body);
  if (field !== undefined) return `${field} rests on what the provider keeps; send the whole conversation`;
  if (wire === "responses" && body["background"] === true)
    return "background: a reply that is fetched later could not be counted; ask for it directly";
  if (wire === "gemini" && streamsArguments(body))
    return "streamFunctionCallArguments: calls in pieces are not read; leave it out";
  return null;
}

/** An item that names another one in its place. Its type may be left out. */
export const isReference = (item: LooseRecord): boolean =>
  item["type"] === "item_reference" ||
  (item["type"] == null && item["role"] == null && item["content"] == null && typeof item["id"] === "string");

const referenceIn = (wire: WireName, { input }: LooseRecord) =>
  wire === "responses" && asRecords(input).some(isReference) ? "item_reference" : undefined;

const streamsArguments = (body: LooseRecord) =>
  dig(body, "toolConfig", "functionCallingConfig", "streamFunctionCallArguments") === true ||
  dig(body, "tool_config", "function_calling_config", "stream_function_call_arguments") === true;

/**
 * A request for a response of which the provider keeps nothing. Where it would look reasoning up by an id, the reasoning itself goes
 * along, encrypted. https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items
 */
function withoutState(body: LooseRecord): LooseRecord {
  const { input, store, include, model } = body;
  if (store === false) return body;
  const wanted = Array.isArray(include) ? include : [];
  const asks = REASONS.test(asText(model) ?? "") && !wanted.includes(ENCRYPTED);
  return {
    ...body,
    ...(Array.isArray(input) && input.some(isLostReasoning) && { input: withoutReasoning(input) }),
    ...(asks && { include: [...wanted, ENCRYPTED] }),
    store: false,
  };
}

const ENCRYPTED = "reasoning.encrypted_content";

/** Models that can encrypt their reasoning. Others refuse to be asked for it. */
const REASONS = /^([\w.-]+\/)?(o\d|codex|gpt-([5-9]|\d\d))(?!.*chat)/;

/** Reasoning that only whoever kept it could read: the provider refuses its id. */
export function isLostReasoning(item: unknown): boolean {
  const { type, encrypted_content, content } = asRecord(item) ?? {};
  return type === "reasoning" && !asText(encrypted_content) && asRecords(content).length === 0;
}

/** A call whose id is known to belong to some reasoning is refused without it; an item without an id belongs to none. */
const withoutReasoning = (input: readonly unknown[]): readonly unknown[] =>
  input.filter((item) => !isLostReasoning(item)).map(withoutId);

function withoutId(item: unknown): unknown {
  const { id, ...rest } = asRecord(item) ?? {};
  return typeof id === "string" && NAMELESS.has(asText(rest["type"]) ?? "message") ? rest : item;
}

/** Items that a provider takes without an id. */
const NAMELESS: ReadonlySet<string> = new Set(["message", "function_call", "custom_tool_call"]);
