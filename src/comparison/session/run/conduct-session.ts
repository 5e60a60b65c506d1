import { Failure } from "../../../domain/failure.ts";
import { paidFor } from "../../../domain/ran.ts";
import { idTime, type SessionOutcome, type TrialPlace } from "../../../domain/session.ts";
import type { CreatedEntry } from "../../../domain/session-entry.ts";
import { sumKnown } from "../../../domain/usage.ts";
import { foldLog } from "../../../store/read-session.ts";
import { demandFree } from "../../../store/request-keys.ts";
import type { SessionPlan } from "../../planning/prepare-session.ts";
import type { Reservation } from "../../planning/reservation.ts";
import type { SessionServices } from "../../planning/services.ts";
import { type CostByPart, payable } from "../../planning/worst-case-cost.ts";
import { runSession, type Session } from "../run-session.ts";
import type { Requester } from "../started-session.ts";
import { pendingArm } from "../stored-arm.ts";

/**
 * Runs a session to its end. Whatever happens, the reservation is settled and the run is in flight no more.
 * @throws Failure when the outcome cannot be read
 */
export async function conductSession(session: Session, reservation: Reservation): Promise<SessionOutcome> {
  const { plan, log, services } = session;
  let cost_usd: number | null = null;
  try {
    await runSession(session);
    const outcome = log.outcome ?? foldLog(await services.store.read(log.session_id));
    if (outcome === undefined || (outcome.finished_at === null && !services.shared))
      throw new Failure("interrupted", `${log.session_id} was deleted or taken while it ran`, { retryable: true });
    cost_usd = costOfRun(plan, outcome);
    if (!log.abandoned) tellEnd(services, outcome, log.attempt);
    return outcome;
  } finally {
    await reservation.settle(cost_usd);
    services.runs.delete(log.session_id);
  }
}

/** Says how a run ended, and in which attempt. */
export function tellEnd({ news }: Pick<Session["services"], "news">, outcome: SessionOutcome, attempt: number): void {
  const { session_id, scenario, state, failure } = outcome;
  news?.({ event: "ended", session_id, scenario, attempt, state, ...(failure && { code: failure.code }) });
}

/** An arm or a judge whose use is unknown has cost all that it might. */
function costOfRun(plan: SessionPlan, { arms: [first, second], lost_attempts = [] }: SessionOutcome): number | null {
  const { worst_case, chosen } = plan;
  const paid: CostByPart = { arms: [paidFor(first), paidFor(second)], judge: chosen.spent_usd() };
  const known_usd = payableOf(plan, paid);
  const most_usd = payableOf(plan, {
    arms: [paid.arms[0] ?? worst_case.arms[0], paid.arms[1] ?? worst_case.arms[1]],
    judge: paid.judge ?? worst_case.judge,
  });
  const cost_usd = known_usd ?? withinLimit(plan, most_usd);
  return sumKnown([cost_usd, ...lost_attempts.map((lost) => lost.cost_usd)]);
}

const payableOf = ({ scenario, settings }: SessionPlan, costs: CostByPart) =>
  payable(scenario, settings.replayed, costs);

/** The most that it may cost whoever pays for it: no call is made that its own limit does not pay for. */
export const worstCaseOf = (plan: SessionPlan) => withinLimit(plan, payableOf(plan, plan.worst_case));

const withinLimit = ({ options: { max_cost_usd } }: SessionPlan, usd: number | null) =>
  usd === null ? null : Math.min(usd, max_cost_usd ?? usd);

/** A plan, the trial that it is run as, and who asked for it. */
export interface PlannedRun {
  readonly plan: SessionPlan;
  readonly place: TrialPlace | undefined;
  readonly requester: Requester;
}

/**
 * Has `store` begin the log of a queued session under an id that nobody has, and gives what it gave.
 * @param store undefined when the id is taken, or the key
 * @throws KeyHeld when another request with the key was first
 */
export async function createSession<T>(
  services: Pick<SessionServices, "clock" | "version" | "store">,
  asked: PlannedRun,
  store: (entry: CreatedEntry) => Promise<T | undefined>,
): Promise<T> {
  const now = services.clock.now();
  const created_at = now.toISOString();
  // An id that is taken bumps the millisecond.
  for (let time = now.getTime(); ; time += 1) {
    const session_id = sessionId(asked.plan.scenario.name, new Date(time));
    const created = await store(createdEntry(services, asked, { session_id, created_at }));
    if (created !== undefined) return created;
    await demandFree(services.store.request_keys, asked.requester.key);
  }
}

function createdEntry(
  { version }: Pick<SessionServices, "version">,
  { plan, place, requester: { user } }: PlannedRun,
  identity: Pick<SessionOutcome, "session_id" | "created_at">,
): CreatedEntry {
  const { loaded, scenario, options, settings, declared, comparison, evidence_digests } = plan;
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
      request: {
        model_override: options.model_override ?? null,
        judge_model: options.judge_model ?? null,
        ...(options.single && { single: true }),
      },
      definition: loaded.definition,
      settings,
      arms: [pendingArm(first), pendingArm(second)],
      verdict: null,
      fairness: { declared: [...declared], observed: [] },
      totals: { tokens_in: null, tokens_out: null, cost_usd: null, wall_ms: null },
      failure: null,
      version,
      comparison,
      evidence_digests,
      ...(place && { trial: place }),
      ...(user !== undefined && { user }),
    },
  };
}

/** `session-<scenario>-<yyyymmddThhmmssmmmZ>`, UTC. */
export function sessionId(scenario: string, at: Date): string {
  return `session-${scenario}-${idTime(at.toISOString())}`;
}
