import type { SessionOutcome } from "../domain/session.ts";
import { sumKnown } from "../domain/usage.ts";
import { dearestSum } from "./dearest.ts";
import { pendingArm } from "./pending-arm.ts";
import type { SessionPlan } from "./prepare-session.ts";
import { runSession } from "./run-session.ts";
import type { SessionServices } from "./services.ts";
import { SessionRecord } from "./session-record.ts";
import { type Reservation, setAside } from "./spending.ts";

export interface StartedSession {
  readonly session_id: string;
  /** Never rejects for a failed run: that is an outcome too. */
  readonly done: Promise<SessionOutcome>;
}

/**
 * Gives the session an id that can be read and streamed at once, and runs it in the background.
 * @throws Failure `overloaded`, `storage_full` or `storage_failed`; then nothing was started.
 */
export async function startSession(services: SessionServices, plan: SessionPlan): Promise<StartedSession> {
  services.slots.admit();
  const reservation = setAside(services, "run", dearestSum(plan.dearest));
  const now = services.clock.now();
  const queued = queuedOutcome(services, plan, now.toISOString());
  const session_id = claimId(services, queued, now, reservation);
  const live = services.live.open(session_id);
  const record = new SessionRecord({ ...queued, session_id }, services);
  const done = runSession({ plan, record, services, signal: live.signal }).then((outcome) => {
    reservation.settle(costOfRun(plan, outcome));
    return outcome;
  });
  await services.store.committed().catch((failure: Error) => {
    // It may stand in line, where it would not hear of it before its turn.
    live.cancel(failure);
    throw failure;
  });
  return { session_id, done };
}

function claimId(
  { store, ids }: SessionServices,
  queued: Omit<SessionOutcome, "session_id">,
  now: Date,
  reservation: Reservation,
): string {
  try {
    return ids.claim(queued.scenario, now, (session_id) => store.create({ ...queued, session_id }));
  } catch (error) {
    reservation.settle(0);
    throw error;
  }
}

/** An arm or a judge whose use is unknown has cost all that it might. */
function costOfRun({ dearest, chosen }: SessionPlan, { arms }: SessionOutcome): number | null {
  const [first, second] = arms;
  return sumKnown([
    first.cost_usd ?? dearest.arms[0],
    second.cost_usd ?? dearest.arms[1],
    chosen.spent_usd() ?? dearest.judge,
  ]);
}

function queuedOutcome(
  { version }: SessionServices,
  { loaded, scenario, options, settings, declared }: SessionPlan,
  created_at: string,
): Omit<SessionOutcome, "session_id"> {
  const [first, second] = scenario.arms;
  return {
    scenario: scenario.name,
    scenario_digest: loaded.digest,
    state: "queued",
    created_at,
    started_at: null,
    finished_at: null,
    request: { model_override: options.model_override ?? null, judge_model: options.judge_model ?? null },
    definition: loaded.definition,
    settings,
    arms: [pendingArm(first), pendingArm(second)],
    decisions: { [first.id]: [], [second.id]: [] },
    verdict: null,
    verdicts: [],
    fairness: { declared: [...declared], observed: [] },
    totals: { tokens_in: null, tokens_out: null, cost_usd: null, wall_ms: null },
    failure: null,
    version,
  };
}
