import { expect, test } from "bun:test";
import { effectiveBudget } from "../../src/arms/arm/budget.ts";
import { bytesOf } from "../../src/arms/arm/conversation.ts";
import { Meter, type Turn } from "../../src/arms/arm/meter.ts";
import { Stopwatch } from "../../src/arms/arm/stopwatch.ts";
import type { Usage } from "../../src/domain/usage.ts";
import { aScenario } from "../outcomes.ts";

const BUDGET = aScenario().policies.budget;
const PRICE = { in: 3, out: 15, cached_in: 0.3 };
const turn = (usage: Partial<Usage> = {}, changes: Partial<Turn> = {}): Turn => ({
  usage: { tokens_in: 1000, tokens_out: 100, cached_tokens: 400, ...usage },
  sent_bytes: 3200,
  said_bytes: 0,
  ...changes,
});

function metered(budget: Partial<typeof BUDGET> = {}, price: typeof PRICE | null = PRICE) {
  const ticks = { now: 0 };
  const clock = { now: () => new Date(0), ticks: () => ticks.now };
  const stopwatch = new Stopwatch(clock, (budget.max_seconds ?? BUDGET.max_seconds) * 1000);
  const meter = new Meter({ ...BUDGET, ...budget }, price, stopwatch);
  return { meter, stopwatch, ticks, [Symbol.dispose]: () => stopwatch[Symbol.dispose]() };
}

test("tokens add up and cost follows the scenario's prices, cached input at its own", () => {
  using run = metered();
  run.meter.countTurn(turn());
  run.meter.countTurn(turn());
  expect({ turns: run.meter.turns, ...run.meter.tokens }).toEqual({
    turns: 2,
    tokens_in: 2000,
    tokens_out: 200,
    cached_tokens: 800,
  });
  expect(run.meter.cost_usd).toBeCloseTo((2 * (600 * 3 + 400 * 0.3 + 100 * 15)) / 1_000_000, 12);
});

test("a reply without usage makes the sums unknown, and the budget counts an estimate", () => {
  using run = metered({ max_tokens: 1000 });
  run.meter.countTurn(turn({ tokens_in: null, tokens_out: null }));
  run.meter.countTurn(turn());
  expect([run.meter.tokens.tokens_in, run.meter.tokens.tokens_out, run.meter.cost_usd]).toEqual([null, null, null]);
  expect(run.meter.exhausted()?.budget).toBe("tokens");
  expect(run.meter.used().budget.find((use) => use.budget === "tokens")).toEqual({
    budget: "tokens",
    used: null,
    limit: 1000,
  });
});

test("a side call is paid for and counts as no turn", () => {
  using run = metered();
  run.meter.countTurn(turn({}, { side: true }));
  expect([run.meter.turns, run.meter.tokens.tokens_in]).toEqual([0, 1000]);
  expect(run.meter.cost_usd).toBeGreaterThan(0);
});

test("the next turn may write what is left after what was sent before is sent again", () => {
  using run = metered({ max_cost_usd: 0.01 });
  const messages = [{ role: "user", text: "Say hello." }] as const;
  run.meter.countTurn(turn({}, { sent_bytes: bytesOf(messages) }));
  const [input, output] = [600 * 3 + 400 * 0.3, 100 * 15];
  const request = { system: "", tools: [], messages, params: { max_output_tokens: 1000 }, timeout_ms: 1000 };
  expect(run.meter.affordable(request)).toBe(Math.floor((10_000 - input - output - input) / 15));
});

test("without prices the cost is unknown and a cap on it is not enforced", () => {
  using run = metered({ max_cost_usd: 0.000001 }, null);
  run.meter.countTurn(turn());
  expect(run.meter.cost_usd).toBeNull();
  expect(run.meter.exhausted()).toBeUndefined();
});

test.each([
  ["turns", { max_turns: 1 }],
  ["tokens", { max_tokens: 1100 }],
  ["cost_usd", { max_cost_usd: 0.001 }],
] as const)("%s: a budget is used up when what was used reaches its limit", (budget, limits) => {
  using run = metered(limits);
  expect(run.meter.exhausted()).toBeUndefined();
  run.meter.countTurn(turn());
  expect(run.meter.exhausted()?.budget).toBe(budget);
});

test("a budget that runs low is named once, at four fifths", () => {
  using run = metered({ max_tool_calls: 10 });
  run.meter.tool_calls = 7;
  expect(run.meter.runningLow()).toEqual([]);
  run.meter.tool_calls = 8;
  expect(run.meter.runningLow()).toEqual([{ budget: "tool_calls", used: 8, limit: 10 }]);
  run.meter.tool_calls = 9;
  expect(run.meter.runningLow()).toEqual([]);
});

test("time that a provider took for failed tries is not working time", () => {
  using run = metered({ max_seconds: 10 });
  run.ticks.now = 4_000;
  run.stopwatch.pause();
  run.ticks.now = 9_000;
  run.stopwatch.resume(6_000);
  const { wall_ms, throttled_ms, working_ms, remaining_ms } = run.stopwatch;
  expect({ wall_ms, throttled_ms, working_ms, remaining_ms }).toEqual({
    wall_ms: 9_000,
    throttled_ms: 6_000,
    working_ms: 3_000,
    remaining_ms: 7_000,
  });
});

test("an arm's own limits tighten the budget and never widen it", () => {
  const budget = { ...BUDGET, max_turns: 10, max_cost_usd: 1 };
  expect(effectiveBudget(budget, { max_turns: 5, max_tokens: 9_999_999, max_cost_usd: 2 })).toEqual({
    ...budget,
    max_turns: 5,
  });
});
