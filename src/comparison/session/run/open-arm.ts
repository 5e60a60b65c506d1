import { DecisionLog } from "../../../arms/arm/decision-log.ts";
import { disqualifying } from "../../../arms/policy/review.ts";
import type { Pristine, Workspace } from "../../../arms/workspace/workspace.ts";
import type { Arm } from "../../../domain/arm.ts";
import type { StandIn } from "../../../domain/baseline.ts";
import type { Decision } from "../../../domain/decision.ts";
import type { Violation } from "../../../domain/evidence.ts";
import { ofArm } from "../../../domain/failure.ts";
import type { ImportedFrom } from "../../../domain/ran.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import { stallMattered } from "../../../domain/stall.ts";
import { promptFor } from "../../../domain/task.ts";
import { answerOf, collectEvidence } from "../../evidence/collect.ts";
import type { JudgedArm } from "../../judge/judge.ts";
import { NO_TOOLS, openMcpTools } from "../../planning/mcp-tools.ts";
import { purseOf, type SessionPlan } from "../../planning/prepare-session.ts";
import type { SessionServices } from "../../planning/services.ts";
import { filesSource } from "../../scenario/fixture-source.ts";
import { probeSource } from "../../scenario/materials.ts";
import { conductArm, type StoppedArm } from "./conduct-arm.ts";
import type { RunLog } from "./run-log.ts";

export interface Examination {
  readonly plan: SessionPlan;
  readonly log: RunLog;
  readonly services: SessionServices;
  readonly signal: AbortSignal;
}

/** What an arm left when it stopped. Nobody has looked at it yet. */
export interface ArmLeft {
  readonly summary: ArmSummary;
  /** When it began, by the clock of the arms; null: not here. */
  readonly began_ticks: number | null;
  /** What its checks can run on once more; null: it was looked at before. */
  readonly stopped: StoppedArm | null;
  readonly examine: () => Promise<JudgedArm>;
}

/** An arm that is ready to run, wherever its work comes from. */
interface OpenArm extends AsyncDisposable {
  /** Its work is made already: it costs nothing here and takes no time. */
  readonly is_made: boolean;
  /** Null: its work lies in no workspace. */
  readonly workspace: Workspace | null;
  /** @throws what stopped the arm from outside; what it used until then is in the log. */
  readonly run: (signal: AbortSignal) => Promise<ArmLeft>;
}

/** Its workspace, its own files and its servers: where one cannot be had, no model is asked. */
export async function openArm(examination: Examination, pristine: Pristine, index: 0 | 1): Promise<OpenArm> {
  const { plan, log, services, signal: stop } = examination;
  const { scenario } = plan;
  const [arm, source] = [scenario.arms[index], plan.sources[index]];
  if (source.shared) throw new Error(`${arm.id} runs in another session`);
  if (source.stored) return openStored(log, arm, source.stored);
  const workspace = await workspaceOf(plan, pristine, arm);
  // An external agent starts its servers by itself.
  const mcp = arm.agent
    ? NO_TOOLS
    : await openMcpTools(services, { arm, workspace, policies: scenario.policies }, stop);
  return {
    is_made: arm.ran !== undefined,
    workspace,
    run: async (signal) => {
      const purse = purseOf(plan, arm.id);
      const conduct = { arm, runArm: source.runArm, workspace, mcp, scenario, log, services, purse };
      const stopped = await conductArm(conduct, signal);
      const { summary, end } = stopped;
      const began_ticks = end.imported === undefined ? end.began_ticks : null;
      return { summary, began_ticks, stopped, examine: async () => await examine(examination, stopped) };
    },
    [Symbol.asyncDispose]: async () => await mcp[Symbol.asyncDispose](),
  };
}

async function workspaceOf({ loaded }: SessionPlan, pristine: Pristine, { id, files }: Arm): Promise<Workspace> {
  const workspace = pristine.open(files && filesSource(loaded, files));
  try {
    await workspace.notes();
  } catch (error) {
    throw ofArm(id, error);
  }
  return workspace;
}

/** What a stored run left goes into the log as if the arm had run. It is looked at no more. */
function openStored(log: RunLog, { id, title }: Arm, { from, load }: StandIn): OpenArm {
  log.note({ type: "arm_imported", arm_id: id, from });
  return {
    is_made: true,
    workspace: null,
    run: async () => {
      const stored = await load();
      const decisions: Decision[] = [...stored.decisions];
      for (const decision of decisions) log.note({ type: "decision", arm_id: id, decision });
      const imported: ImportedFrom = { ...(stored.summary.imported ?? NO_LOG), at: from.at, run: from };
      const summary = { ...stored.summary, arm_id: id, title, imported };
      log.note({ type: "arm_ended", arm_id: id, summary });
      const left = { pointer: { session_id: log.session_id, arm_id: id }, summary, decisions };
      return { summary, began_ticks: null, stopped: null, examine: async () => left };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const NO_LOG: ImportedFrom = { form: null, agent: null, version: null, at: null };

/** When one arm fails through no fault of its own, the other is stopped: one arm alone cannot be compared. */
export async function runBoth(arms: readonly [OpenArm, OpenArm], outer: AbortSignal): Promise<[ArmLeft, ArmLeft]> {
  const own = new AbortController();
  const signal = AbortSignal.any([outer, own.signal]);
  const run = async (arm: OpenArm) => {
    try {
      return await arm.run(signal);
    } catch (error) {
      own.abort(error);
      throw error;
    }
  };
  // What was made before takes no time. Where it cannot be used the other arm is not paid for.
  const first = arms.find(({ is_made }) => is_made);
  const made = first && run(first);
  await made?.catch(() => undefined);
  const start = (arm: OpenArm) => (arm === first && made ? made : run(arm));
  const [a, b] = await Promise.allSettled([start(arms[0]), start(arms[1])]);
  signal.throwIfAborted();
  if (a.status === "rejected") throw a.reason;
  if (b.status === "rejected") throw b.reason;
  return [a.value, b.value];
}

/** Collects what an arm left. It can change how the arm ended. */
async function examine({ plan, log, services, signal }: Examination, stopped: StoppedArm): Promise<JudgedArm> {
  const { input, policies } = plan.scenario;
  const { arm, workspace, end } = stopped;
  const task = { ...plan.scenario.task, prompt: promptFor(plan.scenario.task, arm) };
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
  const evidence = await collectEvidence({ ...left, seen, task, input, policies, overlay, redact, services }, signal);
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
  for (const violation of later) log.violation(violation);
}

/** Milliseconds between the arms' starts beyond which the start counts as uneven. */
export const START_SKEW_MS = 1_000;

/** Differences between the arms that nobody declared, in words. `skew_ms` is the time between their starts. */
export function observedDifferences(a: ArmSummary, b: ArmSummary, skew_ms: number): string[] {
  return [servedModels(a, b), throttling(a, b), stalls(a, b), startSkew(skew_ms)].filter((line) => line !== null);
}

function servedModels(a: ArmSummary, b: ArmSummary): string | null {
  if (a.model !== b.model || a.model_served === b.model_served) return null;
  return `the same model was asked for, but ${a.model_served ?? "an unknown one"} and ${b.model_served ?? "an unknown one"} answered`;
}

function throttling(a: ArmSummary, b: ArmSummary): string | null {
  if (a.throttled_ms === 0 && b.throttled_ms === 0) return null;
  return `the provider made ${a.arm_id} wait ${a.throttled_ms} ms and ${b.arm_id} ${b.throttled_ms} ms`;
}

function stalls(a: ArmSummary, b: ArmSummary): string | null {
  if (!stallMattered(a) && !stallMattered(b)) return null;
  const { stalled_ms: of_a = 0 } = a;
  const { stalled_ms: of_b = 0 } = b;
  return `abeval itself stood still for ${of_a} ms while ${a.arm_id} ran and for ${of_b} ms while ${b.arm_id} did; this counts as no arm's time`;
}

function startSkew(skew_ms: number): string | null {
  return Math.abs(skew_ms) < START_SKEW_MS ? null : `the arms started ${Math.round(Math.abs(skew_ms))} ms apart`;
}
