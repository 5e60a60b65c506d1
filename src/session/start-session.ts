import type { SessionOutcome, SessionState } from "../domain/session.ts";
import { pendingArm } from "./pending-arm.ts";
import type { SessionPlan } from "./prepare-session.ts";
import { firstStage, runSession } from "./run-session.ts";
import type { SessionServices } from "./services.ts";
import { claimSessionId } from "./session-id.ts";
import { SessionRecord } from "./session-record.ts";

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
  const slot = services.slots.takeFree();
  const started = claimAndRun(services, plan, slot);
  await services.store.committed().catch((failure: Error) => {
    // It may stand in line, where it would not hear of it before its turn.
    services.live.get(started.session_id)?.cancel(failure);
    throw failure;
  });
  return started;
}

/** With a slot it is stored as what it does first; without one it stands in line. */
function claimAndRun(services: SessionServices, plan: SessionPlan, slot: Disposable | undefined): StartedSession {
  try {
    const now = services.clock.now();
    const state = slot ? firstStage(plan.scenario) : "queued";
    const outcome = newOutcome(services, plan, now.toISOString(), state);
    const claim = (session_id: string) => services.store.create({ ...outcome, session_id });
    const session_id = claimSessionId(plan.scenario.name, now, claim);
    const live = services.live.open(session_id);
    const record = new SessionRecord({ ...outcome, session_id }, services);
    return { session_id, done: runSession({ plan, record, services, signal: live.signal, slot }) };
  } catch (error) {
    slot?.[Symbol.dispose]();
    throw error;
  }
}

function newOutcome(
  { version }: SessionServices,
  { loaded, scenario, options, settings, declared }: SessionPlan,
  created_at: string,
  state: SessionState,
): Omit<SessionOutcome, "session_id"> {
  const [first, second] = scenario.arms;
  return {
    scenario: scenario.name,
    scenario_digest: loaded.digest,
    state,
    created_at,
    started_at: state === "queued" ? null : created_at,
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
