import { DecisionLog } from "../../../arms/arm/decision-log.ts";
import { disqualifying } from "../../../arms/policy/review.ts";
import type { Decision } from "../../../domain/decision.ts";
import type { Violation } from "../../../domain/evidence.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import { answerOf, collectEvidence } from "../../evidence/collect.ts";
import type { JudgedArm } from "../../judge/judge.ts";
import type { SessionPlan } from "../../planning/prepare-session.ts";
import type { SessionServices } from "../../planning/services.ts";
import { probeSource } from "../../scenario/materials.ts";
import type { StoppedArm } from "./conduct-arm.ts";
import type { RunLog } from "./run-log.ts";

interface Examination {
  readonly plan: SessionPlan;
  readonly log: RunLog;
  readonly services: SessionServices;
  readonly signal: AbortSignal;
}

/** Collects what an arm left. It can change how the arm ended. */
export async function examine({ plan, log, services, signal }: Examination, stopped: StoppedArm): Promise<JudgedArm> {
  const { task, input, policies } = plan.scenario;
  const { arm, workspace, end } = stopped;
  const { calls, violations: seen } = end;
  const overlay = probeSource(plan.loaded);
  const { redact } = services;
  const unchanged_unknown = end.imported?.no_change === true;
  const left = {
    workspace,
    ...answerOf(end),
    calls,
    decisions: stopped.decisions,
    unchanged_unknown,
    skills_used: stopped.summary.skills_used,
  };
  const evidence = await collectEvidence({ ...left, seen, task, input, policies, overlay, redact }, signal);
  const later = evidence.violations.slice(seen.length).filter(({ blocked }) => !blocked);
  const decisions: Decision[] = [...stopped.decisions];
  const emit = (decision: Decision) => {
    log.note({ type: "decision", arm_id: arm.id, decision });
    decisions.push(decision);
  };
  const decisionLog = new DecisionLog(services.clock, emit, decisions.length);
  const found = {
    ...evidence,
    ...diskLimit({ ...stopped.summary, ...evidence }, decisionLog),
    ...disqualification(later),
  };
  logViolations(decisionLog, later);
  log.note({ type: "examined", arm_id: arm.id, summary: found });
  if (services.keep_workspaces && workspace.location)
    services.notice(`${arm.id}: workspace kept at ${workspace.location}`);
  const pointer = { session_id: log.session_id, arm_id: arm.id };
  return { pointer, summary: { ...stopped.summary, ...found }, decisions };
}

/** An arm that leaves more than can be read has used up its disk, even if it says that it finished. */
function diskLimit({ status, changes }: ArmSummary, log: DecisionLog): Partial<ArmSummary> {
  if (status !== "finished" || typeof changes?.unknown !== "string") return {};
  log.add("limit_reached", { summary: changes.unknown, detail: { budget: "disk", used: null, limit: null } });
  return { status: "limit_reached", stop_reason: "budget:disk" };
}

/** A broken rule disqualifies an arm also when it is found after the arm has stopped. */
function disqualification(later: readonly Violation[]): Partial<ArmSummary> {
  const broken = disqualifying(later);
  return broken ? { status: "disqualified", stop_reason: `policy:${broken.rule}` } : {};
}

function logViolations(log: DecisionLog, later: readonly Violation[]): void {
  for (const { rule, severity, subject } of later)
    log.add("policy_violation", { summary: `${rule}: ${subject}`, detail: { rule, severity, subject } });
}
