import { openPristine } from "../../arms/workspace/pristine.ts";
import type { Pristine } from "../../arms/workspace/workspace.ts";
import { Failure } from "../../domain/failure.ts";
import type { SeriesSummary } from "../../domain/series-summary.ts";
import type { TrialPlace } from "../../domain/session.ts";
import { shortage } from "../../domain/shortage.ts";
import { ownPrompts } from "../../domain/task.ts";
import type { Verdict } from "../../domain/verdict.ts";
import type { Case, JudgedArm } from "../judge/judge.ts";
import { judgeFlags } from "../planning/choose-judge.ts";
import { serversOf } from "../planning/mcp-tools.ts";
import { purseOf, type SessionPlan } from "../planning/prepare-session.ts";
import type { SessionServices } from "../planning/services.ts";
import { workspacePlaces } from "../planning/task-image.ts";
import { fixtureSource } from "../scenario/fixture-source.ts";
import { withoutCoinFlips } from "./repeat-checks.ts";
import { gatherInRow } from "./run/gather-in-row.ts";
import { type ArmLeft, observedDifferences, openArm, runBoth } from "./run/open-arm.ts";
import type { RoundRow } from "./run/round-row.ts";
import type { RunLog, SummaryOfTrials } from "./run/run-log.ts";
/** What makes a run a trial. */
export interface Trial {
  readonly place: TrialPlace;
  /** The arms of its round, where it is of a contest. */
  readonly row?: RoundRow;
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
  const { plan, log, services, signal, trial } = session;
  const { task, arms } = plan.scenario;
  const { setup } = task;
  if (trial?.row && plan.sources.every(({ shared }) => shared)) return await gatherInRow(session, trial.row);
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
  return await (trial?.row ? gatherInRow(session, trial.row, pristine) : gatherArms(session, pristine));
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

/** Takes both arms through their stages. Looks at what they left when both have stopped. */
async function gatherArms(session: Session, pristine: Pristine): Promise<Examined> {
  const { plan, log, signal } = session;
  await using first = await openArm(session, pristine, 0);
  await using second = await openArm(session, pristine, 1);
  const arms = [first, second] as const;
  await log.enter("running");
  const [a, b] = await runBoth(arms, signal);
  const skew_ms = a.began_ticks === null || b.began_ticks === null ? 0 : a.began_ticks - b.began_ticks;
  log.note({ type: "observed", differences: observedDifferences(a.summary, b.summary, skew_ms) });
  if (arms.some(({ workspace }) => workspace?.location) || plan.scenario.task.probe !== null)
    await log.enter("probing");
  const examined = await examinedPair(session, a, b);
  await log.enter("judging");
  // Their disk is given back while the judge works. It is asked first: a program that removes takes milliseconds to start.
  // Otherwise they go with the fixture.
  setImmediate(() => {
    for (const { workspace } of arms) void workspace?.[Symbol.asyncDispose]();
  });
  return examined;
}

async function examinedPair(session: Session, a: ArmLeft, b: ArmLeft): Promise<Examined> {
  const examined = [await a.examine(), await b.examine()] as const;
  // What was looked at before is looked at no more.
  if (a.stopped === null || b.stopped === null) return examined;
  const { log } = session;
  const [first, second] = await withoutCoinFlips(session, [
    { stopped: a.stopped, judged: examined[0], log },
    { stopped: b.stopped, judged: examined[1], log },
  ]);
  return [first ?? examined[0], second ?? examined[1]];
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
  const { name, input, task, policies, rubric } = scenario;
  const { inputs_from_checkout } = plan.settings;
  const { single = false } = plan.options;
  const told = { single, ...(inputs_from_checkout && { inputs_from_checkout }) };
  const known = { purse: purseOf(plan, "judge"), ...told };
  const subject = { scenario: name, input: input?.id, scenario_digest: loaded.digest };
  const prompts = ownPrompts(scenario.arms);
  return { ...subject, kind: "run", task, prompts, policies, rubric, a, b, ...known };
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
