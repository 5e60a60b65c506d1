import { Failure } from "../domain/failure.ts";
import type { SessionOutcome } from "../domain/session.ts";
import type { CreatedEntry } from "../domain/session-entry.ts";
import { foldLog } from "../store/read-session.ts";
import type { Run } from "../store/store.ts";
import { pendingArm } from "./pending-arm.ts";
import type { SessionPlan } from "./prepare-session.ts";
import { type Reservation, reserve } from "./reservation.ts";
import { RunLog } from "./run-log.ts";
import { runSession, type Session, type Trial } from "./run-session.ts";
import type { SessionServices } from "./services.ts";
import { sessionId } from "./session-id.ts";
import { type CostByPart, payable } from "./worst-case-cost.ts";

export interface StartedSession {
  readonly session_id: string;
  /** A failed run is an outcome too. @throws Failure when the outcome cannot be read. */
  readonly done: Promise<SessionOutcome>;
}

/**
 * Gives the session an id that can be read and streamed at once, and runs it in the background.
 * @throws Failure `overloaded`, `storage_full` or `storage_failed`; then nothing was started.
 */
export async function startSession(
  services: SessionServices,
  plan: SessionPlan,
  trial?: Trial,
): Promise<StartedSession> {
  demandRoom(services);
  const stop = new AbortController();
  // Its place in line is taken before anything is waited for: others may ask for it meanwhile.
  const slot = services.slots.acquire(stop.signal);
  let waits = true;
  void slot.then(() => {
    waits = false;
  }, ignored);
  try {
    const reservation = await reserve(services, "run", paid(plan, plan.worst_case));
    const run = await createSession(services, { plan, trial }, reservation);
    const log = new RunLog(services.store, services.clock, run);
    const done = finish({ plan, trial, log, slot, services, signal: stop.signal }, reservation);
    // Nobody may be waiting for it.
    done.catch((error: unknown) => services.notice(`${run.session_id}: its outcome cannot be read: ${error}`));
    services.runs.add({
      session_id: run.session_id,
      waits: () => waits,
      over: () => log.over,
      cancel: (reason) => stop.abort(reason),
      done,
    });
    return { session_id: run.session_id, done };
  } catch (error) {
    stop.abort(error);
    void slot.then((held) => held[Symbol.dispose](), ignored);
    throw error;
  }
}

const ignored = () => undefined;

/** @throws Failure `overloaded` */
export function demandRoom({ slots }: Pick<SessionServices, "slots">): void {
  if (!slots.isFull) return;
  throw new Failure("overloaded", `${slots.waiting} sessions are waiting already; try again later`, {
    retryable: true,
  });
}

/** A plan, and the trial that it is run as. */
interface Asked {
  readonly plan: SessionPlan;
  readonly trial: Trial | undefined;
}

async function createSession(services: SessionServices, asked: Asked, reservation: Reservation): Promise<Run> {
  const now = services.clock.now();
  const created_at = now.toISOString();
  try {
    // An id that is taken bumps the millisecond.
    for (let time = now.getTime(); ; time += 1) {
      const session_id = sessionId(asked.plan.scenario.name, new Date(time));
      const run = await services.store.create(createdEntry(services, asked, { session_id, created_at }));
      if (run !== undefined) return run;
    }
  } catch (error) {
    await reservation.settle(0);
    throw error;
  }
}

/** Whatever happens, the reservation is settled and the run is in flight no more. */
async function finish(session: Session, reservation: Reservation): Promise<SessionOutcome> {
  const { plan, log, services } = session;
  let cost_usd: number | null = null;
  try {
    await runSession(session);
    const outcome = foldLog(await services.store.read(log.session_id));
    if (outcome === undefined) throw new Error(`the log of ${log.session_id} is gone`);
    cost_usd = costOfRun(plan, outcome);
    return outcome;
  } finally {
    await reservation.settle(cost_usd);
    services.runs.delete(log.session_id);
  }
}

/** An arm or a judge whose use is unknown has cost all that it might. */
function costOfRun(plan: SessionPlan, { arms: [first, second] }: SessionOutcome): number | null {
  const { worst_case, chosen } = plan;
  return paid(plan, {
    arms: [first.cost_usd ?? worst_case.arms[0], second.cost_usd ?? worst_case.arms[1]],
    judge: chosen.spent_usd() ?? worst_case.judge,
  });
}

const paid = ({ scenario, settings }: SessionPlan, costs: CostByPart) => payable(scenario, settings.replayed, costs);

function createdEntry(
  { version }: SessionServices,
  { plan: { loaded, scenario, options, settings, declared, comparison }, trial }: Asked,
  identity: Pick<SessionOutcome, "session_id" | "created_at">,
): CreatedEntry {
  const [first, second] = scenario.arms;
  return {
    type: "created",
    session: {
      ...identity,
      scenario: scenario.name,
      scenario_digest: loaded.digest,
      state: "queued",
      started_at: null,
      finished_at: null,
      request: { model_override: options.model_override ?? null, judge_model: options.judge_model ?? null },
      definition: loaded.definition,
      settings,
      arms: [pendingArm(first), pendingArm(second)],
      verdict: null,
      fairness: { declared: [...declared], observed: [] },
      totals: { tokens_in: null, tokens_out: null, cost_usd: null, wall_ms: null },
      failure: null,
      version,
      comparison,
      ...(trial && { trial: trial.place }),
    },
  };
}
