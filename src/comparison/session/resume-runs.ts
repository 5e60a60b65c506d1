import { Failure, wordsOf } from "../../domain/failure.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import { foldLog } from "../../store/read-session.ts";
import type { Run } from "../../store/store.ts";
import { dayOf } from "../planning/comparison.ts";
import { prepareSession, type RunOptions, type SessionPlan } from "../planning/prepare-session.ts";
import { reserve } from "../planning/reservation.ts";
import type { SessionServices } from "../planning/services.ts";
import { type LoadedScenario, oneMember } from "../scenario/loaded-scenario.ts";
import { hasMaterials } from "../scenario/pack.ts";
import type { ScenarioCatalog } from "../scenario/scenario-catalog.ts";
import { CANCELLED } from "./cancel.ts";
import { tellEnd, worstCaseOf } from "./run/conduct-session.ts";
import { RunLog } from "./run/run-log.ts";
import { conductHere, leaveLine, placeInLine } from "./start-session.ts";
import type { StartedSession } from "./started-session.ts";
import { createdOf, examinedIn } from "./workers/perform-session.ts";

type Services = SessionServices & { readonly catalog: Pick<ScenarioCatalog, "get"> };

interface Inherited {
  readonly run: Run;
  /** Fires when it is cancelled before it is planned. */
  readonly stop: AbortController;
  /** It is over with this. */
  over(done: Promise<unknown> | undefined): void;
}

/**
 * Runs that the server before fell silent over: they are in flight here from now on, and `resumeRuns` begins them again.
 */
export function inheritRuns({ runs: register }: Pick<Services, "runs">, runs: readonly Run[]): readonly Inherited[] {
  return runs.map((run) => {
    const stop = new AbortController();
    const { promise: done, resolve: over } = Promise.withResolvers<unknown>();
    const cancel = (reason: Failure) => stop.abort(reason);
    register.add(run.session_id, { waits: () => true, doing: () => "queued", over: () => false, cancel, done });
    return { run, stop, over };
  });
}

/**
 * Their order is made of their logs, and their scenarios are read anew: a run that would not be the same ends as interrupted. Never
 * rejects.
 */
export async function resumeRuns(services: Services, inherited: readonly Inherited[]): Promise<void> {
  for (const { run, stop, over } of inherited) {
    const started = await resume(services, run, stop).catch((error: unknown) => {
      services.runs.delete(run.session_id);
      services.notice(`${run.session_id}: ${wordsOf(error)}`);
    });
    over(started?.done);
  }
}

async function resume(services: Services, run: Run, stop: AbortController): Promise<StartedSession | undefined> {
  const entries = await services.store.read(run.session_id);
  const { session } = createdOf(entries);
  const place = placeInLine(services, session.user, stop);
  try {
    if (entries.some(({ entry }) => entry.type === "cancel_asked")) throw CANCELLED;
    const plan = await planOf(services, session);
    stop.signal.throwIfAborted();
    const reservation = await reserve(services, "run", worstCaseOf(plan));
    const kept = { trial: undefined, examined: examinedIn(entries) };
    const started = conductHere(services, { plan, run, ...kept, ...place }, reservation);
    services.news?.({ event: "claimed", ...run });
    return started;
  } catch (error) {
    leaveLine(place, error);
    const log = new RunLog(services.store, services.clock, run);
    await log.fail(error instanceof Failure && error.code === "cancelled" ? error : notBegun(error));
    services.runs.delete(run.session_id);
    const outcome = foldLog(await services.store.read(run.session_id));
    if (outcome) tellEnd(services, outcome, run.attempt);
    return undefined;
  }
}

const notBegun = (error: unknown) =>
  new Failure(
    "interrupted",
    `The server that ran it ended without a word, and it is not begun again: ${wordsOf(error)}`,
    { retryable: true },
  );

type Asked = Omit<SessionOutcome, "decisions" | "verdicts" | "votes">;

/** @throws Failure when it would not be what was asked for */
async function planOf(services: Services, session: Asked): Promise<SessionPlan> {
  const loaded = await loadedAgain(services, session);
  if (loaded.digest !== session.scenario_digest) throw changed("its scenario has changed since");
  const plan = await prepareSession(services, loaded, optionsOf(session));
  if (plan.comparison !== session.comparison)
    throw changed("its judge, its sandbox or an install of an arm has changed");
  return plan;
}

/** A scenario that came with its request stands in no catalog: what is stored of it says all, unless it names files. */
async function loadedAgain({ catalog }: Services, session: Asked): Promise<LoadedScenario> {
  const { scenario: name, definition, scenario_digest: digest } = session;
  try {
    return await oneMember(await catalog.get(name), definition.input?.id);
  } catch (error) {
    const isSent = error instanceof Failure && error.code === "unknown_scenario" && !hasMaterials(definition);
    if (isSent) return { definition, digest, file: name, directory: "/" };
    throw error;
  }
}

const changed = (why: string) => new Failure("invalid_scenario", why);

function optionsOf({ request, settings, created_at }: Asked): RunOptions {
  const { max_cost_usd, inputs_from_checkout, scripts = {} } = settings;
  const [drawn] = Object.values(scripts);
  return {
    day: dayOf(created_at),
    ...(request.model_override !== null && { model_override: request.model_override }),
    ...(request.judge_model !== null && { judge_model: request.judge_model }),
    ...(max_cost_usd && { max_cost_usd }),
    ...(drawn && { seed: drawn.seed, trial_number: drawn.trial }),
    ...(inputs_from_checkout && { inputs_from_checkout }),
  };
}
