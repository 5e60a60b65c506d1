import { expect, test } from "bun:test";
import { Writable } from "node:stream";
import type { SandboxedProcess } from "../../../src/arms/sandbox/sandbox.ts";
import { Gone, JsonRpcPeer, MESSAGE_VALUES, TimedOut } from "../../../src/arms/tool/mcp/json-rpc-peer.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { LINE_BYTES } from "../../../src/runtime/lines.ts";
import { never } from "../../workspace/harness.ts";

const PATIENCE = { timeout_ms: 60_000, signal: never };

/** A program that prints this, reads nothing of its input when it is deaf, and ends when its output does or it is killed. */
function programOf(stdout: () => AsyncGenerator<Uint8Array>, deaf = false) {
  const heard: string[] = [];
  const stdin = new Writable({
    write(chunk, _encoding, done) {
      heard.push(String(chunk));
      if (!deaf) done();
    },
  });
  const over = Promise.withResolvers<object>();
  let kills = 0;
  const kill = () => {
    kills += 1;
    over.resolve({ ended: "killed", exit_code: null, duration_ms: 0 });
  };
  async function* printed() {
    yield* stdout();
    over.resolve({ ended: "exit", exit_code: 0, duration_ms: 0 });
  }
  async function* silence() {}
  const parts = { stdin, stdout: printed(), stderr: silence(), ended: over.promise, kill };
  // The rest of a program is for those who start it.
  return { program: parts as unknown as SandboxedProcess, stdin, heard, kills: () => kills };
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const printing = (...texts: readonly string[]) =>
  programOf(async function* () {
    yield* texts.map(bytesOf);
  });

/** What becomes of a request to a program that prints this. */
async function asked(...texts: readonly string[]) {
  const { program, heard, kills } = printing(...texts);
  const methods: string[] = [];
  const peer = new JsonRpcPeer(program, systemClock, (method) => methods.push(method));
  const answer = await peer.request("x", {}, PATIENCE).catch((error: unknown) => error);
  const answered = heard.slice(1).map((line) => JSON.parse(line));
  return { answer, excess: peer.excess, methods, answered, killed: kills() > 0 };
}

const reply = (result: unknown, id: unknown = 0) => `${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`;

test("an answer is found among what nobody asked for, and only its first version counts", async () => {
  const others = ["log\n", "\n", "[]\n", "7\n", "{}\n", reply(1, 1), reply(1, "a"), reply(1, [0]), reply(1, null)];
  const { answer, excess, answered } = await asked(...others, reply("first"), reply("second"));
  expect({ answer, excess, answered }).toEqual({ answer: "first", excess: undefined, answered: [] });
});

test("what a program has printed before its end counts, with or without a newline", async () => {
  expect(await asked(reply("last").trim())).toMatchObject({ answer: "last" });
  expect((await asked(reply("last").slice(0, -3))).answer).toBeInstanceOf(Gone);
});

test("a program hears that it is alive, and that nothing else is offered", async () => {
  const ask = (id: unknown, method: string) => `${JSON.stringify({ jsonrpc: "2.0", id, method })}\n`;
  const strange = [ask([1], "ping"), ask("x".repeat(101), "ping"), ask({}, "roots/list")];
  const { answered } = await asked(...strange, ask("a", "ping"), ask(5, "roots/list"), reply(null));
  expect(answered).toEqual([
    { jsonrpc: "2.0", id: "a", result: {} },
    { jsonrpc: "2.0", id: 5, error: { code: -32601, message: "Method not found" } },
  ]);
});

const list = (count: number) => `[${"1,".repeat(count - 2)}1]`;

test.each([
  ["many values", list(MESSAGE_VALUES + 1), "it sent a message of 100001 values, at most 100000 are read"],
  ["many levels", "[".repeat(5_000_000), "it sent a message of 5000001 values, at most 100000 are read"],
  [
    "some levels more",
    `${"[".repeat(201)}${"]".repeat(201)}`,
    "it sent a message of 201 levels of nesting, at most 200",
  ],
  ["bytes", " ".repeat(LINE_BYTES + 1), "it sent a message of more than 10485760 bytes"],
  ["lines", "\n".repeat(100_001), "it sent more than 100000 messages"],
])("a program that sends %s beyond the limit is killed, whatever it says afterwards", async (_, text, excess) => {
  const { answer, killed, ...seen } = await asked(text, "\n", reply("late"));
  expect(seen.excess).toStartWith(excess);
  expect({ killed, gone: answer instanceof Gone }).toEqual({ killed: true, gone: true });
});

test("a message at the limits is read", async () => {
  const fields = 4;
  const result = JSON.parse(list(MESSAGE_VALUES - fields));
  expect((await asked(reply(result))).answer).toEqual(result);
});

test("a line that has no end is not waited for", async () => {
  let printed = 0;
  const { program, kills } = programOf(async function* () {
    for (; kills() === 0; printed += 1_000_000) yield new Uint8Array(1_000_000);
  });
  const peer = new JsonRpcPeer(program, systemClock, () => undefined);
  expect(await peer.request("x", {}, PATIENCE).catch((error: unknown) => error)).toBeInstanceOf(Gone);
  expect(printed).toBe(11_000_000);
});

test("a program that leaves its input unread is ended before that fills the memory", async () => {
  const { program, stdin, kills } = programOf(async function* () {}, true);
  const peer = new JsonRpcPeer(program, systemClock, () => undefined);
  const text = "y".repeat(LINE_BYTES);
  for (let sent = 0; sent < 2; sent += 1) peer.notify("x", { text });
  expect(kills()).toBe(0);
  const before = stdin.writableLength;
  peer.notify("x", { text });
  expect(kills()).toBe(1);
  expect(stdin.writableLength).toBe(before);
  expect(peer.excess).toBe(`it left ${before} bytes of its input unread, at most ${2 * LINE_BYTES}`);
});

test("a pause of our own is not the server's time", async () => {
  const { program } = programOf(async function* () {
    await new Promise(() => undefined);
    yield bytesOf("");
  });
  const paused = { ...systemClock, watch: () => ({ ms: 3_600_000, [Symbol.dispose]: () => undefined }) };
  const peer = new JsonRpcPeer(program, paused, () => undefined);
  const request = peer.request("x", {}, { timeout_ms: 1, signal: AbortSignal.timeout(50) });
  expect(await request.catch((error: unknown) => error)).not.toBeInstanceOf(TimedOut);
});
