import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import type { ModelClient } from "../../src/arms/model/client.ts";
import { JudgeTallies } from "../../src/comparison/audit/profile.ts";
import { profileJudges } from "../../src/comparison/audit/profile-judges.ts";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import { JudgeProfiles as Answer, JudgeProfile } from "../../src/domain/judge-profile.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import type { Vote } from "../../src/domain/vote.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { buildCase, type CaseParts, judged, probe } from "../judge/build-case.ts";
import { countingEntropy, fixedClock, mockJudge, type Slot, scoringJudge, spoken } from "../judge/mock-judge.ts";
import { anOutcome, aScenario } from "../outcomes.ts";
import { keep } from "../stored.ts";

const entropy = countingEntropy();
const never = new AbortController().signal;

const scored = (score: (slot: Slot) => number) =>
  scoringJudge((slot, ids) => Object.fromEntries(ids.map((id) => [id, score(slot)])));
/** The arm `plain` is a, `tdd` is b; each is known by its change. */
const FOR_A = scored(({ evidence }) => (evidence.includes("slice.plain") ? 4 : 1));
const FOR_B = scored(({ evidence }) => (evidence.includes("slice.plain") ? 1 : 4));
const EVEN = scored(() => 2);
const FIRST = scored(({ index }) => (index === 0 ? 4 : 1));
const MUTE = mockJudge(() => spoken("Both are great!"));

const verdictOf = async (model: ModelClient, parts: CaseParts = {}, session_id = idOf(1)): Promise<Verdict> => {
  const kase = buildCase(parts);
  const pointed = (arm: typeof kase.a) => ({ ...arm, pointer: { ...arm.pointer, session_id } });
  const judge = openJudge({ model, model_name: "mock/judge", clock: fixedClock(), entropy });
  return await judge({ ...kase, a: pointed(kase.a), b: pointed(kase.b) }, never);
};

const idOf = (n: number) => `session-sample-20260102T0304${String(n).padStart(5, "0")}Z`;

/** A session in which these verdicts were given, the first by the run. */
const sessionOf = (verdicts: readonly Verdict[], session_id = idOf(1)): SessionOutcome => {
  const [verdict = null, ...later] = verdicts;
  return { ...anOutcome(session_id), definition: aScenario(), verdict, verdicts: later, state: "completed" };
};

function profileOf(...sessions: readonly SessionOutcome[]): JudgeProfile {
  const profiles = new JudgeTallies(undefined);
  for (const session of sessions) profiles.add(session);
  const [profile, ...others] = profiles.profiles();
  if (!profile || others.length > 0) throw new Error("one judge gave all verdicts");
  expect([...Value.Errors(JudgeProfile, profile)]).toEqual([]);
  return profile;
}

/** As many sessions of one verdict each. */
const times = async (count: number, model: ModelClient, parts?: CaseParts) =>
  await Promise.all(
    Array.from({ length: count }, async (_, n) => sessionOf([await verdictOf(model, parts, idOf(n))], idOf(n))),
  );

test("below 20 verdicts there are counts and no rates", async () => {
  const profile = profileOf(...(await times(19, FIRST)));
  expect(profile).toMatchObject({
    verdicts: 19,
    outcomes: { winner: 0, tie: 0, inconclusive: 0, inconsistent: 19, invalid: 0 },
    rates: null,
    position: { mean_pull: null, first: 19, second: 0, sign_p: null },
  });
});

test("from 20 on it says how often the judge is undecided, pulled, and unusable", async () => {
  const sessions = [...(await times(10, FIRST)), ...(await times(6, EVEN)), ...(await times(4, MUTE))];
  const profile = profileOf(...sessions);
  expect(profile).toMatchObject({
    verdicts: 20,
    rates: { tie: 0.3, inconsistent: 0.5, inconclusive: 0, invalid: 0.2 },
    position: { mean_pull: 10 / 16, first: 10, second: 0, sign_p: 2 / 2 ** 10 },
  });
});

test("what the judge finds counts, not what the checks made of it; agreement with clear checks is apart", async () => {
  const failed = { b: { probe: probe("fail", 0) } };
  const sessions = [
    ...(await times(12, FOR_A, failed)),
    ...(await times(4, FOR_B, failed)),
    ...(await times(4, EVEN, failed)),
    ...(await times(5, FOR_B)),
  ];
  const { outcomes, facts } = profileOf(...sessions);
  expect(outcomes).toMatchObject({ winner: 21, tie: 4 });
  expect(facts.shown).toMatchObject({ agree: 12, disagree: 4, abstained: 4, rate: 0.75 });
  expect(facts.hidden).toMatchObject({ agree: 0, disagree: 0, abstained: 0, rate: null });
});

test("criteria that code measures are no opinion of the judge: they hide no pull, and agree with no checks", async () => {
  const measured = { id: "checks", kind: "measured", measure: "probe_score", weight: 9 } as const;
  const parts: CaseParts = {
    criteria: [judged("cause"), measured],
    a: { probe: probe("pass", 10) },
    b: { probe: probe("pass", 4) },
  };
  const { outcomes, position, facts } = profileOf(
    ...(await times(12, FIRST, parts)),
    ...(await times(8, FOR_B, parts)),
  );
  expect(outcomes).toMatchObject({ winner: 8, inconsistent: 12 });
  expect(position).toMatchObject({ first: 12, mean_pull: 12 / 20 });
  expect(facts.shown).toMatchObject({ agree: 0, disagree: 8, abstained: 12 });
});

test("a verdict on the same arms as one before is a repeat, and may have changed", async () => {
  const [first, second, third] = [await verdictOf(FOR_A), await verdictOf(FOR_A), await verdictOf(EVEN)];
  expect(profileOf(sessionOf([first, second, third])).repeats).toEqual({ compared: 2, changed: 1, rate: null });
});

test("a verdict across two sessions counts once, and a verdict without a judge not at all", async () => {
  const [own, other] = [await verdictOf(FOR_A, {}, idOf(1)), await verdictOf(FOR_A, {}, idOf(2))];
  const across: Verdict = { ...own, verdict_id: "verdict-across", arm_b: other.arm_b, kind: "cross_session" };
  const builtin: Verdict = { ...own, verdict_id: "verdict-builtin", calls: [] };
  const sessions = [sessionOf([own, across, builtin], idOf(1)), sessionOf([other, across], idOf(2))];
  expect(profileOf(...sessions).verdicts).toBe(3);
});

test("blind votes of people are compared with the judge's first verdict on their arms, each once", async () => {
  const [own, again] = [await verdictOf(FOR_A), await verdictOf(FOR_B)];
  const vote = (vote_id: string, changes: Partial<Vote>): Vote => ({
    ...{ ...EXAMPLES.vote, vote_id, arm_a: own.arm_a, arm_b: own.arm_b, ...changes },
  });
  const votes = [
    vote("vote-1", { choice: "a" }),
    vote("vote-2", { arm_a: own.arm_b, arm_b: own.arm_a, choice: "a" }),
    vote("vote-3", { choice: "tie" }),
    vote("vote-4", { choice: "a", blind: false }),
    vote("vote-5", { arm_a: { ...own.arm_a, arm_id: "other" } }),
  ];
  const { people } = profileOf({ ...sessionOf([own, again]), votes });
  expect(people).toMatchObject({ agree: 1, opposed: 1, one_tie: 1, abstained: 0, not_blind: 1, rate: 1 / 3 });
  expect(profileOf(sessionOf([own])).people).toMatchObject({ agree: 0, rate: null, low: null, high: null });
});

test("of a panel it says how alike its judges vote, each by the criteria that it scored", async () => {
  const measured = { id: "checks", kind: "measured", measure: "probe_score", weight: 9 } as const;
  const criteria = [judged("cause"), measured];
  const parts: CaseParts = { criteria, a: { probe: probe("pass", 10) }, b: { probe: probe("pass", 4) } };
  // The checks outweigh every judge, so the panel and its members name the same arm each time.
  const member = (model: string) => ({
    ...{ model, model_served: null, outcome: "winner" as const, vote: 1 as const },
    ...{ lean_side: null, score_gap: null, cost_usd: null },
  });
  const sessions = await Promise.all(
    [FOR_A, FOR_B, EVEN, FOR_A, FOR_B]
      .flatMap((model) => [model, model, model, model])
      .map(async (model, n) => {
        const verdict = await verdictOf(model, parts, idOf(n));
        const of = (judge: string) => verdict.calls.map((call) => ({ ...call, judge }));
        const unheard = of("z/three").map((call) => ({ ...call, valid: false }));
        const calls = [...of("x/one"), ...of("y/two"), ...unheard];
        const judge = { ...verdict.judge, members: ["x/one", "y/two", "z/three"].map(member) };
        return sessionOf([{ ...verdict, calls, judge }], idOf(n));
      }),
  );
  const { panel } = profileOf(...sessions);
  expect(panel?.judges).toBe(3);
  expect(panel?.rho).toBeCloseTo(1, 9);
  expect(panel?.independent_votes).toBeCloseTo(1, 9);
});

test("a store is read session by session, for one judge or for all", async () => {
  using store = memoryStore();
  for (const session of await times(3, FOR_A)) await keep(store, { ...session, definition: aScenario() });
  const all = await profileJudges(store, undefined, never);
  expect([...Value.Errors(Answer, all)]).toEqual([]);
  expect(all).toMatchObject({
    sessions_read: 3,
    complete: true,
    judges: [{ verdicts: 3, judge: { model: "mock/judge" } }],
  });
  expect(await profileJudges(store, "mock/judge", never)).toEqual(all);
  expect((await profileJudges(store, "mock/other", never)).judges).toEqual([]);
});
