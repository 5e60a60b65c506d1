import type { ArmEnd } from "../arm/arm-end.ts";
import { DecisionLog } from "../arm/decision-log.ts";
import type { Violation } from "../domain/evidence.ts";
import { Failure } from "../domain/failure.ts";
import type { Arm } from "../domain/scenario.ts";
import type { ArmSummary, SessionOutcome } from "../domain/session.ts";
import { collectEvidence } from "../evidence/collect.ts";
import type { Case, JudgedArm } from "../judge/judge.ts";
import { disqualifying } from "../policy/review.ts";
import { fixtureSource } from "../scenario/fixture-source.ts";
import { probeSource } from "../scenario/materials.ts";
import { openPristine } from "../workspace/pristine.ts";
import type { Pristine, Workspace } from "../workspace/workspace.ts";
import { conductArm } from "./conduct-arm.ts";
import { observedDifferences } from "./fairness.ts";
import type { SessionPlan } from "./prepare-session.ts";
import type { SessionServices } from "./services.ts";
import type { SessionRecord } from "./session-record.ts";

export interface Session {
  readonly plan: SessionPlan;
  readonly record: SessionRecord;
  readonly services: SessionServices;
  /** Fires when the session is to stop; its reason is a Failure. */
  readonly signal: AbortSignal;
}

/**
 * Fixture, arms, evidence, judge, verdict: the whole flow in order. Every way out is an outcome that is stored. A stage
 * that has nothing to do is not entered: storing that it began would be all that it costs.
 */
export async function runSession(session: Session): Promise<SessionOutcome> {
  const { plan, record, services, signal } = session;
  try {
    using _slot = await services.slots.take(signal);
    const { setup } = plan.scenario.task;
    if (setup.length > 0) await record.enter("preparing");
    await using pristine = openPristine({
      source: fixtureSource(plan.loaded),
      sandbox: plan.sandbox,
      keep: services.keep_workspaces,
    });
    await pristine.setup(setup, signal);
    const arms = await gatherArms(session, pristine);
    await record.enter("judging");
    const verdict = await plan.chosen.judge(caseOf(session, arms), signal);
    signal.throwIfAborted();
    return await record.complete(verdict);
  } catch (error) {
    return await record.fail(failureOf(error, services));
  }
}

/** Both arms at once, each in its own workspace; then, when both have stopped, what they left. */
async function gatherArms(session: Session, pristine: Pristine): Promise<readonly [ArmSummary, ArmSummary]> {
  const { plan, record } = session;
  await using first = pristine.open();
  await using second = pristine.open();
  await record.enter("running");
  const [endA, endB] = await runBoth(session, [first, second]);
  const [armA, armB] = plan.scenario.arms;
  const skew_ms = endA.began_ticks - endB.began_ticks;
  record.observe(observedDifferences(record.arm(armA.id), record.arm(armB.id), skew_ms));
  const touched = first.location !== null || second.location !== null;
  if (touched || plan.scenario.task.probe !== null) await record.enter("probing");
  const a = await examine(session, armA, first, endA);
  const b = await examine(session, armB, second, endB);
  return [a, b];
}

/** One arm failing for a reason of ours stops the other: a comparison of one arm is worth nothing. */
async function runBoth(session: Session, workspaces: readonly [Workspace, Workspace]): Promise<[ArmEnd, ArmEnd]> {
  const { plan, record, services } = session;
  const { scenario, models } = plan;
  const own = new AbortController();
  const signal = AbortSignal.any([session.signal, own.signal]);
  const conduct = async (index: 0 | 1) => {
    const conducted = { arm: scenario.arms[index], model: models[index], workspace: workspaces[index] };
    try {
      return await conductArm({ ...conducted, scenario, record, services }, signal);
    } catch (error) {
      own.abort(error);
      throw error;
    }
  };
  const [a, b] = await Promise.allSettled([conduct(0), conduct(1)]);
  signal.throwIfAborted();
  if (a.status === "rejected") throw a.reason;
  if (b.status === "rejected") throw b.reason;
  return [a.value, b.value];
}

async function examine(session: Session, arm: Arm, workspace: Workspace, end: ArmEnd): Promise<ArmSummary> {
  const { plan, record, services, signal } = session;
  const { task, policies } = plan.scenario;
  const overlay = probeSource(plan.loaded);
  const { calls, violations: seen } = end;
  const collection = { workspace, calls, seen, task, policies, overlay, redact: services.redact };
  const evidence = await collectEvidence(collection, signal);
  const later = evidence.violations.slice(seen.length).filter(({ blocked }) => !blocked);
  const log = logAfter(session, arm.id);
  const ended = { ...record.arm(arm.id), ...evidence };
  const summary = { ...ended, ...diskLimit(ended, log), ...disqualification(later) };
  record.noteArm(summary);
  logViolations(log, later);
  if (services.keep_workspaces && workspace.location)
    services.notice(`${arm.id}: workspace kept at ${workspace.location}`);
  return summary;
}

/** Who leaves more than can be looked at has used up its disk, whatever else it says of its end. */
function diskLimit({ status, changes }: ArmSummary, log: DecisionLog): Partial<ArmSummary> {
  if (status !== "finished" || typeof changes?.unknown !== "string") return {};
  log.add("limit_reached", { summary: changes.unknown, detail: { budget: "disk", used: null, limit: null } });
  return { status: "limit_reached", stop_reason: "budget:disk" };
}

/** A rule that was found broken only now puts the arm out all the same. */
function disqualification(later: readonly Violation[]): Partial<ArmSummary> {
  const broken = disqualifying(later);
  return broken ? { status: "disqualified", stop_reason: `policy:${broken.rule}` } : {};
}

/** Goes on behind the last decision of an arm that has stopped. */
function logAfter({ record, services }: Session, arm_id: string): DecisionLog {
  const last = record.decisions(arm_id).length;
  return new DecisionLog(services.clock, (decision) => record.decide(arm_id, decision), last);
}

function logViolations(log: DecisionLog, later: readonly Violation[]): void {
  for (const { rule, severity, subject } of later)
    log.add("policy_violation", { summary: `${rule}: ${subject}`, detail: { rule, severity, subject } });
}

function caseOf({ plan, record }: Session, [a, b]: readonly [ArmSummary, ArmSummary]): Case {
  const { scenario, loaded, flags } = plan;
  const { session_id } = record.outcome;
  const judged = (summary: ArmSummary): JudgedArm => ({
    pointer: { session_id, arm_id: summary.arm_id },
    summary,
    decisions: record.decisions(summary.arm_id),
  });
  return {
    scenario: scenario.name,
    scenario_digest: loaded.digest,
    kind: "run",
    task: scenario.task,
    policies: scenario.policies,
    rubric: scenario.rubric,
    a: judged(a),
    b: judged(b),
    flags,
    ...leftFor(plan, [a, b]),
  };
}

/** What the arms left of the run's limit. One whose use is unknown has used all that it might. */
function leftFor({ scenario, options }: SessionPlan, arms: readonly ArmSummary[]): Pick<Case, "left_usd"> {
  if (options.max_cost_usd === undefined) return {};
  const used = arms.map(({ cost_usd }, index) => cost_usd ?? scenario.arms[index]?.limits.max_cost_usd ?? 0);
  return { left_usd: used.reduce((left, usd) => left - usd, options.max_cost_usd) };
}

function failureOf(error: unknown, services: SessionServices): Failure {
  if (error instanceof Failure) return error;
  services.notice(`internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return new Failure("internal", "an internal error ended the session; its details are in the program's log", {
    cause: error,
  });
}
