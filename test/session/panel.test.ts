import { beforeAll, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { basisOf, decide } from "../../src/comparison/judge/decide.ts";
import { judgeIdentity } from "../../src/comparison/judge/open-judge.ts";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { rejudge } from "../../src/comparison/session/rejudge.ts";
import type { Failure } from "../../src/domain/failure.ts";
import type { PriceList } from "../../src/domain/price-list.ts";
import { Verdict } from "../../src/domain/verdict.ts";
import type { Responder } from "../fake-provider/exchange.ts";
import { FAKE_KEY, startFakeProvider } from "../fake-provider/fake-provider.ts";
import { bundled, runOnce, testServices } from "../harness.ts";
import { judgeWith, type Opinion, RATE_LIMIT_OPINIONS } from "../web/fake-judge.ts";

const never = new AbortController().signal;

const [SMALL, LARGE] = RATE_LIMIT_OPINIONS as readonly [Opinion, Opinion];
const swapped = [
  { ...SMALL, scores: LARGE.scores },
  { ...LARGE, scores: SMALL.scores },
];
const even = RATE_LIMIT_OPINIONS.map((opinion) => ({ ...opinion, scores: {} }));

/** Of three judges: for the small change, for the large one, for neither. */
const VOTERS = { small: judgeWith(RATE_LIMIT_OPINIONS), large: judgeWith(swapped), neither: judgeWith(even) };
const NONSENSE: Responder = { text: "Both are great!" };
const REFUSES: Responder = { status: 401, body: { error: { message: "no such key" } } };

const PANEL = "panel(anthropic/claude-j+gateway/house-j+openai/gpt-j)";
const ASKED = "openai/gpt-j, anthropic/claude-j, gateway/house-j";
const PRICES: PriceList = new Map(
  ["openai/gpt-j", "anthropic/claude-j", "gateway/house-j"].map((name, index) => [
    name,
    { in: index + 1, out: 10 * (index + 1), cached_in: null },
  ]),
);

/** Nothing but what judges find decides. */
async function judgedAlone(): Promise<LoadedScenario> {
  const loaded = await bundled("extract-rate-limit");
  const { rubric } = loaded.definition;
  const criteria = rubric.criteria.filter(({ kind }) => kind === "judged");
  return { ...loaded, definition: { ...loaded.definition, rubric: { ...rubric, criteria } } };
}

/** Two arms that ran once, judged again and again. */
let services: SessionServices;
let session_id: string;
beforeAll(async () => {
  services = testServices({}, { prices: PRICES });
  const run = await runOnce(services, await judgedAlone(), { judge_model: "builtin/evidence" });
  session_id = run.outcome.session_id;
});

/** A verdict of three judges, each behind a server of its own. */
async function judgedBy(anthropic: Responder, gateway: Responder, openai: Responder): Promise<Verdict> {
  await using first = await startFakeProvider({ reply: anthropic });
  await using second = await startFakeProvider({ reply: gateway });
  await using third = await startFakeProvider({ reply: openai });
  const { resolveModel } = testServices({
    ANTHROPIC_BASE_URL: first.url,
    ANTHROPIC_API_KEY: FAKE_KEY,
    GATEWAY_BASE_URL: `${second.url}/v1`,
    OPENAI_BASE_URL: `${third.url}/v1`,
    OPENAI_API_KEY: FAKE_KEY,
  });
  const [arm_a, arm_b] = ["move-only", "clean-up"].map((arm_id) => ({ session_id, arm_id }));
  if (!arm_a || !arm_b) throw new Error("a session has two arms");
  return await rejudge({ ...services, resolveModel }, { arm_a, arm_b, judge_model: ASKED }, never);
}

const votesOf = ({ judge }: Verdict) => judge.members?.map(({ model, outcome, vote }) => [model, outcome, vote]);

test("two of three judges name the winner; each was asked in both orders, and the verdict says who found what", async () => {
  const verdict = await judgedBy(VOTERS.small, VOTERS.small, VOTERS.neither);
  expect([...Value.Errors(Verdict, verdict)]).toEqual([]);
  expect(verdict).toMatchObject({ outcome: "winner", winner: "move-only", decided_by: "judge", confidence: "medium" });
  expect(votesOf(verdict)).toEqual([
    ["anthropic/claude-j", "winner", 1],
    ["gateway/house-j", "winner", 1],
    ["openai/gpt-j", "tie", 0],
  ]);
  expect(verdict.statement).toStartWith("In this one run of extract-rate-limit, 2 of 3 judges");
  expect(verdict.statement).toContain("favoured move-only over clean-up in both presentation orders");
  expect(verdict.statement).toContain("1 favoured neither clearly");
  for (const model of ["anthropic/claude-j", "gateway/house-j", "openai/gpt-j"]) {
    const own = verdict.calls.filter(({ judge, masked }) => judge === model && !masked);
    expect(own.map(({ order, valid }) => [order, valid])).toEqual([
      ["ab", true],
      ["ba", true],
    ]);
  }
});

test("who will judge is known before, and what all judges cost is the sum of what each one cost", async () => {
  const { definition } = await judgedAlone();
  const { judge, usage } = await judgedBy(VOTERS.small, VOTERS.small, VOTERS.small);
  const { model, protocol, prompt_digest } = judge;
  expect({ model, protocol, prompt_digest }).toEqual(judgeIdentity(PANEL, definition));
  const costs = judge.members?.map(({ cost_usd }) => cost_usd ?? Number.NaN) ?? [];
  expect(costs.every((cost) => cost > 0)).toBe(true);
  expect(usage.cost_usd).toBeCloseTo(
    costs.reduce((sum, cost) => sum + cost, 0),
    12,
  );
});

test("a majority that is opposed names nobody", async () => {
  const verdict = await judgedBy(VOTERS.small, VOTERS.large, VOTERS.small);
  expect(verdict).toMatchObject({ outcome: "inconclusive", winner: null, lean: "move-only", confidence: "none" });
  expect(verdict.statement).toContain("2 favoured move-only, 1 favoured clean-up");
});

test("a judge without a usable answer leaves two votes without a winner, and two such judges leave no verdict", async () => {
  const one = await judgedBy(VOTERS.small, NONSENSE, VOTERS.small);
  expect(one).toMatchObject({ outcome: "inconclusive", winner: null, lean: "move-only" });
  expect(one.statement).toContain("of 3 judges, 2 favoured move-only, 1 gave no usable answer");
  expect(one.flags).toContain("judge_invalid");
  expect(votesOf(one)).toContainEqual(["gateway/house-j", "invalid", null]);
  const two = await judgedBy(NONSENSE, NONSENSE, VOTERS.small);
  expect(two).toMatchObject({ outcome: "invalid", winner: null });
  expect(two.statement).toContain("1 of 3 judges gave a usable answer");
});

test("a judge that cannot be reached ends the judging: the panel that was named is not the one that would judge", async () => {
  const refusal = await judgedBy(VOTERS.small, REFUSES, VOTERS.small).catch((error: Failure) => error);
  expect(refusal).toMatchObject({ code: "provider_failed" });
});

test("a reader computes the outcome of a stored verdict again", async () => {
  const verdict = await judgedBy(VOTERS.small, VOTERS.neither, VOTERS.large);
  const weights = new Map(verdict.criteria.map(({ id, weight }) => [id, weight]));
  const { outcome, winner_side, lean_side, score_gap } = decide(basisOf(verdict, 0.05), weights);
  expect({ outcome, winner_side, lean_side, score_gap }).toEqual({
    outcome: verdict.outcome,
    winner_side: verdict.winner_side,
    lean_side: verdict.lean_side,
    score_gap: verdict.score_gap,
  });
});

const KEYS = { OPENAI_API_KEY: FAKE_KEY, ANTHROPIC_API_KEY: FAKE_KEY };

test.each([
  ["two", "openai/x, anthropic/y", "a panel has 3 or 5 judges, and 2 are named"],
  ["one twice", "openai/x, anthropic/y, OpenAI/x", "OpenAI/x is named twice"],
  ["one that asks no model", "openai/x, anthropic/y, builtin/evidence", "builtin/evidence asks no model"],
  ["none that asks a model", "builtin/evidence,builtin/evidence,builtin/evidence", "builtin/evidence asks no model"],
  ["one without a key", "openai/x, anthropic/y, mistral/z", "MISTRAL_API_KEY"],
])("a panel is refused before anything is spent: %s", async (_title, judge_model, message) => {
  const refusal = prepareSession(testServices(KEYS), await bundled("extract-rate-limit"), { judge_model });
  await expect(refusal).rejects.toThrow(message);
});

test("under a cost limit every judge needs a price, and the one without is named", async () => {
  const priced = testServices(KEYS, { prices: PRICES });
  const judge_model = "openai/gpt-j, anthropic/claude-j, openai/gpt-other";
  const refusal = prepareSession(priced, await bundled("extract-rate-limit"), { judge_model, max_cost_usd: 100 });
  await expect(refusal).rejects.toThrow("a judge of the panel: openai/gpt-other has no price");
});

test("a run may cost what every judge of its panel may cost", async () => {
  const priced = testServices({ ...KEYS, GATEWAY_BASE_URL: "http://127.0.0.1:9/v1" }, { prices: PRICES });
  const loaded = await bundled("extract-rate-limit");
  const worst = async (judge_model: string) => (await prepareSession(priced, loaded, { judge_model })).worst_case.judge;
  const single = await Promise.all(ASKED.split(", ").map(worst));
  expect(await worst(ASKED)).toBeCloseTo(
    single.reduce<number>((sum, usd) => sum + (usd ?? Number.NaN), 0),
    9,
  );
});
