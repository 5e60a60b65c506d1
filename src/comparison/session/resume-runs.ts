import { Failure, wordsOf } from "../../domain/failure.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import type { Run } from "../../store/store.ts";
import { prepareSession, type RunOptions, type SessionPlan } from "../planning/prepare-session.ts";
import { reserve } from "../planning/reservation.ts";
import type { SessionServices } from "../planning/services.ts";
import { oneMember } from "../scenario/loaded-scenario.ts";
import type { ScenarioCatalog } from "../scenario/scenario-catalog.ts";
import { worstCaseOf } from "./run/conduct-session.ts";
import { RunLog } from "./run/run-log.ts";
import { conductHere, leaveLine, placeInLine } from "./start-session.ts";
import { createdOf, examinedIn } from "./workers/perform-session.ts";

type Services = SessionServices & { readonly catalog: Pick<ScenarioCatalog, "get"> };

/**
 * Begins runs again that the server before fell silent over. Their order is made of their logs, and their scenarios are read anew:
 * a run that would not be the same ends as interrupted. Never rejects.
 */
export async function resumeRuns(services: Services, runs: readonly Run[]): Promise<void> {
  for (const run of runs)
    await resume(services, run).catch((error: unknown) => services.notice(`${run.session_id}: ${wordsOf(error)}`));
}

async function resume(services: Services, run: Run): Promise<void> {
  const entries = await services.store.read(run.session_id);
  const { session } = createdOf(entries);
  const place = placeInLine(services, session.user);
  try {
    const plan = await planOf(services, session);
    const reservation = await reserve(services, "run", worstCaseOf(plan));
    conductHere(services, { plan, trial: undefined, run, ...place, examined: examinedIn(entries) }, reservation);
    services.news?.({ event: "claimed", ...run });
  } catch (error) {
    leaveLine(place, error);
    const why = `The server that ran it ended without a word, and it is not begun again: ${wordsOf(error)}`;
    await new RunLog(services.store, services.clock, run).fail(new Failure("interrupted", why, { retryable: true }));
  }
}

type Asked = Omit<SessionOutcome, "decisions" | "verdicts" | "votes">;

/** @throws Failure when it would not be what was asked for */
async function planOf(services: Services, session: Asked): Promise<SessionPlan> {
  const loaded = await oneMember(await services.catalog.get(session.scenario), session.definition.input?.id);
  if (loaded.digest !== session.scenario_digest) throw changed("its scenario has changed since");
  const plan = await prepareSession(services, loaded, optionsOf(session));
  if (plan.comparison !== session.comparison)
    throw changed("its judge, its sandbox or an install of an arm has changed");
  return plan;
}

const changed = (why: string) => new Failure("invalid_scenario", why);

function optionsOf({ request, settings }: Asked): RunOptions {
  const { max_cost_usd, inputs_from_checkout, scripts = {} } = settings;
  const [drawn] = Object.values(scripts);
  return {
    ...(request.model_override !== null && { model_override: request.model_override }),
    ...(request.judge_model !== null && { judge_model: request.judge_model }),
    ...(max_cost_usd && { max_cost_usd }),
    ...(drawn && { seed: drawn.seed, trial_number: drawn.trial }),
    ...(inputs_from_checkout && { inputs_from_checkout }),
  };
}
