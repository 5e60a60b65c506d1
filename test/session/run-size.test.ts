import { expect, test } from "bun:test";
import { firstTurnTokens, worstCaseOfArm } from "../../src/comparison/planning/worst-case-cost.ts";
import { PLAIN_AGENT } from "../agent/plain-agent.ts";
import { aScenario } from "../outcomes.ts";

test("an agent brings a prompt of its own along, which costs more than the task", () => {
  const scenario = aScenario();
  const [arm] = scenario.arms;
  const own = firstTurnTokens(scenario, { ...arm, agent: PLAIN_AGENT });
  const claude = firstTurnTokens(scenario, { ...arm, agent: { ...PLAIN_AGENT, use: "claude-code", command: null } });
  expect(claude - own).toBe(12_000);
  expect(own).toBeLessThan(firstTurnTokens(scenario, arm));
});

const PRICE = { in: 3, out: 15, cached_in: 0.3, cache_write: 3.75 };
const BUDGET = { max_tokens: 1_000_000, max_turns: 2 };
const PARAMS = { max_output_tokens: 1_000 };

test.each([
  [
    "a cache of five minutes keeps, and 2,000 tokens that its turns may write",
    undefined,
    (998_000 * 3.75 + 2_000 * 15) / 1e6,
  ],
  ["a cache of an hour keeps or, dearer still, output", PLAIN_AGENT, 15],
])("at worst all tokens of an arm are what %s", (_, agent, usd) => {
  const scenario = aScenario();
  const arm = { ...scenario.arms[0], price_per_mtok: PRICE, limits: BUDGET, params: PARAMS, ...(agent && { agent }) };
  expect(worstCaseOfArm(scenario, arm)).toBeCloseTo(usd, 9);
});

test("where output is cheap, what a cache keeps for an hour costs an agent of somebody else most", () => {
  const scenario = aScenario();
  const price_per_mtok = { ...PRICE, out: 1 };
  const arm = { ...scenario.arms[0], price_per_mtok, limits: BUDGET, params: PARAMS, agent: PLAIN_AGENT };
  expect(worstCaseOfArm(scenario, arm)).toBeCloseTo(6, 9);
  const listed = { ...price_per_mtok, cache_write_1h: 9 };
  expect(worstCaseOfArm(scenario, { ...arm, price_per_mtok: listed })).toBeCloseTo(9, 9);
});
