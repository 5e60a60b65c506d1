import { expect, test } from "bun:test";
import { judgeModelRef } from "../../src/arms/model/model-ref.ts";
import { contextFlags } from "../../src/comparison/planning/context-flags.ts";
import { anArm, aScenario } from "../outcomes.ts";

const { policies, task } = aScenario();
const CAPPED = { ...policies, budget: { ...policies.budget, max_cost_usd: 1 } };
const PRICE = { in: 1, out: 2, cached_in: null };

test.each([
  [
    "two arms that differ in nothing",
    anArm("a", { system_prompt: "Same." }),
    anArm("b", { system_prompt: "Same." }),
    policies,
    ["no_contrast"],
  ],
  ["two that differ", anArm("a"), anArm("b"), policies, []],
  ["a cap without prices", anArm("a"), anArm("b"), CAPPED, ["cost_cap_inactive"]],
  [
    "a cap on one arm without prices",
    anArm("a", { limits: { max_cost_usd: 1 } }),
    anArm("b"),
    policies,
    ["cost_cap_inactive"],
  ],
  ["a cap with prices", anArm("a", { price_per_mtok: PRICE }), anArm("b", { price_per_mtok: PRICE }), CAPPED, []],
  [
    "a judge who is kin of one arm",
    anArm("a", { model: "openai/gpt-x" }),
    anArm("b", { model: "groq/llama" }),
    policies,
    ["self_family"],
  ],
  [
    "a judge who is kin of both",
    anArm("a", { model: "openai/gpt-x" }),
    anArm("b", { model: "openai/gpt-y" }),
    policies,
    [],
  ],
] as const)("%s", (_what, first, second, rules, flags) => {
  expect(contextFlags([first, second], { policies: rules, task }, "openrouter/openai/gpt-judge")).toEqual([...flags]);
});

test.each([
  ["a relative of one arm among three", "openai/gpt-j, mistral/large, xai/grok", []],
  ["two relatives of one arm among three", "openai/gpt-j, openai/o9, xai/grok", ["self_family"]],
  ["a relative of each arm", "openai/gpt-j, groq/llama-j, xai/grok", []],
  ["one family that is kin of one arm", "openai/gpt-j, openai/o9, openai/gpt-k", ["self_family", "panel_one_family"]],
  ["one family", "xai/grok-1, xai/grok-2, openrouter/x-ai/grok-3", ["panel_one_family"]],
] as const)("a panel: %s", (_what, judges, flags) => {
  const arms = [anArm("a", { model: "openai/gpt-x" }), anArm("b", { model: "groq/llama" })] as const;
  expect(contextFlags(arms, { policies, task }, judgeModelRef(judges))).toEqual([...flags]);
});
