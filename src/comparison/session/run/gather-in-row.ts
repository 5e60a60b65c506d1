import type { Pristine } from "../../../arms/workspace/workspace.ts";
import { Failure } from "../../../domain/failure.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import type { JudgedArm } from "../../judge/judge.ts";
import { type Examination, observedDifferences, openArm, START_SKEW_MS } from "./open-arm.ts";
import type { RoundRow, SharedRun } from "./round-row.ts";

interface InRow extends Examination {
  /** Its place among the sessions that run at once. */
  readonly slot: Promise<Disposable>;
}

/**
 * Takes the arms that run here through their stages, and has the others from the sessions that run them. An arm that fails takes
 * nothing from the other one: other pairs of the round judge its run.
 * @param pristine absent where no arm runs here
 */
export async function gatherInRow(
  session: InRow,
  row: RoundRow,
  pristine?: Pristine,
): Promise<readonly [JudgedArm, JudgedArm]> {
  const { plan, log } = session;
  await log.enter("running");
  const own = await Promise.allSettled(
    ([0, 1] as const).map(async (index) => {
      if (pristine && !plan.sources[index].shared) await runHere(session, row, pristine, index);
    }),
  );
  // Whoever waits for the round lets others run meanwhile.
  (await session.slot)[Symbol.dispose]();
  const shown = await Promise.allSettled(([0, 1] as const).map((index) => shownHere(session, row, index)));
  for (const result of [...own, ...shown]) if (result.status === "rejected") throw result.reason;
  const [a, b] = shown.map((result) => (result as PromiseFulfilledResult<SharedRun>).value) as [SharedRun, SharedRun]; // none was rejected
  const skew_ms = a.began_ticks === null || b.began_ticks === null ? 0 : a.began_ticks - b.began_ticks;
  const differences = observedDifferences(a.judged.summary, b.judged.summary, skew_ms);
  log.note({ type: "observed", differences, ...(areApart(a, b) && { apart: true as const }) });
  await log.enter("judging");
  return [a.judged, b.judged];
}

/** Whether one had stopped before the other began, by more than a moment. A run of an earlier attempt had. */
function areApart(a: SharedRun, b: SharedRun): boolean {
  if (a.began_ticks === null || b.began_ticks === null) return a.began_ticks !== b.began_ticks;
  const [first, skew_ms] = [a.began_ticks < b.began_ticks ? a : b, Math.abs(a.began_ticks - b.began_ticks)];
  return skew_ms >= Math.max(START_SKEW_MS, first.judged.summary.wall_ms ?? Number.POSITIVE_INFINITY);
}

async function runHere(session: InRow, row: RoundRow, pristine: Pristine, index: 0 | 1): Promise<void> {
  const { plan, log, signal } = session;
  const { id } = plan.scenario.arms[index];
  try {
    await using arm = await openArm(session, pristine, index);
    const { began_ticks, stopped, examine } = await arm.run(signal);
    if (stopped === null) throw new Error(`${id} did not run here`);
    row.left(id, { stopped, judged: await examine(), log, began_ticks, examination: session });
  } catch (error) {
    row.lost(id, error);
    throw error;
  }
}

async function shownHere({ plan, log, signal }: InRow, row: RoundRow, index: 0 | 1): Promise<SharedRun> {
  const { id, title } = plan.scenario.arms[index];
  const { shared: from } = plan.sources[index];
  const run = await row.run(id).catch((error: unknown) => {
    if (from) log.note({ type: "arm_shared", arm_id: id, from, summary: brokenBy(error) });
    // Who cancelled the session that ran it did not cancel this one: it is tried again.
    const isOfOther = from && !signal.aborted && error instanceof Failure && error.code === "cancelled";
    throw isOfOther
      ? new Failure("interrupted", `${id} was cancelled in ${from.session_id}`, { retryable: true })
      : error;
  });
  if (!from) return run;
  const judged: JudgedArm = {
    pointer: { session_id: log.session_id, arm_id: id },
    summary: { ...run.judged.summary, arm_id: id, title, shared: from },
    decisions: run.judged.decisions,
  };
  log.note({ type: "arm_shared", arm_id: id, from, summary: withoutTexts(judged.summary) });
  return { ...run, judged };
}

const brokenBy = (error: unknown): Pick<ArmSummary, "status" | "error"> =>
  error instanceof Failure && (error.code === "cancelled" || error.code === "interrupted")
    ? { status: "cancelled", error: null }
    : { status: "failed", error: error instanceof Failure ? error.message : "an internal error" };

/** Characters of an answer that stand in each session which shows it. */
const ANSWER_CHARS = 500;

/** What lists and rows need of it: the rest is read from where it ran. */
function withoutTexts({ shared: _, answers: __, ...summary }: ArmSummary): ArmSummary {
  const { final_answer, probe } = summary;
  return {
    ...summary,
    final_answer: final_answer === null ? null : final_answer.slice(0, ANSWER_CHARS),
    changes: null,
    probe: probe && { ...probe, checks: probe.checks.map((check) => ({ ...check, output: "" })) },
  };
}
