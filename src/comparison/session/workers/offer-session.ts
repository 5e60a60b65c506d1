import { Failure } from "../../../domain/failure.ts";
import type { Needs, SharedStore, Work } from "../../../store/shared-store.ts";
import { isOfSandbox, needsOfPlan, protocolsAmong, providersAmong, workersWithSlots } from "../../planning/needs.ts";
import { type Reservation, reserve } from "../../planning/reservation.ts";
import type { SessionServices } from "../../planning/services.ts";
import { createSession, type PlannedRun, worstCaseOf } from "../run/conduct-session.ts";
import { type StartedSession, startedBefore } from "../started-session.ts";
import { briefPrices, keepMaterials, type SessionOrder } from "./brief.ts";

/** A run that somebody may wait for goes before the trials of a series. */
const PRIORITY = { run: 10, trial: 0 };

/**
 * Queues a session for whoever has a place.
 * @throws Failure `credentials_missing`, `sandbox_unavailable` or `invalid_request` naming what no worker has, `overloaded`,
 * `storage_full`, `storage_failed`; then nothing was started.
 */
export async function offerSession(
  services: SessionServices,
  shared: SharedStore,
  asked: PlannedRun,
): Promise<StartedSession> {
  const needs = await needsOfPlan(services, asked.plan);
  await demandWorker(shared, needs);
  await keepMaterials(shared, asked.plan.loaded);
  const reservation = await reserve(services, "run", worstCaseOf(asked.plan));
  try {
    const brief = JSON.stringify(briefOf(services, asked, reservation));
    const priority = asked.place ? PRIORITY.trial : PRIORITY.run;
    const session_id = await createSession(services, asked, async (entry) => {
      const { session_id: id } = entry.session;
      const work: Work = { kind: "session", id, needs, priority, brief, user: asked.requester.user };
      return (await shared.queue.offerSession(entry, work, asked.requester.key)) ? id : undefined;
    });
    return startedBefore(services, session_id);
  } catch (error) {
    await reservation.settle(0);
    throw error;
  }
}

function briefOf(
  services: SessionServices,
  { plan: { options, chosen } }: PlannedRun,
  reservation: Reservation,
): SessionOrder {
  return {
    options: { ...options, judge_model: chosen.judge_model },
    prices: briefPrices(services.prices),
    reservation: reservation.held,
  };
}

/** @throws Failure naming what no process that takes runs has */
export async function demandWorker(shared: Pick<SharedStore, "workers">, needs: Needs): Promise<void> {
  const workers = await workersWithSlots(shared);
  if (workers.some(({ capabilities }) => needs.every((need) => capabilities.includes(need)))) return;
  if (workers.length === 0)
    throw new Failure("overloaded", "no worker is running: start `abeval serve --worker` with this database", {
      retryable: true,
    });
  const missing = needs.filter((need) => !workers.some(({ capabilities }) => capabilities.includes(need)));
  throw lacking(missing.length > 0 ? missing : needs, workers.length);
}

function lacking(needs: Needs, workers: number): Failure {
  const [protocols] = protocolsAmong(needs);
  if (protocols !== undefined)
    return new Failure(
      "overloaded",
      `no running worker has this server's protocols (${protocols}): start workers of its version, or use a server of theirs`,
      { retryable: true },
    );
  const code =
    providersAmong(needs).length > 0
      ? "credentials_missing"
      : needs.some(isOfSandbox)
        ? "sandbox_unavailable"
        : "invalid_request";
  const who = workers === 1 ? "the one worker has not all of" : `none of the ${workers} workers has all of`;
  return new Failure(code, `${who} what this run needs: ${needs.join(", ")}`, { details: { needs: [...needs] } });
}
