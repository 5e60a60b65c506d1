import type { ArmTools } from "../../arms/tool/arm-tools.ts";
import { openPristine } from "../../arms/workspace/pristine.ts";
import type { Pristine, Workspace } from "../../arms/workspace/workspace.ts";
import type { StandIn } from "../../domain/baseline.ts";
import { Failure, ofArm } from "../../domain/failure.ts";
import { paidFor } from "../../domain/ran.ts";
import type { SeriesSummary } from "../../domain/series-summary.ts";
import type { ArmSummary, TrialPlace } from "../../domain/session.ts";
import { shortage } from "../../domain/shortage.ts";
import type { Verdict } from "../../domain/verdict.ts";
import type { Case, JudgedArm } from "../judge/judge.ts";
import { NO_TOOLS, openMcpTools, serversOf } from "../planning/mcp-tools.ts";
import type { SessionPlan } from "../planning/prepare-session.ts";
import type { SessionServices } from "../planning/services.ts";
import { workspacePlaces } from "../planning/task-image.ts";
import { filesSource, fixtureSource } from "../scenario/fixture-source.ts";
import { withoutCoinFlips } from "./repeat-checks.ts";
import { type ArmPlace, conductArm, type StoppedArm } from "./run/conduct-arm.ts";
import { examine } from "./run/examine.ts";
import { observedDifferences } from "./run/fairness.ts";
import { importArm } from "./run/import-arm.ts";
import { judgeFlags } from "./run/judge-flags.ts";
import type { RunLog, SummaryOfTrials } from "./run/run-log.ts";

/** What makes a run a trial. */
export interface Trial {
  readonly place: TrialPlace;
  /**
   * Where the series stands with this verdict; undefined when it is not stored any more. A function is asked in the moment in which it is stored; it is pure, and `trials`
   * are those of the series, this one as it was before.
   */
  readonly summary: (session_id: string, verdict: Verdict) => Promise<SeriesSummary | SummaryOfTrials | undefined>;
}

export interface Session {
  readonly plan: SessionPlan;
  readonly trial: Trial | undefined;
  readonly log: RunLog;
  /** Its place among the sessions that run at once. */
  readonly slot: Promise<Disposable>;
  readonly services: SessionServices;
  /** Fires when the session is to stop; its reason is a Failure. */
  readonly signal: AbortSignal;
  /** What both arms left in an attempt whose judging was lost; absent: they are still to run. */
  readonly examined?: Examined | undefined;
}

export type Examined = readonly [JudgedArm, JudgedArm];

/**
 * Runs one comparison from its fixture to its verdict. Every way out writes an end to the log. A stage that has nothing to
 * do is skipped.
 */
export async function runSession(session: Session): Promise<void> {
  const { plan, trial, log, services, signal } = session;
  try {
    using _slot = await session.slot;
    await using _recordings = await beginRecordings(session);
    const examined = session.examined ? await judgeAgain(session.examined, log) : await workOf(session);
    const flags = [...plan.flags, ...(await judgeFlags(services.store, plan.self_test_key))];
    const verdict = await judged(session, { ...caseOf(plan, examined), flags });
    signal.throwIfAborted();
    if (!session.examined) plan.recordings?.demandAllPlayed();
    await log.complete(verdict, await trial?.summary(log.session_id, verdict));
  } catch (error) {
    await log.fail(asFailure(error, services));
  }
}

/** Both arms, from the fixture to what they left. */
async function workOf(session: Session): Promise<Examined> {
  const { plan, log, services, signal } = session;
  const { task, arms } = plan.scenario;
  const { setup } = task;
  if (setup.length > 0 || plan.scenario.task.image || arms.some((arm) => serversOf(arm).length > 0))
    await log.enter("preparing");
  await using pristine = openPristine({
    source: fixtureSource(plan.loaded),
    places: await workspacePlaces(services, plan.loaded),
    sandbox: plan.sandbox,
    keep: services.keep_workspaces,
    signal,
    clock: services.arm_clock,
  });
  await pristine.setup(setup, signal);
  return plan.stand_in ? await gatherBeside(session, pristine, plan.stand_in) : await gatherArms(session, pristine);
}

async function judgeAgain(examined: Examined, log: RunLog): Promise<Examined> {
  await log.enter("judging");
  return examined;
}

/** The recordings of the session, if it has any. They end with it, however it ends. */
async function beginRecordings({ plan: { recordings }, services }: Session): Promise<AsyncDisposable> {
  await recordings?.begin();
  const end = async () => {
    for (const line of (await recordings?.end()) ?? []) services.notice(line);
  };
  return { [Symbol.asyncDispose]: end };
}

/** Runs both arms at the same time, each in its own workspace. Looks at what they left when both have stopped. */
async function gatherArms(session: Session, pristine: Pristine): Promise<Examined> {
  const { plan, log } = session;
  const [first, second] = [await openFor(session, pristine, 0), await openFor(session, pristine, 1)];
  await using tools = await openTools(session, [first, second]);
  await log.enter("running");
  const [a, b] = await runBoth(session, [
    { workspace: first, mcp: tools.ofArms[0] },
    { workspace: second, mcp: tools.ofArms[1] },
  ]);
  const isImportedPair = a.end.imported !== undefined || b.end.imported !== undefined;
  const skew_ms = isImportedPair ? 0 : a.end.began_ticks - b.end.began_ticks;
  log.note({ type: "observed", differences: observedDifferences(a.summary, b.summary, skew_ms) });
  const touched = first.location !== null || second.location !== null;
  if (touched || plan.scenario.task.probe !== null) await log.enter("probing");
  const examined = [await examine(session, a), await examine(session, b)] as const;
  const arms = await withoutCoinFlips({ ...session, stopped: [a, b] }, examined);
  await log.enter("judging");
  // Their disk is given back while the judge works. It is asked first: a program that removes takes milliseconds to start.
  // Otherwise they go with the fixture.
  setImmediate(() => {
    for (const workspace of [first, second]) void workspace[Symbol.asyncDispose]();
  });
  return arms;
}

/** The workspace of an arm, with its own files in it: where they cannot lie there, no model is asked. */
async function openFor({ plan }: Session, pristine: Pristine, index: 0 | 1): Promise<Workspace> {
  const { id, files } = plan.scenario.arms[index];
  const workspace = pristine.open(files && filesSource(plan.loaded, files));
  try {
    await workspace.notes();
  } catch (error) {
    throw ofArm(id, error);
  }
  return workspace;
}

/** Runs one arm. What a stored run left stands in for the other, and is looked at no more. */
async function gatherBeside(session: Session, pristine: Pristine, stand_in: StandIn): Promise<Examined> {
  const { plan, log, services, signal } = session;
  const { scenario, runners } = plan;
  const index = stand_in.side === "a" ? 1 : 0;
  const absent = scenario.arms[index === 0 ? 1 : 0];
  log.note({ type: "arm_imported", arm_id: absent.id, from: stand_in.from });
  const [arm, workspace] = [scenario.arms[index], await openFor(session, pristine, index)];
  // An external agent starts its servers by itself.
  await using mcp = arm.agent
    ? NO_TOOLS
    : await openMcpTools(services, { arm, workspace, policies: scenario.policies }, signal);
  await log.enter("running");
  const stored = await importArm(log, absent, stand_in);
  const runArm = runners[index];
  const stopped = await conductArm({ arm, runArm, workspace, mcp, scenario, log, services }, signal);
  await log.enter("probing");
  const examined = await examine(session, stopped);
  const [a, b] = index === 0 ? [examined, stored] : [stored, examined];
  log.note({ type: "observed", differences: observedDifferences(a.summary, b.summary, 0) });
  await log.enter("judging");
  return [a, b];
}

/** Before a model is asked: a server that cannot be used costs nothing. */
async function openTools(
  { plan, services, signal }: Session,
  workspaces: readonly [Workspace, Workspace],
): Promise<AsyncDisposable & { readonly ofArms: readonly [ArmTools, ArmTools] }> {
  await using opened = new AsyncDisposableStack();
  const { arms, policies } = plan.scenario;
  const open = async (index: 0 | 1): Promise<ArmTools> => {
    const arm = arms[index];
    // An external agent starts its servers by itself.
    if (arm.agent) return NO_TOOLS;
    return opened.use(await openMcpTools(services, { arm, workspace: workspaces[index], policies }, signal));
  };
  const ofArms = [await open(0), await open(1)] as const;
  const held = opened.move();
  return { ofArms, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

/** When one arm fails through no fault of its own, the other is stopped: one arm alone cannot be compared. */
async function runBoth(session: Session, places: readonly [ArmPlace, ArmPlace]): Promise<[StoppedArm, StoppedArm]> {
  const { plan, log, services } = session;
  const { scenario, runners } = plan;
  const own = new AbortController();
  const signal = AbortSignal.any([session.signal, own.signal]);
  const conduct = async (index: 0 | 1) => {
    const [arm, runArm, place] = [scenario.arms[index], runners[index], places[index]];
    try {
      return await conductArm({ arm, runArm, ...place, scenario, log, services }, signal);
    } catch (error) {
      own.abort(error);
      throw error;
    }
  };
  // What was made elsewhere takes no time. Where its change cannot be made the other arm is not paid for.
  const first = scenario.arms.findIndex(({ ran }) => ran !== undefined);
  const imported = first === -1 ? undefined : conduct(first === 0 ? 0 : 1);
  await imported?.catch(() => undefined);
  const start = (index: 0 | 1) => (index === first && imported ? imported : conduct(index));
  const [a, b] = await Promise.allSettled([start(0), start(1)]);
  signal.throwIfAborted();
  if (a.status === "rejected") throw a.reason;
  if (b.status === "rejected") throw b.reason;
  return [a.value, b.value];
}

/** A trial that nobody could judge is lost to its series, so its judge is asked once more, if it was asked. */
async function judged({ plan, trial, log, signal }: Session, kase: Case): Promise<Verdict> {
  const verdict = await plan.chosen.judge(kase, signal);
  if (trial === undefined || verdict.outcome !== "invalid" || verdict.calls.length === 0) return verdict;
  log.note({ type: "judged", verdict });
  return await plan.chosen.judge(kase, signal);
}

function caseOf(plan: SessionPlan, [a, b]: readonly [JudgedArm, JudgedArm]): Omit<Case, "flags"> {
  const { scenario, loaded } = plan;
  const { name, task, policies, rubric } = scenario;
  const { inputs_from_checkout } = plan.settings;
  const known = { ...leftFor(plan, [a.summary, b.summary]), ...(inputs_from_checkout && { inputs_from_checkout }) };
  return { scenario: name, scenario_digest: loaded.digest, kind: "run", task, policies, rubric, a, b, ...known };
}

/** What is left of the run's cost limit. An arm whose cost is unknown counts with its own limit. */
function leftFor({ scenario, options }: SessionPlan, arms: readonly ArmSummary[]): Pick<Case, "left_usd"> {
  if (options.max_cost_usd === undefined) return {};
  const used = arms.map((arm, index) => paidFor(arm) ?? scenario.arms[index]?.limits.max_cost_usd ?? 0);
  return { left_usd: used.reduce((left, usd) => left - usd, options.max_cost_usd) };
}

/** What ends a session with an error. Those that are no Failure are told to whoever started the program. */
export function asFailure(error: unknown, services: Pick<SessionServices, "notice">): Failure {
  const failure = shortage(error) ?? (error instanceof Failure ? error : undefined);
  if (failure) return failure;
  services.notice(`internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return new Failure("internal", "an internal error ended the session; its details are in the program's log", {
    cause: error,
  });
}
