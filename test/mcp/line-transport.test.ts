import { expect, test } from "bun:test";
import { setImmediate as turn } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { LineTransport } from "../../src/doors/mcp/line-transport.ts";
import { MAX_OPEN } from "../../src/doors/mcp/open-requests.ts";
import { LINE_BYTES } from "../../src/runtime/lines.ts";
import { cpuRatio, LINEAR } from "../cpu-ratio.ts";

interface Client {
  readonly input: AsyncIterable<Uint8Array>;
  /** Default: it reads all. */
  readonly write?: (line: string) => Promise<void>;
}

/** What became of everything that a client said, by a server that answers with `answer`. */
async function heard({ input, write = async () => undefined }: Client, answer?: (id: unknown) => object) {
  const [lines, messages, faults]: [string[], JSONRPCMessage[], string[]] = [[], [], []];
  const transport = new LineTransport({
    input,
    async write(line) {
      lines.push(line);
      await write(line);
    },
  });
  transport.onmessage = (message) => {
    messages.push(message);
    if (answer && "id" in message)
      void transport.send({ jsonrpc: "2.0", id: message.id ?? 0, result: { ...answer(message.id) } });
  };
  transport.onerror = ({ message }) => faults.push(message);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  transport.onclose = resolve;
  await transport.start();
  return { closed, messages, faults, answers: () => lines.map((line) => JSON.parse(line)) };
}

async function* saying(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text, "latin1");
}

/** The answers to all of this. */
async function answersTo(...texts: readonly string[]) {
  const { closed, answers, messages } = await heard({ input: saying(...texts) }, () => ({}));
  await closed;
  return { answers: answers(), messages };
}

const ping = (id: unknown) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`;
const refusal = (code: number, message: string, id: unknown = null) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

const GARBAGE: readonly (readonly [what: string, line: string, code: number, message: string])[] = [
  ["bytes without an end", "x".repeat(LINE_BYTES + 1), -32600, `a line has ${LINE_BYTES} bytes at most`],
  ["binary", "\xff\xfe\x00\x80", -32700, "the line is no JSON; send one JSON-RPC message a line"],
  [
    "half a character",
    '{"jsonrpc":"2.0","id":1,"method":"\xc3"}',
    -32700,
    "the line is no JSON; send one JSON-RPC message a line",
  ],
  ["lists in lists", "[".repeat(9_000), -32600, "the line has 9000 levels of nesting, at most 200 are read"],
  [
    "a list in a list in a list",
    "[".repeat(LINE_BYTES),
    -32600,
    "the line has 10485761 values, at most 10000 are read",
  ],
  ["numbers", `[${"1,".repeat(1_000_000)}1]`, -32600, "the line has 1000002 values, at most 10000 are read"],
  ["requests", `[${`${ping(1).trim()},`.repeat(5_000)}7]`, -32600, "the line has 20002 values, at most 10000 are read"],
  ["a long id", ping("i".repeat(5_000)).trim(), -32600, "an id has 5000 characters, at most 1000 are taken"],
];

test.each(GARBAGE)("%s: the answer names the limit, and what follows is answered", async (_, line, code, message) => {
  const { answers } = await answersTo(line, "\n", ping(2));
  expect(answers).toEqual([refusal(code, message), { jsonrpc: "2.0", id: 2, result: {} }]);
});

test("a last line without a newline is answered", async () => {
  expect((await answersTo(ping(1), ping(2).trim())).answers.map(({ id }) => id)).toEqual([1, 2]);
  expect((await answersTo(ping(1).slice(0, -9))).answers).toEqual([
    refusal(-32700, "the line is no JSON; send one JSON-RPC message a line"),
  ]);
});

test("an answer is left out, since nothing was asked", async () => {
  const { answers, messages } = await answersTo('{"jsonrpc":"2.0","id":1,"result":{}}\n', ping(2));
  expect(messages).toHaveLength(1);
  expect(answers).toHaveLength(1);
});

test("a batch of more requests than may be open is refused as a whole", async () => {
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const greeting = { jsonrpc: "2.0", id: "hello", method: "initialize", params };
  const batch = (count: number) => `[${Array.from({ length: count }, (_, id) => ping(id).trim()).join(",")}]\n`;
  const input = saying(`${JSON.stringify(greeting)}\n`, batch(MAX_OPEN), batch(MAX_OPEN + 1));
  const { closed, answers } = await heard({ input }, () => ({ protocolVersion: "2025-03-26" }));
  await closed;
  const [, whole, refused] = answers();
  expect(whole).toHaveLength(MAX_OPEN);
  expect(refused.error.message).toBe("a batch has 65 messages, at most 64 are taken; send one message a line");
});

test("more requests than may be open are refused by name", async () => {
  const open = Array.from({ length: MAX_OPEN }, (_, id) => ping(id));
  const { closed, answers, messages } = await heard({ input: saying(...open, ping("more"), ping("too many")) });
  await closed;
  expect(messages).toHaveLength(MAX_OPEN);
  const why = "64 requests have no answer yet, and no more are taken; send it again when one has";
  expect(answers()).toEqual([refusal(-32600, why, "more"), refusal(-32600, why, "too many")]);
});

test("thousands of requests that are answered at once are all answered", async () => {
  const ids = Array.from({ length: 5_000 }, (_, id) => id);
  const { answers } = await answersTo(ids.map(ping).join(""));
  expect(answers.map(({ id, result }) => result && id)).toEqual(ids);
});

test("a client that does not read is not read either", async () => {
  let said = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; ; said += 1) yield Buffer.from(`${ping(said)}garbage\n`);
  }
  const { answers } = await heard({ input: endless(), write: () => new Promise(() => undefined) }, () => ({}));
  for (let turns = 0; turns < 1_000; turns += 1) await turn();
  expect(said).toBeLessThan(MAX_OPEN);
  expect(answers().length).toBeLessThan(MAX_OPEN);
});

test("four times as many cancellations of nothing take about four times as long", async () => {
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n';
  const read = async (text: string) => await answersTo(text);
  expect(await cpuRatio({ n: 5_000, input: (count) => cancelled.repeat(count), read })).toBeLessThan(LINEAR);
});
