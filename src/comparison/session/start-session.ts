import { Failure, wordsOf } from "../../domain/failure.ts";
import type { Run } from "../../store/store.ts";
import type { SessionPlan } from "../planning/prepare-session.ts";
import { type Reservation, reserve } from "../planning/reservation.ts";
import type { SessionServices } from "../planning/services.ts";
import { watchCancel } from "./cancel.ts";
import { conductSession, createSession, type PlannedRun, worstCaseOf } from "./run/conduct-session.ts";
import { RunLog } from "./run/run-log.ts";
import type { Session, Trial } from "./run-session.ts";
import type { Requester, StartedSession } from "./started-session.ts";
/**
 * Gives the session an id that can be read and streamed at once, and has it run in the background: here, or by whoever of
 * those on the same store has a place.
 * @throws KeyHeld when another request with the requester's key was first; Failure `overloaded`, `storage_full` or
 * `storage_failed`, among others `credentials_missing` and `sandbox_unavailable` when nobody could run it; then nothing was started.
 */
export async function startSession(
  services: SessionServices,
  plan: SessionPlan,
  trial?: Trial,
  requester: Requester = {},
): Promise<StartedSession> {
  const planned = { plan, place: trial?.place, requester };
  const started =
    services.shared && isOffered(services, plan)
      ? await (await import("./workers/offer-session.ts")).offerSession(services, services.shared, planned)
      : await startHere(services, planned, trial);
  const { session_id } = started;
  const series_id = trial?.place.series_id;
  services.news?.({ event: "accepted", session_id, scenario: plan.scenario.name, ...(series_id && { series_id }) });
  return started;
}

/** Whether any process that has a place may run it. A worker's brief cannot carry a stored arm, nor one that another session runs. */
export const isOffered = ({ shared }: Pick<SessionServices, "shared">, { options }: SessionPlan): boolean =>
  shared !== undefined && options.stored === undefined && options.shared === undefined;

async function startHere(services: SessionServices, planned: PlannedRun, trial?: Trial): Promise<StartedSession> {
  const { plan, requester } = planned;
  demandRoom(services);
  const place = placeInLine(services, requester.user);
  try {
    const reservation = await reserve(services, "run", worstCaseOf(plan));
    const run = await createSession(services, planned, (entry) => services.store.create(entry, requester.key)).catch(
      async (error: unknown) => {
        await reservation.settle(0);
        throw error;
      },
    );
    return conductHere(services, { plan, trial, run, ...place }, reservation);
  } catch (error) {
    leaveLine(place, error);
    throw error;
  }
}

interface PlaceInLine {
  readonly stop: AbortController;
  readonly slot: Promise<Disposable>;
  readonly waits: () => boolean;
}

/** Its place in line is taken before anything is waited for: others may ask for it meanwhile. */
export function placeInLine(
  { slots }: Pick<SessionServices, "slots">,
  user = UNNAMED,
  stop = new AbortController(),
): PlaceInLine {
  const slot = slots.acquire(stop.signal, user);
  let waits = true;
  void slot.then(() => {
    waits = false;
  }, ignored);
  return { stop, slot, waits: () => waits };
}

export function leaveLine({ stop, slot }: PlaceInLine, why: unknown): void {
  stop.abort(why);
  void slot.then((held) => held[Symbol.dispose](), ignored);
}

interface RunHere extends PlaceInLine, Pick<Session, "plan" | "trial" | "examined"> {
  readonly run: Run;
}

/** Has it run in the background of this process. */
export function conductHere(
  services: SessionServices,
  { run, stop, waits, ...session }: RunHere,
  reservation: Reservation,
): StartedSession {
  const { shared, store, clock } = services;
  const log = new RunLog(store, clock, run);
  const { session_id } = run;
  log.onStep = () => services.runs.stepped(session_id);
  const watched = shared && watchCancel(shared, { session_id, after: 1 }, stop);
  const done = conductSession({ ...session, log, services, signal: stop.signal }, reservation).finally(() =>
    watched?.[Symbol.dispose](),
  );
  // The end may have no listener.
  done.catch((error: unknown) => services.notice(`${session_id}: its outcome cannot be read: ${wordsOf(error)}`));
  services.runs.add(session_id, {
    waits,
    doing: () => log.doing,
    over: () => log.over,
    cancel: (reason) => stop.abort(reason),
    done,
  });
  return { session_id, done };
}

/** No name is empty: all who have none wait in one line. */
const UNNAMED = "";

const ignored = () => undefined;

/** @throws Failure `overloaded` */
export function demandRoom({ slots }: Pick<SessionServices, "slots">): void {
  if (!slots.isFull) return;
  throw new Failure("overloaded", `${slots.waiting} sessions are waiting already; try again later`, {
    retryable: true,
  });
}
