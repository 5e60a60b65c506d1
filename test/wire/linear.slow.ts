import { describe, expect, test } from "bun:test";
import { Threads } from "../../src/arms/agent/log/threads.ts";
import { editRequest } from "../../src/arms/wire/edit-request.ts";
import { openReply } from "../../src/arms/wire/open-reply.ts";
import { readRequest } from "../../src/arms/wire/read-request.ts";
import type { WireName } from "../../src/domain/external-agent.ts";
import type { LooseRecord } from "../../src/domain/lenient.ts";
import { cpuRatio, LINEAR } from "../cpu-ratio.ts";
import { atOnce, endOf, STREAM, sse } from "./streams.ts";

const many = <T>(length: number, one: (at: number) => T): T[] => Array.from({ length }, (_, at) => one(at));

/** Lists in one another, each with a value beside the next one. */
const nested = (levels: number, inner: unknown): unknown => (levels === 0 ? inner : [1, nested(levels - 1, inner)]);

const deep = (n: number) => ({ type: "z", x: nested(180, "x".repeat(n)) });

const named = (at: number) => ({ type: "function", name: `tool_${at}`, function: { name: `tool_${at}` } });

type Growing = readonly [what: string, wire: WireName, n: number, body: (n: number) => LooseRecord];

const REQUESTS: readonly Growing[] = [
  ["calls in one turn", "responses", 4_000, (n) => ({ input: many(n, () => ({ type: "function_call", name: "a" })) })],
  [
    "calls with results between them",
    "responses",
    5_000,
    (n) => ({
      input: many(n, (at) => [
        { type: "function_call", name: "a", call_id: `c${at}`, arguments: '{"command":"ls"}' },
        { type: "function_call_output", call_id: `c${at}`, output: "x" },
      ]).flat(),
    }),
  ],
  ["system messages", "responses", 10_000, (n) => ({ input: many(n, () => ({ role: "system", content: "x" })) })],
  ["messages", "chat", 10_000, (n) => ({ messages: many(n, () => ({ role: "user", content: "x" })) })],
  ["messages of nothing", "anthropic", 10_000, (n) => ({ messages: many(n, () => ({})) })],
  ["empty lists", "chat", 50_000, (n) => ({ messages: many(n, () => []) })],
  ["empty texts", "gemini", 22_500, (n) => ({ contents: [{ parts: many(n, () => "") }] })],
  [
    "blocks of an unknown type",
    "anthropic",
    10_000,
    (n) => ({ messages: [{ content: many(n, () => ({ type: "z" })) }] }),
  ],
  ["text that lies deep", "anthropic", 500_000, (n) => ({ messages: [{ content: [deep(n)] }] })],
  [
    "characters in a name",
    "chat",
    500_000,
    (n) => ({ messages: [{ tool_calls: [{ function: { name: "a".repeat(n) } }] }] }),
  ],
  [
    "arguments of empty lists",
    "chat",
    100_000,
    (n) => ({ messages: many(4, () => ({ tool_calls: [{ function: { arguments: `[${"[],".repeat(n)}1]` } }] })) }),
  ],
  [
    "choices among tools",
    "chat",
    2_000,
    (n) => ({
      tools: many(n, named),
      tool_choice: { type: "allowed_tools", allowed_tools: { tools: many(n, (at) => named(n - 1 - at)) } },
    }),
  ],
  ["tools of the provider", "anthropic", 10_000, (n) => ({ tools: many(n, (at) => ({ type: `web_search_${at}` })) })],
  [
    "results",
    "gemini",
    5_000,
    (n) => ({ contents: [{ parts: many(n, () => ({ functionResponse: { name: "a", response: { x: 1 } } })) }] }),
  ],
];

describe.each(REQUESTS)("a request with ever more %s", (_, wire, n, input) => {
  test("is read and edited in linear time", async () => {
    const read = (body: LooseRecord) => {
      new Threads(true).asked(readRequest(wire, "/v1beta/models/m:generateContent", body));
      return editRequest(wire, "/responses", body, { model: "m", without_provider_tools: true });
    };
    expect(await cpuRatio({ n, input, read })).toBeLessThan(LINEAR);
  });
});

test("20,000 calls in one turn are one message with all of them", () => {
  const input = many(20_000, (at) => ({ type: "function_call", name: "a", call_id: `c${at}` }));
  const output = { type: "function_call_output", call_id: "c19999", output: "x" };
  const { message_digests, results } = readRequest("responses", "/responses", { input: [...input, output] });
  expect(message_digests).toHaveLength(2);
  expect(results).toEqual([{ call_id: "c19999", name: "a", nth: 0, text: "x", is_error: null }]);
});

const chatCall = (at: number, pieces: string) => ({
  choices: [
    { index: 0, delta: { tool_calls: [{ index: at, id: `c${at}`, function: { name: "a", arguments: pieces } }] } },
  ],
});
const chatPiece = (pieces: string) => ({
  choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: pieces } }] } }],
});
const CHAT_END = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
const spaced = (n: number) => `{"a":1${" ".repeat(n)}}`;
const responsesCall = (n: number) => ({
  type: "response.output_item.added",
  output_index: 0,
  item: { type: "function_call", id: "i", call_id: "c", name: "a", arguments: spaced(n) },
});
const ARGUMENTS_DONE = {
  ...{ type: "response.function_call_arguments.done", output_index: 0, item_id: "i", arguments: '{"a":1}' },
};

type Streamed = readonly [
  what: string,
  wire: WireName,
  n: number,
  sent: (n: number) => string,
  piece?: number | undefined,
  type?: string,
];

const REPLIES: readonly Streamed[] = [
  [
    "texts that come byte by byte",
    "anthropic",
    20_000,
    (n) => sse({ type: "content_block_delta", delta: { type: "text_delta", text: "x".repeat(n) } }),
    1,
  ],
  [
    "bytes of one event that come byte by byte",
    "chat",
    100_000,
    (n) => sse({ choices: [{ index: 0, delta: { content: "x".repeat(n) } }] }),
    1,
  ],
  ["tiny pieces of a text", "chat", 10_000, (n) => sse({ choices: [{ index: 0, delta: { content: "x" } }] }).repeat(n)],
  ["empty lines", "chat", 20_000, (n) => "\n".repeat(n)],
  ["short lines in one event", "chat", 20_000, (n) => `${"a\n".repeat(n)}\n`],
  ["lines of data in one event", "chat", 20_000, (n) => `${"data:1\n".repeat(n)}\n`],
  ["events that say nothing", "responses", 10_000, (n) => "data:{}\n\n".repeat(n)],
  [
    "pieces of one call",
    "chat",
    5_000,
    (n) => sse(chatCall(0, '{"a":"')) + sse(chatPiece("x")).repeat(n) + sse(chatPiece('"}'), CHAT_END),
  ],
  ["calls", "chat", 200, (n) => sse(...many(n, (at) => chatCall(at, "{}")), CHAT_END)],
  [
    "empty lists in the arguments of a call",
    "chat",
    50_000,
    (n) => sse(chatCall(0, `[${"[],".repeat(n)}1]`), CHAT_END),
  ],
  [
    "repetitions of a call's arguments, written otherwise",
    "responses",
    500,
    (n) => sse(responsesCall(n * 200)) + sse(ARGUMENTS_DONE).repeat(n),
  ],
  [
    "fields in its usage, and events that count",
    "anthropic",
    2_000,
    (n) =>
      sse({ type: "message_delta", usage: Object.fromEntries(many(n, (at) => [`f${at}`, at])) }) +
      sse({ type: "message_delta", usage: { output_tokens: 1 } }).repeat(n),
  ],
  [
    "other places of one call",
    "responses",
    5_000,
    (n) => sse(...many(n, (at) => ({ ...responsesCall(0), output_index: at }))),
  ],
  [
    "events in a stream by another name",
    "chat",
    4_000,
    (n) => sse(chatPiece("x")).repeat(n),
    undefined,
    "application/json",
  ],
  [
    "messages in a list",
    "anthropic",
    10_000,
    (n) => JSON.stringify(many(n, () => ({ type: "message" }))),
    undefined,
    "application/json",
  ],
  ["text that lies deep", "gemini", 500_000, (n) => JSON.stringify(deep(n)), undefined, "application/json"],
];

const GATES = [
  ["without a gate", undefined],
  ["with a gate", () => null],
  ["with a gate that exchanges", () => ({ command: "x" })],
] as const;

describe.each(REPLIES)(
  "a reply with ever more %s",
  (_, wire, n, sent, piece = 16_384, content_type = STREAM.content_type) => {
    // A gate is asked of calls alone.
    const gates = /_call/.test(sent(1)) ? GATES : GATES.slice(0, 2);
    test.each(gates)("is read in linear time, %s", async (_gate, gate) => {
      const read = (bytes: Uint8Array) => {
        const reader = openReply(wire, { content_type, ...(gate && { gate }) });
        for (let at = 0; at < bytes.length; at += piece) atOnce(reader.push(bytes.subarray(at, at + piece)));
        return endOf(reader);
      };
      expect(await cpuRatio({ n, input: (size) => Buffer.from(sent(size)), read })).toBeLessThan(LINEAR);
    });
  },
);
