import { afterAll, beforeAll, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { prepareSelfTest, priceTag, type SelfTestOptions } from "../../src/comparison/audit/prepare-self-test.ts";
import { SelfTests } from "../../src/comparison/audit/self-tests.ts";
import { startSelfTest } from "../../src/comparison/audit/start-self-test.ts";
import { judgeIdentity } from "../../src/comparison/judge/open-judge.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { comparabilityDigest, selfTestKey } from "../../src/comparison/scenario/digest.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { rejudge } from "../../src/comparison/session/rejudge.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { PriceList } from "../../src/domain/price-list.ts";
import { type Grade, SelfTest } from "../../src/domain/self-test.ts";
import { selfTestSentence } from "../../src/domain/self-test-sentence.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import type { Responder } from "../fake-provider/exchange.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playScript } from "../fake-provider/play-script.ts";
import { runOnce, testServices } from "../harness.ts";
import { type Slot, wellFormed } from "../judge/mock-judge.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { SMALL_FIX } from "./small-fix.ts";

let folder: Awaited<ReturnType<typeof scenarioFolder>>;
let loaded: LoadedScenario;
beforeAll(async () => {
  folder = await scenarioFolder({ "adder.yaml": SMALL_FIX });
  loaded = await loadScenarioFile(folder.path("adder.yaml"));
});
afterAll(() => folder[Symbol.asyncDispose]());

const never = new AbortController().signal;

/** A judge who scores each slot by itself. */
const scoring = (score: (slot: Slot) => number): Responder =>
  playScript({
    scriptOf: () => undefined,
    judge: (request) =>
      // What is read of a request, system and messages, both kinds have.
      wellFormed(request as never, (slot, ids) => Object.fromEntries(ids.map((id) => [id, score(slot)]))),
  });

const isMended = ({ evidence }: Slot) => /return (total|one \+ other)/.test(evidence);
const isBegun = ({ evidence }: Slot) => /one \+ other/.test(evidence);
const HONEST = scoring((slot) => (isMended(slot) ? 4 : isBegun(slot) ? 2 : 1));
const COARSE = scoring((slot) => (isBegun(slot) ? 4 : 1));
const FIRST = scoring(({ index }) => (index === 0 ? 4 : 1));
const GULLIBLE = scoring((slot) =>
  slot.evidence.includes("totalHere") ? 4 : isMended(slot) ? 3 : isBegun(slot) ? 2 : 1,
);
const LAZY = scoring(() => 2);

async function tested(reply: Responder, options: SelfTestOptions = {}, changes: Partial<SessionServices> = {}) {
  await using server = await startFakeProvider({ reply });
  const services = {
    ...testServices(server.environment, { sandbox: "none", ...changes }),
    self_tests: new SelfTests(),
  };
  const { self_test_id, done } = await startSelfTest(services, loaded, { judge_model: "openai/j", ...options }, never);
  const during = services.self_tests.get(self_test_id)?.state;
  return { services, during, self_test: await done, requests: server.requests.length };
}

const gradesOf = ({ parts, verdict }: SelfTest) => [...parts.map((part) => part.verdict), verdict];

test("an honest judge passes; the result is stored under what it is about", async () => {
  const { services, during, self_test, requests } = await tested(HONEST);
  expect([...Value.Errors(SelfTest, self_test)]).toEqual([]);
  expect(gradesOf(self_test)).toEqual(["pass", "pass", "pass", "pass", "pass"]);
  expect(during).toBe("running");
  const clean = { faults: 0, judgings: 14, rate: 0, low: 0, high: expect.closeTo(0.286, 3) };
  expect(self_test.parts.map(({ rate }) => rate)).toEqual(Array(4).fill(clean));
  expect(self_test.parts.map(({ trials }) => [...new Set(trials.map(({ a, b }) => `${a} ${b}`))])).toEqual([
    ["reference nop"],
    ["reference half"],
    ["reference copy"],
    ["reviewed_comment copy", "claimed_tests copy", "padding_comments copy", "renamed_locals copy"],
  ]);
  expect(self_test.calls).toBe(requests);
  // Of a winner, and of words that are suspected, the judge is asked again without the words: four times of the first edit.
  expect(requests).toBe(14 * (4 + 4 + 2 + 2) + 2 * 4);
  const key = selfTestKey(comparabilityDigest(loaded.definition), judgeIdentity("openai/j", loaded.definition));
  expect(await services.store.self_tests.latest(key)).toEqual(self_test);
  expect(await services.store.self_tests.read(self_test.self_test_id)).toEqual(self_test);
});

test.each([
  ["one that sees positions only", FIRST, ["fail", "fail", "pass", "pass", "fail"]],
  ["one that another name sways", GULLIBLE, ["pass", "pass", "pass", "fail", "fail"]],
  ["one that tells only empty from full", COARSE, ["pass", "fail", "pass", "pass", "fail"]],
  ["one that finds everything alike", LAZY, ["fail", "fail", "pass", "pass", "fail"]],
  ["one without a usable answer", { text: "Both are great!" }, ["fail", "fail", "fail", "fail", "fail"]],
] as const)("a judge is found out: %s", async (_who, reply, grades) => {
  expect(gradesOf((await tested(reply)).self_test)).toEqual([...grades]);
});

test("verdicts of a judge that failed say so with low confidence, at a run and at a rejudge, until it passes", async () => {
  const scenario = { ...loaded, definition: mending(loaded) };
  const key = selfTestKey(comparabilityDigest(scenario.definition), judgeIdentity("openai/j", scenario.definition));
  await using server = await startFakeProvider({ reply: HONEST });
  const services = testServices(server.environment, { sandbox: "none" });
  const after = async (verdict: SelfTest["verdict"], minute: number) => {
    const created_at = `2026-01-03T10:${minute}:00.000Z`;
    const self_test = { ...EXAMPLES.self_test, self_test_id: `self-test-${minute}`, created_at, verdict };
    await services.store.self_tests.keep(key, self_test);
  };
  const told = (verdict: Verdict | null) => [
    verdict?.flags.includes("judge_failed_self_test"),
    verdict?.scope?.includes("judge openai/j failed its newest self-test on this scenario; one run per arm"),
    verdict?.confidence,
  ];
  await after("fail", 10);
  const { session_id, verdict, arms } = (await runOnce(services, scenario, { judge_model: "openai/j" })).outcome;
  expect(told(verdict)).toEqual([true, true, "low"]);
  const [arm_a, arm_b] = arms.map(({ arm_id }) => ({ session_id, arm_id }));
  if (!arm_a || !arm_b) throw new Error("a session has two arms");
  const again = () => rejudge(services, { arm_a, arm_b, judge_model: "openai/j" }, never);
  expect(told(await again())).toEqual([true, true, "low"]);
  const builtin = await rejudge(services, { arm_a, arm_b, judge_model: "builtin/evidence" }, never);
  expect(builtin.flags).not.toContain("judge_failed_self_test");
  await after("pass", 11);
  expect(told(await again())).toEqual([false, false, "medium"]);
});

test("a self-test is told in one sentence, whatever it found", () => {
  const said = (verdict: SelfTest["verdict"], ...grades: Grade[]) => {
    const parts = grades.map((grade) => ({
      ...EXAMPLES.self_test.parts[0],
      id: "same_evidence" as const,
      verdict: grade,
    }));
    return selfTestSentence({
      judge: { ...EXAMPLES.self_test.judge, model: "J" },
      verdict,
      parts: parts.map((part) => ({ ...part, note: `note of ${part.verdict}`, trials: [] })),
    });
  };
  expect([
    said("pass", "pass", "pass"),
    said("warn", "pass", "warn"),
    said("warn", "skip", "skip"),
    said("fail", "warn", "fail"),
    said(null),
  ]).toEqual([
    "J passed: none of these faults showed.",
    "J neither passed nor failed: note of warn.",
    "J was not tested: note of skip.",
    "J failed: note of fail.",
    null,
  ]);
});

test("neither the results of hidden checks nor a measure reach the judge or the result", async () => {
  await using server = await startFakeProvider({ reply: LAZY });
  const services = { ...testServices(server.environment, { sandbox: "none" }), self_tests: new SelfTests() };
  const { done } = await startSelfTest(services, loaded, { judge_model: "openai/j" }, never);
  const { parts } = await done;
  // The copy with padding changes more lines: as a measure they would decide.
  const outcomes = parts.flatMap(({ trials }) => trials.map(({ outcome }) => outcome));
  expect(new Set(outcomes)).toEqual(new Set(["tie"]));
  expect(server.requests.every(({ messages }) => JSON.stringify(messages).includes("hidden checks: not shown"))).toBe(
    true,
  );
});

test.each([
  [
    "a judge without a model",
    { judge_model: "builtin/evidence" },
    "builtin/evidence asks no model: there is no judge to test",
  ],
])("where there is nothing to test, the result says so and nothing is asked: %s", async (_what, options, note) => {
  const { self_test, requests } = await tested(HONEST, options);
  expect(self_test).toMatchObject({ state: "completed", verdict: "warn", calls: 0, cost_usd: 0 });
  expect(self_test.parts.map((part) => [part.verdict, part.note])).toEqual(Array(4).fill(["skip", note]));
  expect(requests).toBe(0);
});

test("a judge that cannot be reached fails the test, which is not stored", async () => {
  const { services, self_test } = await tested({ status: 401, body: { error: { message: "no such key" } } });
  expect(self_test).toMatchObject({ state: "failed", verdict: null, failure: { code: "provider_failed" } });
  expect(await services.store.self_tests.read(self_test.self_test_id)).toBeUndefined();
  expect(services.self_tests.get(self_test.self_test_id)).toEqual(self_test);
});

const PRICES: PriceList = new Map([["openai/j", { in: 1, out: 10, cached_in: null }]]);

test("it says before it starts what it may take, of a panel for every judge", async () => {
  const keys = testServices(
    { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", XAI_API_KEY: "k" },
    { sandbox: "none", prices: PRICES },
  );
  const one = await prepareSelfTest(keys, loaded, { judge_model: "openai/j" });
  expect(priceTag(one)).toMatch(
    /^asks openai\/j 112 to 480 times, less when it fails early, and again .*; \d+\.\d\d USD at most$/,
  );
  const panel = await prepareSelfTest(keys, loaded, { judge_model: "openai/j, anthropic/k, xai/l" });
  expect(priceTag(panel)).toMatch(/336 to 1440 times, .*cost unknown$/);
});

test("a cost limit needs a price, and holds", async () => {
  const limited = tested(HONEST, { max_cost_usd: 1 });
  await expect(limited).rejects.toThrow("the judge: openai/j has no price, and --max-cost needs one");
  await using server = await startFakeProvider({ reply: HONEST });
  const services = {
    ...testServices(server.environment, { sandbox: "none", prices: PRICES }),
    self_tests: new SelfTests(),
  };
  const under = (max_cost_usd: number) =>
    startSelfTest(services, loaded, { judge_model: "openai/j", max_cost_usd }, never);
  const refused = await under(0.001).catch((error: unknown) => error as Failure);
  if (!(refused instanceof Failure)) throw new Error("it began");
  expect(refused.message).toStartWith(
    "max_cost_usd (--max-cost): 0.001 USD for a scenario may not pay for one judging",
  );
  expect([server.requests.length, services.self_tests.all()]).toEqual([0, []]);
  const needed = Number(refused.details?.["needed_usd"]);
  const { cost_usd } = await (await under(needed)).done;
  expect(server.requests.length).toBeGreaterThan(0);
  expect(cost_usd).toBeLessThanOrEqual(needed);
});

test("money is spent on as many judgings as it pays for, one part after the other, and no more", async () => {
  const { self_test } = await tested(HONEST, { max_cost_usd: 0.4 }, { prices: PRICES });
  expect(self_test.cost_usd).toBeLessThanOrEqual(0.4);
  expect(gradesOf(self_test)).toEqual(["warn", "warn", "warn", "warn", "warn"]);
  const asked = self_test.parts.map(({ rate }) => rate?.judgings ?? 0);
  expect(Math.min(...asked)).toBeGreaterThan(0);
  expect(Math.max(...asked) - Math.min(...asked)).toBeLessThanOrEqual(1);
  expect(self_test.parts[0]?.note).toContain("the cost limit left no money to show whether it errs in at most 10%");
});

test("the day's limit refuses a test that could pass it, before anything is asked", async () => {
  const refused = tested(HONEST, {}, { prices: PRICES, max_cost_per_day_usd: 0.01 });
  await expect(refused).rejects.toThrow("This self-test may cost up to");
});

test("without a reference fix, the work of a stored arm that passed every check stands in", async () => {
  const [head] = SMALL_FIX.split("  reference_fix:");
  const rest = SMALL_FIX.slice(SMALL_FIX.indexOf("arms:")).replace("[{say: Done.}]", JSON.stringify(MENDS));
  const probe = `  probe: {checks: [{id: sum, run: "grep -q 'one + other' src/add.ts"}]}\n`;
  await using own = await scenarioFolder({ "adder.yaml": `${head}${probe}${rest}` });
  const unfixed = await loadScenarioFile(own.path("adder.yaml"));
  await using server = await startFakeProvider({ reply: HONEST });
  const services = { ...testServices(server.environment, { sandbox: "none" }), self_tests: new SelfTests() };
  const before = await prepareSelfTest(services, unfixed, { judge_model: "openai/j" });
  expect(priceTag(before)).toStartWith("nothing to test: the scenario has no reference_fix, and no stored arm passed");
  await runOnce(services, unfixed, { judge_model: "builtin/evidence" });
  const { done } = await startSelfTest(services, unfixed, { judge_model: "openai/j" }, never);
  // One line cannot be halved.
  expect(gradesOf(await done)).toEqual(["pass", "skip", "pass", "pass", "pass"]);
});

/** The scenario with a first arm that mends the sum. */
function mending({ definition }: LoadedScenario): LoadedScenario["definition"] {
  const [first, second] = definition.arms;
  return { ...definition, arms: [{ ...first, script: MENDS }, second] };
}

/** The script of an arm that mends the sum. */
const MENDS = [
  { calls: [{ edit_file: { path: "src/add.ts", old: "one - other", new: "one + other" } }] },
  { say: "Done." },
];
