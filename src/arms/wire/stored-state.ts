import type { WireName } from "../../domain/external-agent.ts";
import { asRecord, asRecords, asText, dig, type LooseRecord } from "../../domain/lenient.ts";

/** Fields by which a request rests on what a provider keeps. */
const FIELDS: Readonly<Record<WireName, readonly string[]>> = {
  anthropic: [],
  chat: [],
  responses: ["previous_response_id", "conversation", "prompt"],
  gemini: ["cachedContent", "cached_content"],
};

/** What a provider would do and abeval cannot, because it could not be counted, repeated or read; null when there is nothing. */
export function unsupportedIn(wire: WireName, body: LooseRecord): string | null {
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
export function withoutState(body: LooseRecord): LooseRecord {
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
