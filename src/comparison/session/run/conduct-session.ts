import { Failure } from "../../../domain/failure.ts";
import { paidFor } from "../../../domain/ran.ts";
import type { SessionOutcome } from "../../../domain/session.ts";
import { sumKnown } from "../../../domain/usage.ts";
import { foldLog } from "../../../store/read-session.ts";
import type { SessionPlan } from "../../planning/prepare-session.ts";
import type { Reservation } from "../../planning/reservation.ts";
import { type CostByPart, payable } from "../../planning/worst-case-cost.ts";
import { runSession, type Session } from "../run-session.ts";

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
    if (!log.abandoned) tellEnd(services, outcome);
    return outcome;
  } finally {
    await reservation.settle(cost_usd);
    services.runs.delete(log.session_id);
  }
}

/** Says how a run ended. */
export function tellEnd({ news }: Pick<Session["services"], "news">, outcome: SessionOutcome): void {
  const { session_id, scenario, state, failure } = outcome;
  news?.({ event: "ended", session_id, scenario, state, ...(failure && { code: failure.code }) });
}

/** An arm or a judge whose use is unknown has cost all that it might. */
function costOfRun(plan: SessionPlan, { arms: [first, second], lost_attempts = [] }: SessionOutcome): number | null {
  const { worst_case, chosen } = plan;
  const cost_usd = payableOf(plan, {
    arms: [paidFor(first) ?? worst_case.arms[0], paidFor(second) ?? worst_case.arms[1]],
    judge: chosen.spent_usd() ?? worst_case.judge,
  });
  return sumKnown([cost_usd, ...lost_attempts.map((lost) => lost.cost_usd)]);
}

const payableOf = ({ scenario, settings }: SessionPlan, costs: CostByPart) =>
  payable(scenario, settings.replayed, costs);

/** The most that it may cost whoever pays for it. */
export const worstCaseOf = (plan: SessionPlan) => payableOf(plan, plan.worst_case);
