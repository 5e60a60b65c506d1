import { expect, test } from "bun:test";
import { Threads } from "../../src/agent/threads.ts";
import { UNKNOWN_USAGE } from "../../src/domain/usage.ts";
import type { WireReply, WireRequest } from "../../src/wire/wire.ts";

const request = (said: readonly string[], changes: Partial<WireRequest> = {}): WireRequest => ({
  wire: "anthropic",
  model: "m",
  stream: true,
  offers_tools: true,
  system: "You are an agent.",
  messages: said.map((text) => ({ role: "user", digest: text, text })),
  results: [],
  ...changes,
});

const results = (...ids: readonly string[]): Pick<WireRequest, "results"> => ({
  results: ids.map((call_id) => ({ call_id, name: "shell", nth: 0, text: "", is_error: false })),
});

const reply = (ids: readonly string[] = [], ended: WireReply["ended"] = "whole"): WireReply => ({
  ...UNKNOWN_USAGE,
  text: "",
  calls: ids.map((id) => ({ id, name: "shell", input: {} })),
  cache_write_tokens: null,
  stop_reason: null,
  model_served: null,
  ended,
  error: null,
  message_digest: "",
});

/** Asks, gets the reply, and gives the number of the thread. */
function turn(threads: Threads, asked: WireRequest, said: WireReply | null = reply()): number {
  const number = threads.asked(asked);
  threads.answered(number, said);
  return number;
}

test("a conversation that grows is one thread, and the main one offers tools", () => {
  const threads = new Threads();
  expect(turn(threads, request(["title?"], { offers_tools: false }))).toBe(2);
  expect(turn(threads, request(["fix it"]), reply(["c1"]))).toBe(1);
  expect(turn(threads, request(["fix it", "called", "result"], results("c1")))).toBe(1);
  expect(turn(threads, request(["another title?"], { offers_tools: false }))).toBe(3);
});

test("two helpers that begin with the same words are told apart by the calls they made", () => {
  const threads = new Threads();
  turn(threads, request(["fix it"]), reply(["m1", "m2"]));
  const [first, second] = [threads.asked(request(["look"])), threads.asked(request(["look"]))];
  threads.answered(first, reply(["a1"]));
  threads.answered(second, reply(["b1"]));
  expect([first, second]).toEqual([2, 3]);
  expect(turn(threads, request(["look", "x", "y"], results("b1")))).toBe(3);
  expect(turn(threads, request(["look", "x", "y"], results("a1")))).toBe(2);
  expect(turn(threads, request(["fix it", "called", "r"], results("m1", "m2")))).toBe(1);
});

test("a request that had no whole answer is sent again in its thread", () => {
  const threads = new Threads();
  turn(threads, request(["fix it"]), reply(["m1"]));
  expect(turn(threads, request(["look"]), null)).toBe(2);
  expect(turn(threads, request(["look"]), reply([], "cut"))).toBe(2);
  expect(turn(threads, request(["look"]))).toBe(2);
  expect(turn(threads, request(["look"]))).toBe(3);
});

test("a conversation that was shortened goes on with the main one, which waits for nothing", () => {
  const threads = new Threads();
  turn(threads, request(["fix it"]), reply(["m1"]));
  expect(turn(threads, request(["look"]))).toBe(2);
  turn(threads, request(["fix it", "called", "result"], results("m1")));
  expect(turn(threads, request(["in short: fix it"]))).toBe(1);
  expect(turn(threads, request(["in short: fix it", "more"]))).toBe(1);
  expect(turn(threads, request(["else"], { system: "You are a helper." }))).toBe(3);
});
