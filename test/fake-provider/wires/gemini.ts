import type { Message } from "../../../src/arms/model/client.ts";
import { asRecords, asText, dig, type LooseRecord } from "../../../src/domain/lenient.ts";
import type { SeenRequest, SeenTool } from "../exchange.ts";
import { type Form, type Piece, piecesOf, type Seen, textOf, unnamed, type WholeReply } from "./wire.ts";

/** Gemini's generateContent: https://ai.google.dev/api/generate-content. */
export const gemini: Form = {
  read,
  reply: (_, reply) => chunk(reply, [...thought(reply.thinking), ...spoken(reply.text), ...callParts(reply)], true),
  pieces,
  error: (status, message) => ({ error: { code: status, message, status: STATUSES[status] ?? "UNKNOWN" } }),
  count: (tokens) => ({ totalTokens: tokens }),
};

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

const STOPS = {
  end: "STOP",
  calls: "STOP",
  output_limit: "MAX_TOKENS",
  context_overflow: "MAX_TOKENS",
  refusal: "SAFETY",
} as const;

function read(body: LooseRecord, path: string): Seen {
  const [, model = "", method] = /\/models\/([^:/]+):(\w+)/.exec(path) ?? [];
  return {
    model,
    stream: method === "streamGenerateContent",
    system: textOf(dig(body, "systemInstruction", "parts")),
    messages: readContents(asRecords(body["contents"])),
    tools: asRecords(body["tools"]).flatMap(readTools),
    force_tool: undefined,
  };
}

/** A tool that the provider runs is a key of its own, such as `googleSearch`. */
function readTools(tool: LooseRecord): SeenTool[] {
  return Object.entries(tool).flatMap(([type, value]) =>
    type === "functionDeclarations"
      ? asRecords(value).map((declared) => ({
          name: asText(declared["name"]) ?? "",
          type: "function",
          description: asText(declared["description"]) ?? "",
          input: declared["parametersJsonSchema"] ?? declared["parameters"],
        }))
      : [{ name: type, type, description: "", input: value }],
  );
}

function readContents(contents: readonly LooseRecord[]): Message[] {
  return contents.flatMap(({ role, parts }, at): Message[] => {
    const all = asRecords(parts);
    const named = (key: string): readonly LooseRecord[] => asRecords(all.map((part) => part[key]));
    const text = textOf(all.filter((part) => part["thought"] !== true));
    if (role === "model") {
      const calls = named("functionCall").map(({ id, name, args }, i) => ({
        id: asText(id) ?? `${at}.${i}`,
        name: `${name}`,
        input: args,
      }));
      return [{ role: "assistant", text, calls }];
    }
    const results = named("functionResponse").map(({ id, response }) => ({
      call_id: asText(id) ?? "",
      ok: dig(response, "error") === undefined,
      text: asText(dig(response, "output")) ?? JSON.stringify(response),
    }));
    return [
      ...(results.length > 0 ? [{ role: "tool" as const, results }] : []),
      ...(text !== "" ? [{ role: "user" as const, text }] : []),
    ];
  });
}

const thought = (text: string): LooseRecord[] => (text === "" ? [] : [{ text, thought: true }]);
const spoken = (text: string): LooseRecord[] => (text === "" ? [] : [{ text }]);

/** Of parallel calls the first one carries the signature. An id is sent where a test chose one: the wire need not have it. */
const callParts = ({ calls }: WholeReply): LooseRecord[] =>
  calls.map(({ id, name, input, unnamed: nameless }, i) => ({
    functionCall: { ...(nameless ? {} : { id }), name, args: input },
    ...(i === 0 ? { thoughtSignature: "Cg1mYWtlc2lnbmF0dXJl" } : {}),
  }));

function chunk({ id, model, stop, usage }: WholeReply, parts: readonly LooseRecord[], last: boolean): LooseRecord {
  const candidate = { content: { parts, role: "model" }, index: 0 };
  return {
    candidates: [last ? { ...candidate, finishReason: STOPS[stop] } : candidate],
    usageMetadata: {
      promptTokenCount: usage.in,
      ...(usage.cached > 0 ? { cachedContentTokenCount: usage.cached } : {}),
      ...(last ? { candidatesTokenCount: usage.out - usage.thinking } : {}),
      ...(usage.thinking > 0 ? { thoughtsTokenCount: usage.thinking } : {}),
      totalTokenCount: usage.in + (last ? usage.out : usage.thinking),
    },
    modelVersion: model,
    responseId: `resp-${id}`,
  };
}

function pieces(_: SeenRequest, reply: WholeReply): Piece[] {
  const piece = (parts: readonly LooseRecord[], { last = false, call = false } = {}) =>
    unnamed(chunk(reply, parts, last), call, "\r\n\r\n");
  return [
    ...piecesOf(reply.thinking).map((text) => piece(thought(text))),
    ...piecesOf(reply.text).map((text) => piece(spoken(text))),
    ...callParts(reply).map((part) => piece([part], { call: true })),
    piece([{ text: "" }], { last: true }),
  ];
}
