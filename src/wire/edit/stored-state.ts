import type { WireName } from "../../domain/external-agent.ts";
import { asRecords, dig, isNested, type LooseRecord } from "../../domain/lenient.ts";

/** Fields by which a request rests on what a provider keeps. */
const FIELDS: Readonly<Record<WireName, readonly string[]>> = {
  anthropic: [],
  chat: [],
  responses: ["previous_response_id", "conversation", "prompt"],
  gemini: ["cachedContent", "cached_content"],
};

/** Levels of nesting in a request. More would overflow the stack of whoever writes it. */
const MAX_LEVELS = 1000;

/** Why a request cannot be counted, repeated or read; null when it can. */
export function refusalOf(wire: WireName, body: LooseRecord): string | null {
  if (isNested(body, MAX_LEVELS)) return "the request is nested deeper than abeval reads.";
  const field = FIELDS[wire].find((name) => body[name] != null) ?? referenceIn(wire, body);
  if (field !== undefined)
    return `${field} rests on what the provider keeps, which could not be counted or replayed. Send the whole conversation.`;
  if (wire === "responses" && body["background"] === true)
    return "background: a reply that is fetched later could not be counted. Ask for it directly.";
  if (wire === "gemini" && streamsArguments(body))
    return "streamFunctionCallArguments: calls in pieces are not read. Leave it out.";
  return null;
}

const referenceIn = (wire: WireName, { input }: LooseRecord) =>
  wire === "responses" && asRecords(input).some(({ type }) => type === "item_reference") ? "item_reference" : undefined;

const streamsArguments = (body: LooseRecord) =>
  dig(body, "toolConfig", "functionCallingConfig", "streamFunctionCallArguments") === true ||
  dig(body, "tool_config", "function_calling_config", "stream_function_call_arguments") === true;
