import { expect, test } from "bun:test";
import type { ModelClient } from "../../src/arms/model/client.ts";
import { scriptedModel } from "../../src/arms/model/scripted.ts";
import { prepareSession, type RunOptions } from "../../src/comparison/planning/prepare-session.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import type { Arm } from "../../src/domain/arm.ts";
import type { Failure } from "../../src/domain/failure.ts";
import type { PriceList } from "../../src/domain/price-list.ts";
import { light, runOnce, testServices } from "../harness.ts";
import { called, scoringJudge, wellFormed } from "../judge/mock-judge.ts";
import { anArm, aScenario } from "../outcomes.ts";

const ARM = { in: 0, out: 1000, cached_in: null };
const JUDGE = { in: 0, out: 1000, cached_in: null };
const PRICES: PriceList = new Map([
  ["openai/arm", ARM],
  ["openai/judge", JUDGE],
]);

/** An arm that never ends of itself: 100 tokens out, 0.1 USD, a turn. */
const restless: ModelClient = {
  ref: "openai/arm",
  complete: async ({ params }) => ({
    text: "on and on",
    calls: [{ id: "c", name: "list_files", input: {} }],
    stop: "calls",
    stop_reason: "calls",
    tokens_in: 0,
    tokens_out: Math.min(100, params.max_output_tokens),
    cached_tokens: 0,
    model_served: null,
  }),
};

async function judgedScenario(): Promise<LoadedScenario> {
  const loaded = await light("pager-last-page");
  const arm = (id: string): Arm => anArm(id, { model: "openai/arm", script: null, tools: ["list_files"] });
  const rubric = {
    ...loaded.definition.rubric,
    criteria: [{ id: "tidy", kind: "judged" as const, question: "Is it tidy?", weight: 1, anchors: {} }],
    judge: { model: "openai/judge", probe_visibility: "shown" as const, max_evidence_tokens: 1_000 },
  };
  return { ...loaded, definition: aScenario({ arms: [arm("left"), arm("right")], rubric }) };
}

const servicesWith = (judge: ModelClient, prices: PriceList = PRICES) =>
  testServices({}, { prices, resolveModel: (ref) => (ref === "openai/judge" ? judge : restless) });

const evenJudge = () => scoringJudge((_slot, ids) => Object.fromEntries(ids.map((id) => [id, 2])));

test("under a limit for the whole run each arm gets half of what is left beside the judge, and the judge is asked", async () => {
  const judge = evenJudge();
  // Two questions of at most 8,192 tokens: 16.384 USD are kept, and 1.05 USD is left for each arm.
  const { outcome } = await runOnce(servicesWith(judge), await judgedScenario(), { max_cost_usd: 18.484 });
  // After eight turns of 0.1 USD what is left pays for less than a turn worth having.
  expect(outcome.arms.map(({ stop_reason, turns }) => [stop_reason, turns])).toEqual([
    ["budget:cost_usd", 8],
    ["budget:cost_usd", 8],
  ]);
  expect(judge.requests).toHaveLength(2);
  expect(outcome.verdict?.usage.cost_usd).toBeCloseTo(0.2, 9);
  expect(outcome.totals.cost_usd).toBeCloseTo(1.8, 9);
  expect(outcome.settings).toMatchObject({
    max_cost_usd: 18.484,
    prices: { arms: { left: ARM, right: ARM }, judge: JUDGE },
  });
  expect(outcome.verdict?.flags).not.toContain("cost_limit_reached");
});

test("near its limit a turn is told to write less, so that the limit holds", async () => {
  const asked: number[] = [];
  const greedy: ModelClient = {
    ...restless,
    complete: async (request, options) => {
      asked.push(request.params.max_output_tokens);
      return { ...(await restless.complete(request, options)), tokens_out: request.params.max_output_tokens };
    },
  };
  const services = { ...servicesWith(evenJudge()), resolveModel: () => greedy };
  const { outcome } = await runOnce(services, await judgedScenario(), {
    max_cost_usd: 20,
    judge_model: "builtin/evidence",
  });
  expect(asked.toSorted()).toEqual([1_808, 1_808, 8_192, 8_192]);
  for (const { cost_usd } of outcome.arms) expect(cost_usd).toBeLessThanOrEqual(10);
});

test("arms that took what was kept for the judge leave a verdict all the same, which says why nobody was asked", async () => {
  const judge = evenJudge();
  // A provider that does not keep to what it was told.
  const dear: ModelClient = {
    ...restless,
    complete: async (request, options) => ({ ...(await restless.complete(request, options)), tokens_out: 9_000 }),
  };
  const services = { ...servicesWith(judge), resolveModel: (ref: string) => (ref === "openai/judge" ? judge : dear) };
  const { outcome } = await runOnce(services, await judgedScenario(), { max_cost_usd: 18.484 });
  expect(judge.requests).toHaveLength(0);
  expect(outcome).toMatchObject({
    state: "completed",
    failure: null,
    verdict: { outcome: "inconclusive", calls: [], usage: { cost_usd: 0 } },
  });
  expect(outcome.verdict?.flags).toContain("cost_limit_reached");
  expect(outcome.verdict?.statement).toContain("the cost limit left nothing for the judge");
});

test("a judge is not asked again when that could cost more than is left", async () => {
  // The first answers are unusable, and cost 8 USD each: nothing is left of what was kept.
  const judge = scoringJudge(() => ({}));
  const silent: ModelClient = {
    ...judge,
    complete: async (request) => ({
      ...called({ ...wellFormed(request, () => ({})), preference: "nobody" }),
      tokens_out: 8_000,
      tokens_in: 0,
    }),
  };
  const { outcome } = await runOnce(servicesWith(silent), await judgedScenario(), { max_cost_usd: 18.484 });
  expect(outcome.verdict).toMatchObject({ outcome: "invalid" });
  expect(outcome.verdict?.calls.map(({ attempts }) => attempts)).toEqual([1, 1]);
  expect(outcome.verdict?.calls[0]?.error).toContain("the cost limit left no room to ask again");
});

async function refusal(
  options: RunOptions,
  prices: PriceList,
  changes: Partial<Parameters<typeof testServices>[1]> = {},
) {
  const services = { ...servicesWith(evenJudge(), prices), ...changes };
  try {
    await prepareSession(services, await judgedScenario(), options);
  } catch (error) {
    const { code, message } = error as Failure;
    return `${code}: ${message}`;
  }
  return "not refused";
}

const WHERE = "give price_per_mtok in the scenario, or the model in the file of --prices";

test("a limit that cannot be counted against refuses the run and names the model", async () => {
  const noJudge = new Map([["openai/arm", ARM]]);
  expect(await refusal({ max_cost_usd: 50 }, new Map())).toBe(
    `invalid_request: arm "left": openai/arm has no price, and --max-cost needs one; ${WHERE}`,
  );
  expect(await refusal({ max_cost_usd: 50 }, noJudge)).toBe(
    `invalid_request: the judge: openai/judge has no price, and --max-cost needs one; ${WHERE}`,
  );
  expect(await refusal({}, noJudge, { max_cost_per_day_usd: 50 })).toBe(
    `invalid_request: the judge: openai/judge has no price, and --max-cost-per-day needs one; ${WHERE}`,
  );
  expect(await refusal({ max_cost_usd: 50, judge_model: "builtin/evidence" }, noJudge)).toBe("not refused");
  expect(await refusal({}, new Map())).toBe("not refused");
});

test("a limit below what asking the judge may cost is refused", async () => {
  expect(await refusal({ max_cost_usd: 16 }, PRICES)).toStartWith(
    "invalid_request: --max-cost 16 leaves nothing for the arms: 16.384 USD are reserved for two judge calls, each of up to ",
  );
});

test("a limit whose share does not pay for an arm's first turn is refused, and the sum that it names is enough", async () => {
  const refused = await refusal({ max_cost_usd: 16.8 }, PRICES);
  // The least turn of 256 tokens takes 0.256 USD from each arm, and half of 0.416 USD is less.
  expect(refused).toContain("--max-cost 16.8 leaves each arm 0.208 USD: ");
  expect(refused).toContain('the first turn of arm "left" takes at least 0.256 USD; give --max-cost 16.896 or more');
  const { outcome } = await runOnce(servicesWith(evenJudge()), await judgedScenario(), { max_cost_usd: 16.896 });
  expect(outcome.arms.map(({ stop_reason, turns }) => [stop_reason, turns])).toEqual([
    ["budget:cost_usd", 1],
    ["budget:cost_usd", 1],
  ]);
});

test("a scenario's own limit that does not pay for an arm's first turn is refused, at exactly its price it is not", async () => {
  const loaded = await judgedScenario();
  const capped = (max_cost_usd: number) => {
    const [left, right] = loaded.definition.arms;
    const arms: [Arm, Arm] = [left, { ...right, limits: { max_cost_usd } }];
    return prepareSession(servicesWith(evenJudge()), { ...loaded, definition: { ...loaded.definition, arms } }, {});
  };
  expect(capped(0.25)).rejects.toThrow(
    'arm "right": max_cost_usd (0.25) does not pay for its first turn, which takes at least 0.256 USD; raise max_cost_usd',
  );
  expect((await capped(0.256)).scenario.arms[1].limits).toEqual({ max_cost_usd: 0.256 });
});

test("a win over an arm that a cost limit ended says so and is never high", async () => {
  const checked = await light("pager-last-page");
  const [first, second] = checked.definition.arms;
  const dear = { ...first, model: "openai/arm", script: null, limits: { max_cost_usd: 0.5 } };
  const definition = { ...checked.definition, arms: [dear, second] satisfies [Arm, Arm] };
  const services = testServices(
    {},
    { prices: PRICES, resolveModel: (ref, script) => (script ? scriptedModel(ref, script) : restless) },
  );
  const { outcome } = await runOnce(services, { ...checked, definition }, { judge_model: "builtin/evidence" });
  expect(outcome.verdict).toMatchObject({
    outcome: "winner",
    winner: second.id,
    decided_by: "probe",
    confidence: "medium",
  });
  expect(outcome.verdict?.flags).toContain("arm_cost_limited");
  expect(outcome.verdict?.statement).toContain(`a cost limit ended ${first.id} after 3 turns; one run per arm`);
});

test("a scenario's own limit survives another model only with a price for it", async () => {
  const loaded = await judgedScenario();
  const { definition } = loaded;
  const budget = { ...definition.policies.budget, max_cost_usd: 1 };
  const capped = { ...loaded, definition: { ...definition, policies: { ...definition.policies, budget } } };
  const prepared = (model_override: string) => prepareSession(servicesWith(evenJudge()), capped, { model_override });
  expect(prepared("openai/unheard")).rejects.toThrow(
    'arm "left": openai/unheard has no price, and max_cost_usd (1) needs one',
  );
  expect((await prepared("openai/arm")).scenario.arms[0].price_per_mtok).toEqual(ARM);
});
