import { expect, test } from "bun:test";
import type { ModelClient } from "../../src/arms/model/client.ts";
import { scriptedModel } from "../../src/arms/model/scripted.ts";
import { prepareSession, type RunOptions } from "../../src/comparison/planning/prepare-session.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import type { Arm } from "../../src/domain/arm.ts";
import { costParts } from "../../src/domain/at-least.ts";
import type { Failure } from "../../src/domain/failure.ts";
import type { PriceList } from "../../src/domain/price-list.ts";
import { trialRowOf } from "../../src/domain/trial.ts";
import { costsOf } from "../../src/statistics/costs.ts";
import { light, runOnce, testServices } from "../harness.ts";
import { scoringJudge } from "../judge/mock-judge.ts";
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

/** An arm that answers in its first turn: 100 tokens out, 0.1 USD. */
const brief: ModelClient = {
  ...restless,
  complete: async (request, options) => ({
    ...(await restless.complete(request, options)),
    ...{ text: "Done.", calls: [], stop: "end", stop_reason: "end" },
  }),
};

const servicesOf = (arm: ModelClient, judge: ModelClient) => ({
  ...servicesWith(judge),
  resolveModel: (ref: string) => (ref === "openai/judge" ? judge : arm),
});

test("calls that do not fit side by side under a limit wait for each other, and the run ends as without one", async () => {
  let [under_way, most] = [0, 0];
  const watched = (model: ModelClient): ModelClient => ({
    ...model,
    complete: async (request, options) => {
      under_way += 1;
      most = Math.max(most, under_way);
      await Promise.resolve();
      const reply = await model.complete(request, options);
      under_way -= 1;
      return reply;
    },
  });
  const judge = evenJudge();
  const limited = () => runOnce(servicesOf(watched(brief), watched(judge)), loaded, { max_cost_usd: 9 });
  const loaded = await judgedScenario();
  // A call of 8,192 tokens can cost 8.192 USD.
  const { outcome } = await limited();
  expect(most).toBe(1);
  expect(outcome).toMatchObject({ state: "completed", verdict: { outcome: "tie" } });
  expect(judge.requests).toHaveLength(2);
  expect(outcome.totals.cost_usd).toBeCloseTo(0.4, 9);
  expect(outcome.settings).toMatchObject({
    max_cost_usd: 9,
    prices: { arms: { left: ARM, right: ARM }, judge: JUDGE },
  });
  const free = await runOnce(servicesOf(brief, evenJudge()), loaded, {});
  expect(outcome.comparison).toBe(free.outcome.comparison);
});

test("a call that does not fit alone ends the run in words, and is no arm's loss", async () => {
  const judge = evenJudge();
  const { outcome } = await runOnce(servicesOf(restless, judge), await judgedScenario(), { max_cost_usd: 9 });
  expect(outcome).toMatchObject({
    state: "failed",
    verdict: null,
    failure: { code: "cost_limit_reached", class: "user" },
  });
  expect(outcome.failure?.message).toStartWith(
    "the cost limit of $9.0000 does not pay for the next call: $0.9000 are spent, and it may cost up to $8.192",
  );
  expect(outcome.arms.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
  expect(outcome.totals.cost_usd).toBeCloseTo(0.9, 9);
  expect(judge.requests).toHaveLength(0);
});

test("a judge whose call does not fit ends the run, too", async () => {
  const judge = evenJudge();
  const dear: ModelClient = {
    ...brief,
    complete: async (request, options) => ({ ...(await brief.complete(request, options)), tokens_out: 800 }),
  };
  const { outcome } = await runOnce(servicesOf(dear, judge), await judgedScenario(), { max_cost_usd: 9 });
  expect(judge.requests).toHaveLength(0);
  expect(outcome).toMatchObject({ state: "failed", failure: { code: "cost_limit_reached" } });
  expect(outcome.arms.map(({ status }) => status)).toEqual(["finished", "finished"]);
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

test("a limit below the likely cost of the run is refused, and the sum that it names is enough", async () => {
  // Five turns of 150 tokens in each arm, and two answers of the judge as long.
  expect(await refusal({ max_cost_usd: 1.7 }, PRICES)).toBe(
    "invalid_request: max_cost_usd (--max-cost): 1.7 is below the likely cost of one run, about 1.8 USD; nothing was spent: give 1.8 or more, or take a cheaper model or judge (--judge-model builtin/evidence asks none)",
  );
  expect(await refusal({ max_cost_usd: 1.8 }, PRICES)).toBe("not refused");
  expect(await refusal({ max_cost_usd: 1.7, judge_model: "builtin/evidence" }, PRICES)).toBe("not refused");
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

test("a cost at a provider's list price says of which day that is, in run, verdict, series and in words", async () => {
  const listed = async () => ({ ...ARM, price_date: "2026-09-23" });
  const services = { ...servicesOf(brief, evenJudge()), prices: new Map(), list_price: listed };
  const { outcome } = await runOnce(services, await judgedScenario(), { max_cost_usd: 20 });
  expect(outcome.arms.map(({ price_date }) => price_date)).toEqual(["2026-09-23", "2026-09-23"]);
  expect(outcome.verdict?.usage).toMatchObject({ price_date: "2026-09-23" });
  expect(costParts(outcome)).toContain("total $0.4000 (list price of 2026-09-23)");
  expect(costsOf([{ ...trialRowOf(outcome) }]).price_date).toBe("2026-09-23");
  const given = await runOnce(servicesOf(brief, evenJudge()), await judgedScenario(), {});
  expect(JSON.stringify(given.outcome)).not.toContain("price_date");
});
