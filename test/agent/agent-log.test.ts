import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import type { WireCall, WireRequest } from "../../src/arms/wire/wire.ts";
import { logOf, REPLY } from "./log-of.ts";

const INPUT_CHARS = 2_000_000;

const writing = (at: number): WireCall => ({
  ...{ id: `c${at}`, name: "write_file" },
  input: { path: `${at}.txt`, content: Buffer.alloc(INPUT_CHARS, `${at} `).toString() },
});

const running = (at: number): WireCall => ({
  ...{ id: `c${at}`, name: "run_command" },
  input: { command: Buffer.alloc(INPUT_CHARS, `${at} `).toString() },
});

const heap = () => {
  Bun.gc(true);
  return heapStats().heapSize;
};

test.each([
  ["write", writing],
  ["run", running],
])("of calls that wait for their results only what decisions tell is kept: %s", async (_, callOf) => {
  using logging = await logOf();
  const before = heap();
  for (let at = 0; at < 40; at += 1) expect(logging.log.calls.decide(logging.turn, callOf(at))).toBeNull();
  expect(heap() - before).toBeLessThan(10 * INPUT_CHARS);
  logging.log.calls.settle();
  expect(logging.decisions).toHaveLength(40);
  expect(logging.decisions[7]).toMatchObject({
    kind: "tool_call",
    summary: expect.stringMatching(/^(?:write_file 7\.txt|run_command 7 7 7 .*) → no result was seen$/),
    detail: { input: expect.stringContaining("characters left out"), own_tool: callOf(0).name },
  });
});

test("of a command that is too long to be read, no more is kept than shows that", async () => {
  using logging = await logOf();
  logging.log.calls.decide(logging.turn, running(1));
  expect(logging.log.calls.made[0]?.subject).toHaveLength(16_385);
});

test("of an agent's calls those that failed, or of which no result was seen, came to nothing", async () => {
  using logging = await logOf();
  const { calls } = logging.log;
  const named = (id: string, name: string, input: object): WireCall => ({ id, name, input });
  for (const call of [
    named("missing", "read_file", { path: "a" }),
    named("there", "read_file", { path: "b" }),
    named("unseen", "read_file", { path: "c" }),
  ])
    calls.decide(logging.turn, call);
  const result = (call_id: string, is_error: boolean) => ({ call_id, name: "read_file", nth: 0, text: "x", is_error });
  calls.answered({ results: [result("missing", true), result("there", false)] } as unknown as WireRequest, {
    number: 1,
  });
  calls.settle();
  expect(calls.made.map(({ failed }) => failed)).toEqual([true, false, true]);
});

test("secrets are looked for once in what a call is given", async () => {
  let chars = 0;
  const redact = (text: string) => {
    chars += text.length;
    return text;
  };
  using logging = await logOf({ redact });
  const calls = [writing(1), writing(2)];
  for (const call of calls) logging.log.calls.decide(logging.turn, call);
  logging.log.replied(logging.turn, { ...REPLY, calls }, 1);
  expect(logging.decisions[0]).toMatchObject({ detail: { tools: ["write_file", "write_file"] } });
  expect(chars).toBeGreaterThan(2 * INPUT_CHARS);
  expect(chars).toBeLessThan(2 * INPUT_CHARS + 1_000);
});
