import type { WireName } from "../../domain/external-agent.ts";
import { asCount, asName, dig, type LooseRecord } from "../../domain/lenient.ts";
import { readMessages } from "./request/anthropic.ts";
import { readChat } from "./request/chat.ts";
import { readContents } from "./request/gemini.ts";
import { messageDigest, type RequestParts, resultsOf } from "./request/message.ts";
import { readInput } from "./request/responses.ts";
import { CallInputs, type WireRequest } from "./wire.ts";

const READERS: Readonly<Record<WireName, (body: LooseRecord) => RequestParts>> = {
  anthropic: readMessages,
  chat: readChat,
  responses: readInput,
  gemini: readContents,
};

/** What a request for a reply says. Never throws, whatever the body is. `path` is that of its `Route`. */
export function readRequest(wire: WireName, path: string, body: LooseRecord): WireRequest {
  const { system, said, offers_tools } = READERS[wire](body);
  const inputs = new CallInputs();
  return {
    wire,
    model: asName(body["model"]) ?? asName(modelIn(path)) ?? null,
    stream: wire === "gemini" ? path.includes(":streamGenerateContent") : body["stream"] === true,
    offers_tools,
    system,
    message_digests: said.map((one) => messageDigest(one, inputs)),
    results: resultsOf(said),
  };
}

/** On Gemini's wire the address names the model. */
const modelIn = (path: string) => /\/models\/([^/:?]+):/.exec(path)?.[1];

/** Tokens that the reply may hold at most, as the request says; null where it does not. */
export function mostOutputOf(wire: WireName, body: object): number | null {
  const named = OUTPUT_LIMITS[wire].map((path) => asCount(dig(body, ...path)));
  return named.find((count) => count !== null) ?? null;
}

const OUTPUT_LIMITS: Readonly<Record<WireName, readonly (readonly string[])[]>> = {
  anthropic: [["max_tokens"]],
  chat: [["max_completion_tokens"], ["max_tokens"]],
  responses: [["max_output_tokens"]],
  gemini: [["generationConfig", "maxOutputTokens"]],
};
