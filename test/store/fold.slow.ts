import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { NEED_OF_PROTOCOLS } from "../../src/comparison/planning/needs.ts";
import { SessionOutcome } from "../../src/domain/session.ts";
import type { EndedEntry, RunEntry, SessionEntry, SessionLog } from "../../src/domain/session-entry.ts";
import { LOG_VERSION, unknownKind } from "../../src/domain/session-entry.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { fold } from "../../src/store/fold.ts";
import { bundled, runOnce, testServices } from "../harness.ts";
import { anArm, anOutcome, aScenario, aTurn } from "../outcomes.ts";
import { createdEntry } from "../stored.ts";

const ID = "session-sample-20260102T030405678Z";
const AT = "2026-01-02T03:04:05.678Z";
const LATER = "2026-01-02T03:04:06.000Z";

const outcomeOf = (...entries: readonly SessionEntry[]): SessionOutcome =>
  fold([createdEntry(anOutcome(ID)), ...entries]);

const stage = (name: "preparing" | "running" | "probing" | "judging"): RunEntry => ({
  type: "stage",
  at: AT,
  stage: name,
});

const turn = (seq: number, arm_id = "left"): RunEntry => ({ type: "decision", arm_id, decision: aTurn(seq) });

const armEnded = (arm_id: string): RunEntry => ({
  type: "arm_ended",
  arm_id,
  summary: { status: "finished", stop_reason: "end", turns: 7, tokens_in: 70, cost_usd: 0.5 },
});

const judged = (kind: Verdict["kind"], verdict_id = "verdict-1"): RunEntry => ({
  type: "judged",
  verdict: { ...EXAMPLES.verdict, verdict_id, kind },
});

const ended = (state: EndedEntry["state"], at_stage: "running" | "judging" | "saving" = "running"): EndedEntry => {
  const failure = {
    stage: at_stage,
    class: "infra",
    code: "provider_failed",
    message: "no",
    retryable: false,
  } as const;
  return { type: "ended", at: LATER, state, failure: state === "completed" ? null : failure };
};

const ANY_ENTRY: fc.Arbitrary<SessionEntry> = fc.oneof(
  fc.constantFrom("preparing", "running", "probing", "judging").map((name) => stage(name as "running")),
  fc
    .record({ seq: fc.integer({ min: 1, max: 50 }), arm_id: fc.constantFrom("left", "right", "nobody") })
    .map(({ seq, arm_id }) => turn(seq, arm_id)),
  fc.constantFrom("left", "right", "nobody").map(armEnded),
  fc.constantFrom<SessionEntry>(
    { type: "observed", differences: ["the arms started 2000 ms apart"] },
    { type: "examined", arm_id: "right", summary: { violations: [], status: "disqualified", stop_reason: "policy:x" } },
    { type: "cancel_asked", at: AT },
    { type: "attempt_started", at: AT },
    { type: "released", at: AT },
    judged("run"),
    judged("rejudge"),
    judged("cross_session"),
    ended("completed"),
    ended("failed", "judging"),
    ended("cancelled"),
    ended("interrupted"),
    createdEntry(anOutcome(ID)),
  ),
);

test("every beginning of every log is a valid outcome", () => {
  fc.assert(
    fc.property(fc.array(ANY_ENTRY, { maxLength: 20 }), (entries) => {
      for (let length = 0; length <= entries.length; length += 1)
        expect([...Value.Errors(SessionOutcome, outcomeOf(...entries.slice(0, length)))]).toEqual([]);
    }),
  );
});

test("every beginning of the log of a real run is a valid outcome, and it only ever learns", async () => {
  const services = testServices();
  const { outcome } = await runOnce(services, await bundled("pager-last-page"));
  const log = (await services.store.read(outcome.session_id)).map(({ entry }) => entry) as unknown as SessionLog;
  let decisions = 0;
  for (let length = 1; length <= log.length; length += 1) {
    const prefix = fold(log.slice(0, length) as unknown as SessionLog);
    expect([...Value.Errors(SessionOutcome, prefix)]).toEqual([]);
    const known = Object.values(prefix.decisions).flat().length;
    expect(known).toBeGreaterThanOrEqual(decisions);
    decisions = known;
  }
  expect(fold(log)).toEqual(outcome);
});

test("folding changes nothing of the log", () => {
  const log: SessionLog = [createdEntry(anOutcome(ID)), stage("running"), turn(1), armEnded("left"), ended("failed")];
  const before = structuredClone(log);
  expect(fold(log)).toEqual(fold(log));
  expect(log).toEqual(before);
});

test("a session is where its last stage is, from the time of its first", () => {
  expect(outcomeOf()).toMatchObject({ state: "queued", started_at: null });
  const running = outcomeOf(stage("preparing"), { ...stage("running"), at: LATER } as RunEntry);
  expect(running).toMatchObject({ state: "running", started_at: AT, finished_at: null });
  expect(running.arms.map(({ status }) => status)).toEqual(["running", "running"]);
});

test("what an arm used is counted from its decisions until it says so itself", () => {
  expect(outcomeOf(stage("running"), turn(1), turn(2)).arms[0]).toMatchObject({
    turns: 2,
    tokens_in: 20,
    cost_usd: null,
  });
  const priced = anOutcome(ID, {
    definition: aScenario({
      arms: [anArm("left", { price_per_mtok: { in: 1, out: 2, cached_in: null } }), anArm("right")],
    }),
  });
  const costOf = (session: SessionOutcome) => fold([createdEntry(session), stage("running"), turn(1)]).arms[0].cost_usd;
  expect(costOf(priced)).toBeCloseTo((10 * 1 + 5 * 2) / 1_000_000);
  // The price of the scenario is that of another model, and the one that the run was counted with goes before it.
  expect(costOf({ ...priced, request: { model_override: "openai/other", judge_model: null } })).toBeNull();
  const prices = { arms: { left: { in: 3, out: 0, cached_in: null } }, judge: null };
  expect(costOf({ ...priced, settings: { ...priced.settings, prices } })).toBeCloseTo(30 / 1_000_000);
  const said = outcomeOf(stage("running"), turn(1), armEnded("left")).arms;
  expect(said[0]).toMatchObject({ status: "finished", turns: 7, tokens_in: 70, cost_usd: 0.5 });
  expect(said[1]).toMatchObject({ status: "running", turns: 0 });
});

test("the end stops the arms that had none, and sums what arms and judge used", () => {
  const outcome = outcomeOf(stage("running"), turn(1), turn(2, "right"), armEnded("left"), ended("interrupted"));
  expect(outcome).toMatchObject({ state: "interrupted", finished_at: LATER, totals: { tokens_in: 80, wall_ms: 322 } });
  expect(outcome.arms.map(({ status, stop_reason }) => [status, stop_reason])).toEqual([
    ["finished", "end"],
    ["cancelled", "interrupted"],
  ]);
  expect(outcomeOf(stage("running"), ended("cancelled")).arms[0].stop_reason).toBeNull();
});

test("the run's own verdict completes it; one that could not be saved stays with its failure", () => {
  const done = outcomeOf(stage("judging"), judged("run"), ended("completed"));
  expect(done).toMatchObject({ state: "completed", failure: null, verdict: { kind: "run" }, verdicts: [] });
  const unsaved = outcomeOf(stage("judging"), judged("run"), ended("failed", "saving"));
  expect(unsaved).toMatchObject({ state: "failed", verdict: { kind: "run" }, failure: { stage: "saving" } });
});

test("a session without a verdict is completed by the first that its own arms get later, and by no other", () => {
  const failed = [stage("judging"), ended("failed", "judging")];
  expect(outcomeOf(...failed, judged("cross_session"))).toMatchObject({ state: "failed", verdict: null });
  const completed = outcomeOf(
    ...failed,
    judged("cross_session"),
    judged("rejudge", "first"),
    judged("rejudge", "second"),
  );
  expect(completed).toMatchObject({ state: "completed", failure: null, verdict: { verdict_id: "first" } });
  expect(completed.verdicts).toHaveLength(3);
  const again = outcomeOf(stage("judging"), judged("run", "own"), ended("completed"), judged("rejudge"));
  expect(again.verdict?.verdict_id).toBe("own");
});

test("a verdict that came while the run's own judge was out counts when that judge fails, not when the run is cancelled", () => {
  expect(outcomeOf(stage("judging"), judged("rejudge"), ended("failed", "judging"))).toMatchObject({
    state: "completed",
    verdict: { kind: "rejudge" },
  });
  expect(outcomeOf(stage("judging"), judged("rejudge"), ended("cancelled", "judging"))).toMatchObject({
    state: "cancelled",
    verdict: null,
  });
  expect(outcomeOf(stage("judging"), judged("rejudge"), ended("failed", "running"))).toMatchObject({
    state: "failed",
    verdict: null,
  });
});

test("a session that was stored whole keeps what its arms said, and is completed by a later verdict", () => {
  const failure = ended("failed", "judging").failure;
  const [left, right] = anOutcome(ID).arms;
  const arms: SessionOutcome["arms"] = [
    { ...left, status: "finished", turns: 7, tokens_in: 70, tokens_out: 7 },
    { ...right, status: "finished", turns: 1, tokens_in: 10, tokens_out: 1 },
  ];
  const whole = anOutcome(ID, { state: "failed", failure, arms });
  expect(fold([createdEntry(whole), turn(1)])).toMatchObject({ arms, totals: whole.totals });
  const { usage } = EXAMPLES.verdict;
  expect(fold([createdEntry(whole), turn(1), judged("rejudge")])).toMatchObject({
    state: "completed",
    arms,
    totals: { tokens_in: 80 + (usage.tokens_in ?? 0), tokens_out: 8 + (usage.tokens_out ?? 0) },
  });
});

test("a session may be judged again 300,000 times", () => {
  const verdicts = Array.from({ length: 300_000 }, () => judged("cross_session"));
  const outcome = outcomeOf(stage("judging"), ended("failed", "judging"), ...verdicts, judged("rejudge", "last"));
  expect(outcome.verdicts).toHaveLength(300_001);
  expect(outcome.verdict?.verdict_id).toBe("last");
});

test("an attempt that starts forgets what the one before it did, and keeps what others asked for", () => {
  const outcome = outcomeOf(stage("running"), turn(1), armEnded("left"), judged("cross_session"), {
    type: "attempt_started",
    at: LATER,
  });
  expect(outcome).toMatchObject({ state: "queued", started_at: null, decisions: { left: [], right: [] } });
  expect(outcome.arms[0]).toMatchObject({ status: "pending", turns: 0 });
  expect(outcome.verdicts).toHaveLength(1);
  const again = outcomeOf(turn(1), armEnded("left"), { type: "attempt_started", at: LATER }, turn(1), turn(2));
  expect(again.arms[0].turns).toBe(2);
});

test("what lost attempts used is told apart, and is in the totals", () => {
  const again: SessionEntry = { type: "attempt_started", at: LATER };
  const outcome = outcomeOf(
    again,
    stage("running"),
    turn(1),
    again,
    stage("running"),
    turn(1),
    turn(2),
    ended("failed"),
  );
  const [lost, ...others] = outcome.lost_attempts ?? [];
  expect(others).toEqual([]);
  expect(lost).toMatchObject({ started_at: AT, lost_at: LATER });
  expect(lost?.tokens_in).toBeGreaterThan(0);
  expect(outcome.arms[0].turns).toBe(2);
  const ofLast = outcomeOf(stage("running"), turn(1), turn(2), ended("failed"));
  expect(outcome.totals.tokens_in).toBe((ofLast.totals.tokens_in ?? NaN) + (lost?.tokens_in ?? NaN));
});

test("what both arms left is kept when only their judging was lost", () => {
  const again: SessionEntry = { type: "attempt_started", at: LATER };
  const kept = outcomeOf(stage("running"), turn(1), armEnded("left"), stage("judging"), again);
  expect(kept).toMatchObject({ state: "judging", arms: [{ status: "finished", turns: 7 }, {}] });
  expect(kept).not.toHaveProperty("lost_attempts");
  const judgedLater = outcomeOf(
    stage("judging"),
    { type: "released", at: LATER },
    again,
    judged("run"),
    ended("completed"),
  );
  expect(judgedLater).toMatchObject({ state: "completed", verdict: { kind: "run" } });
});

test("a session that was handed back is queued again, and an attempt that did nothing is none", () => {
  const released: SessionEntry = { type: "released", at: LATER };
  expect(outcomeOf(stage("running"), turn(1), released)).toMatchObject({ state: "queued", lost_attempts: [{}] });
  expect(outcomeOf({ type: "attempt_started", at: AT }, released)).not.toHaveProperty("lost_attempts");
});

/** The kinds of version 3. One more does not fit here: it needs the next version, so that no worker is given what it must refuse to read. */
const KINDS: Readonly<Record<SessionEntry["type"], 3>> = {
  ...{
    created: 3,
    attempt_started: 3,
    released: 3,
    stage: 3,
    decision: 3,
    arm_imported: 3,
    arm_shared: 3,
    arm_ended: 3,
  },
  ...{ observed: 3, examined: 3, judged: 3, cancel_asked: 3, voted: 3, ended: 3 },
};

test("a worker is given the logs of its own version, and refuses to read an entry of another", () => {
  expect(new Set(Object.values(KINDS))).toEqual(new Set([LOG_VERSION]));
  expect(NEED_OF_PROTOCOLS).toContain(`log/${LOG_VERSION}`);
  const entries = Object.keys(KINDS).map((type) => ({ type }) as SessionEntry);
  expect(unknownKind(entries)).toBeUndefined();
  expect(unknownKind([...entries, { type: "from_the_future" } as never])).toBe("from_the_future");
});
