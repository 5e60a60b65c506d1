import { expect, test } from "bun:test";
import {
  firstTurnTokens,
  likelyCostOfRun,
  totalOf,
  worstCaseOfArm,
  worstCaseOfRun,
} from "../../src/comparison/planning/worst-case-cost.ts";
import type { Arm } from "../../src/domain/arm.ts";
import type { Scenario } from "../../src/domain/scenario.ts";
import { TOOL_NAMES } from "../../src/domain/tool.ts";
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

const AT_3_AND_15 = { in: 3, out: 15, cached_in: null };

test.each([
  ["without tools takes one turn for each answer", { tools: [] as [] }, 2.59, 0.02],
  ["without tools shows a judge short answers", { tools: [] as [], params: { max_output_tokens: 500 } }, 1.58, 0.02],
  ["with tools may use up its budgets", {}, 16.21, 0.11],
] as const)("an arm %s, which is what the README says a run costs", (_what, changes, bound, likely) => {
  const scenario = aScenario();
  const arm = (index: 0 | 1): Arm => ({
    ...{ ...scenario.arms[index], price_per_mtok: AT_3_AND_15, system_prompt: "One." },
    ...{ tools: TOOL_NAMES, ...changes },
  });
  const rubric = {
    ...scenario.rubric,
    criteria: [{ id: "kind", kind: "judged" as const, question: "Was it kind?", weight: 1, anchors: {} }],
    judge: { ...scenario.rubric.judge, max_evidence_tokens: 12_000 },
  };
  const both: Scenario = { ...scenario, arms: [arm(0), arm(1)], rubric };
  expect(totalOf(worstCaseOfRun(both, AT_3_AND_15))?.toFixed(2)).toBe(bound.toFixed(2));
  expect(totalOf(likelyCostOfRun(both, AT_3_AND_15))?.toFixed(2)).toBe(likely.toFixed(2));
});
