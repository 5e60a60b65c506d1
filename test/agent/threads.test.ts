import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { AgentLog } from "../../src/arms/agent/log/agent-log.ts";
import { MAX_THREADS, Threads } from "../../src/arms/agent/log/threads.ts";
import { DecisionLog } from "../../src/arms/arm/decision-log.ts";
import { Meter } from "../../src/arms/arm/meter.ts";
import { Stopwatch } from "../../src/arms/arm/stopwatch.ts";
import { commandRecipe } from "../../src/arms/recipe/recipes.ts";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import type { WireReply, WireRequest } from "../../src/arms/wire/wire.ts";
import { openPristine } from "../../src/arms/workspace/pristine.ts";
import type { Decision } from "../../src/domain/decision.ts";
import type { Budget } from "../../src/domain/policies.ts";
import { UNKNOWN_USAGE } from "../../src/domain/usage.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { anArm, aScenario } from "../outcomes.ts";

const request = (said: readonly string[], changes: Partial<WireRequest> = {}): WireRequest => ({
  wire: "anthropic",
  model: "m",
  stream: true,
  offers_tools: true,
  system: "You are an agent.",
  message_digests: said,
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
  const thread = threads.asked(asked);
  threads.answered(thread, said);
  return thread.number;
}

test("a conversation that grows is one thread, and the main one offers tools", () => {
  const threads = new Threads(true);
  expect(turn(threads, request(["title?"], { offers_tools: false }))).toBe(2);
  expect(turn(threads, request(["fix it"]), reply(["c1"]))).toBe(1);
  expect(turn(threads, request(["fix it", "called", "result"], results("c1")))).toBe(1);
  expect(turn(threads, request(["another title?"], { offers_tools: false }))).toBe(3);
});

test("two helpers that begin with the same words are told apart by the calls they made", () => {
  const threads = new Threads(true);
  turn(threads, request(["fix it"]), reply(["m1", "m2"]));
  const [first, second] = [threads.asked(request(["look"])), threads.asked(request(["look"]))];
  threads.answered(first, reply(["a1"]));
  threads.answered(second, reply(["b1"]));
  expect([first.number, second.number]).toEqual([2, 3]);
  expect(turn(threads, request(["look", "x", "y"], results("b1")))).toBe(3);
  expect(turn(threads, request(["look", "x", "y"], results("a1")))).toBe(2);
  expect(turn(threads, request(["fix it", "called", "r"], results("m1", "m2")))).toBe(1);
});

test("a request that had no whole answer is sent again in its thread", () => {
  const threads = new Threads(true);
  turn(threads, request(["fix it"]), reply(["m1"]));
  expect(turn(threads, request(["look"]), null)).toBe(2);
  expect(turn(threads, request(["look"]), reply([], "cut"))).toBe(2);
  expect(turn(threads, request(["look"]))).toBe(2);
  expect(turn(threads, request(["look"]))).toBe(3);
});

test("a conversation that was shortened goes on with the main one, which waits for nothing", () => {
  const threads = new Threads(true);
  turn(threads, request(["fix it"]), reply(["m1"]));
  expect(turn(threads, request(["look"]))).toBe(2);
  turn(threads, request(["fix it", "called", "result"], results("m1")));
  expect(turn(threads, request(["in short: fix it"]))).toBe(1);
  expect(turn(threads, request(["in short: fix it", "more"]))).toBe(1);
  expect(turn(threads, request(["else"], { system: "You are a helper." }))).toBe(3);
});

const title = (threads: Threads, text: string) => turn(threads, request([text], { offers_tools: false }));

test("of very many conversations the one that was silent longest is forgotten, and never the main one", () => {
  const threads = new Threads(true);
  turn(threads, request(["fix it"]), reply(["m1"]));
  turn(threads, request(["look"]), reply(["a1"]));
  turn(threads, request(["search"]), reply(["b1"]));
  for (let n = 4; n <= MAX_THREADS; n += 1) title(threads, `title ${n}?`);
  expect(turn(threads, request(["look", "called", "r"], results("a1")))).toBe(2);
  expect(threads.forgotten).toBe(0);
  expect(title(threads, "one more?")).toBe(MAX_THREADS + 1);
  expect(threads.forgotten).toBe(1);
  expect(turn(threads, request(["search", "called", "r"], results("b1")))).toBe(MAX_THREADS + 2);
  expect(turn(threads, request(["look", "called", "r", "more"]))).toBe(2);
  expect(turn(threads, request(["fix it", "called", "r"], results("m1")))).toBe(1);
});

test("memory does not grow with requests, nor with what they say", () => {
  const threads = new Threads(true);
  const heap = () => {
    Bun.gc(true);
    return heapStats().heapSize + heapStats().extraMemorySize;
  };
  const long = (n: number) => Buffer.alloc(20_000, `${n} `).toString("latin1");
  const before = heap();
  for (let n = 0; n < 2_500; n += 1)
    turn(threads, request([`${n}`, `${n}?`], { system: long(n), offers_tools: false }), reply([`call-${n}`]));
  expect((heap() - before) / 1e6).toBeLessThan(20);
  expect(threads.forgotten).toBe(2_500 - MAX_THREADS);
});

/** The log of an agent that may use so much. */
async function anAgentLog(budget: Partial<Budget> = {}) {
  await using stack = new AsyncDisposableStack();
  const sandbox = openSandbox("none");
  const pristine = stack.use(openPristine({ source: { dir: null, files: {} }, sandbox, keep: false }));
  const workspace = stack.use(pristine.open());
  const said: Decision[] = [];
  const { policies } = aScenario();
  const emit = (decision: Decision) => void said.push(decision);
  const run = { arm: anArm("arm"), prompt: "Fix it.", policies, workspace, clock: systemClock, redact: String, emit };
  const stopwatch = stack.use(new Stopwatch(systemClock, 600_000));
  const log = new AgentLog({
    ...{
      run,
      agent: { tools: {}, side_model: "same" },
      upstream: { model: "m" },
      prices: { nameOf: String, of: () => null, free: false },
      recipe: commandRecipe({ command: [], wires: [] }),
      stop: () => undefined,
    },
    meter: new Meter({ ...policies.budget, max_seconds: 600, ...budget }, null, stopwatch),
    log: new DecisionLog(systemClock, emit),
    signal: stopwatch.signal,
  });
  const kept = stack.move();
  return { log, said, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const { signal } = new AbortController();

test("an agent's log says once that conversations are forgotten", async () => {
  await using agent = await anAgentLog({ max_turns: 2 * MAX_THREADS });
  const aside = (n: number) => request([`title ${n}?`], { offers_tools: false });
  for (let n = 0; n < MAX_THREADS + 3; n += 1) await agent.log.asked(aside(n), 0, signal);
  expect(agent.said).toMatchObject([
    { kind: "error", detail: { class: "agent", code: "threads_forgotten", message: expect.stringContaining("1000") } },
  ]);
});

test("a request beside others waits where the budget may not last for all, and goes out when it may", async () => {
  await using agent = await anAgentLog({ max_turns: 2, max_tokens: 1_000 });
  const { log } = agent;
  const first = await log.asked(request(["one"]), 100, signal);
  const large = log.asked(request(["two"]), 4_000, signal);
  const hung_up = new AbortController();
  const other = log.asked(request(["three"]), 4_000, hung_up.signal);
  hung_up.abort();
  expect(await other).toBeNull();
  expect(await Promise.race([large, "waits"])).toBe("waits");
  if (first) log.replied(first, { ...reply(), tokens_in: 1, tokens_out: 1 }, 0);
  expect(await large).toMatchObject({ sent_bytes: 4_000 });
});
