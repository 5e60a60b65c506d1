import { oneMember } from "../../comparison/scenario/loaded-scenario.ts";
import { pairOf } from "../../comparison/scenario/pair.ts";
import { cancelInFlight, isInFlight } from "../../comparison/session/in-flight.ts";
import { type Requester, type StartedSession, startedBefore } from "../../comparison/session/started-session.ts";
import { Failure } from "../../domain/failure.ts";
import type { RunRequest } from "../../domain/request.ts";
import { ownTurn } from "../../runtime/pace.ts";
import { doOnce } from "./do-once.ts";
import { scenariosWith } from "./intake.ts";
import type { Operation, Services } from "./operation.ts";

/** @throws Failure for everything that can be refused before anything is spent. */
export async function startRun(
  services: Services,
  request: RunRequest,
  requester: Requester = {},
): Promise<StartedSession> {
  return await doOnce(services, requester, {
    start: () => startNew(services, request, requester),
    again: async (session_id) => startedBefore(services, session_id),
  });
}

async function startNew(
  services: Services,
  { scenario, definition, input, arms, ...options }: RunRequest,
  requester: Requester,
): Promise<StartedSession> {
  // Reading and preparing take a few milliseconds each. Without a pause a hundred simultaneous requests would block everybody
  // else, and none would ask its models before all are prepared.
  await ownTurn();
  const read = await scenariosWith(services, [scenario], definition && [definition]);
  const member = await oneMember(await read(scenario), input);
  const loaded = arms ? pairOf(member, arms as [string, string]) : member; // the schema counts them
  const [{ prepareSession }, { startSession }] = await loadEngine();
  const planned = await planning(services);
  await ownTurn();
  return await startSession(services, await prepareSession(planned, loaded, options), undefined, requester);
}

/** What a run is planned with: on a shared store what some worker has. */
const planning = async (services: Services) =>
  services.shared
    ? await (await import("../../comparison/session/plan-for-workers.ts")).planningServices(services)
    : services;

let engine: ReturnType<typeof importEngine> | undefined;

/** Loads what runs a session only when it is needed: it is most of the program, and a server answers without it. */
const loadEngine = () => {
  engine ??= importEngine();
  return engine;
};

const importEngine = () =>
  Promise.all([
    import("../../comparison/planning/prepare-session.ts"),
    import("../../comparison/session/start-session.ts"),
  ]);

export const runScenario: Operation<"runScenario"> = async (services, request, _signal, requester) => {
  const { done } = await startRun(services, request, requester);
  const outcome = await done;
  if (outcome.failure === null) return outcome;
  const { code, message, retryable } = outcome.failure;
  const details = { session_id: outcome.session_id, stage: outcome.failure.stage };
  throw new Failure(code, message, { retryable, details });
};

export const startScenario: Operation<"startScenario"> = async (services, request, _signal, requester) => {
  const { session_id } = await startRun(services, request, requester);
  return { session_id };
};

/** @throws Failure `not_live` for a session that has ended, or is unknown */
export async function demandInFlight(services: Services, session_id: string): Promise<void> {
  if (!(await isInFlight(services, session_id))) throw notLive(session_id);
}

/** Stops a run in flight or queued; its stream ends with `session_failed`. @throws Failure `not_live`. */
export const cancelRun: Operation<"cancelRun"> = async (services, { id }) => {
  if (await cancelInFlight(services, id)) return { session_id: id };
  throw notLive(id);
};

/** Stops every series and every run in flight, and waits until each is stored and its workspaces are gone. */
export async function stopRuns({ runs, series }: Pick<Services, "runs" | "series">, reason: Failure): Promise<void> {
  const inFlight = () => [...series.all(), ...runs.all()];
  for (let left = inFlight(); left.length > 0; left = inFlight()) {
    for (const one of left) one.cancel(reason);
    await Promise.allSettled(left.map(({ done }) => done));
  }
}

const notLive = (session_id: string) =>
  new Failure(
    "not_live",
    `no run of ${JSON.stringify(session_id.slice(0, 100))} is in flight; read the session instead`,
  );
