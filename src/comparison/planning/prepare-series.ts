import { canonicalJson } from "../../domain/canonical-json.ts";
import { Failure } from "../../domain/failure.ts";
import { memberName, withInputId } from "../../domain/member.ts";
import { isScripted } from "../../domain/model-name.ts";
import {
  ALPHA,
  DEFAULT_TRIALS,
  MARGIN,
  MAX_SCENARIOS,
  MAX_TRIALS_IN_ALL,
  SERIES_PROTOCOL,
  type SeriesLimits,
  type SeriesPlan,
  type SeriesRecord,
} from "../../domain/series-record.ts";
import type { SeriesRequest } from "../../domain/series-request.ts";
import { sha256 } from "../../domain/sha256.ts";
import { sumKnown } from "../../domain/usage.ts";
import { Pace } from "../../runtime/pace.ts";
import { leastTrials, type TrialSpec } from "../../statistics/advance.ts";
import { differences } from "../scenario/declared-differences.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { demandEveryPrice } from "./cost-limits.ts";
import { prepareSession, type SessionPlan } from "./prepare-session.ts";
import type { SessionServices } from "./services.ts";
import { worstCaseTotal } from "./worst-case-cost.ts";

export type SeriesOptions = Omit<SeriesRequest, "scenarios" | "continue">;

/** A series that can start: everything that could refuse it has been asked. */
export interface SeriesSetup {
  readonly plan: SeriesPlan;
  readonly plan_digest: string;
  readonly limits: SeriesLimits;
  /** The most that a trial may cost, USD; null = unknown. */
  readonly estimate_usd: number | null;
  /** The first trial of each scenario, in their order. */
  readonly plans: readonly SessionPlan[];
  /** A trial that can start. @throws Failure as `prepareSession`, `invalid_scenario` when its scenario is not the plan's any more */
  readonly prepare: (spec: TrialSpec) => Promise<SessionPlan>;
}

export interface SeriesSource {
  /** The scenarios in the order of a round. */
  readonly scenarios: readonly LoadedScenario[];
  /** The scenario, or the row of its inputs, as it is now. */
  readonly load: (scenario: string, input?: string) => Promise<LoadedScenario>;
}

/** A series of scenarios that were read at the start. They run as they were read, whatever becomes of their files. */
export function seriesSource(scenarios: readonly LoadedScenario[]): SeriesSource {
  const byName = new Map(scenarios.map((loaded) => [nameOf(loaded), loaded]));
  const load = async (scenario: string, input?: string) => {
    const name = memberName({ scenario, input });
    const loaded = byName.get(name);
    if (loaded) return loaded;
    throw new Failure("unknown_scenario", `${name} is not of this series`);
  };
  return { scenarios, load };
}

/** Preparing a member takes as long as looking at so many entries of a directory. */
const MEMBER_UNITS = 10;

const nameOf = ({ definition: { name, input } }: LoadedScenario) => memberName({ scenario: name, input: input?.id });

type Services = Omit<SessionServices, "store">;

/**
 * Spends nothing and writes nothing. What `options` leave open is as in `before`, the series that goes on.
 * @throws Failure as `prepareSession`, `invalid_request` for scenarios, limits or a plan that cannot make one series
 */
export async function prepareSeries(
  services: Services,
  { scenarios, load }: SeriesSource,
  given: SeriesOptions,
  before?: SeriesRecord,
): Promise<SeriesSetup> {
  demandOneSeries(scenarios);
  const options = before ? { ...chosenBefore(before), ...given } : given;
  const limits = limitsOf(options, scenarios.length);
  const { judge_model, model_override, margin = MARGIN, seed } = options;
  const replacement = {
    ...(judge_model !== undefined && { judge_model }),
    ...(model_override !== undefined && { model_override }),
  };
  const plans: SessionPlan[] = [];
  const pace = new Pace();
  for (const [place, loaded] of scenarios.entries()) {
    plans.push(await prepareSession(services, loaded, { ...replacement, series_trial: place + 1 }));
    await pace.units(MEMBER_UNITS);
  }
  const plan = planOf(plans, { margin, model_override, seed });
  const plan_digest = sha256(canonicalJson(plan));
  if (before && before.plan_digest !== plan_digest) throw otherPlan(before, plan, plans);
  const estimate_usd = demandMoney(plans, limits);
  const places = new Map(plan.scenarios.map((one, place) => [memberName(one), place]));
  const prepare = async ({ trial, round, ...member }: TrialSpec) => {
    const loaded = await load(member.scenario, member.input);
    const name = memberName(member);
    const place = places.get(name) ?? -1;
    const planned = plan.scenarios[place];
    if (loaded.digest !== planned?.digest)
      throw new Failure(
        "invalid_scenario",
        `${name} was changed while its series ran (digest ${loaded.digest.slice(0, 12)}, planned ${planned?.digest.slice(0, 12)}); start a new series`,
      );
    // The number that it has where none is lost: a trial that is run again replays what it would have, as do those after it.
    const trial_number = (round - 1) * plan.scenarios.length + place + 1;
    const place_in_series = { seed: plan.seed, trial_number, series_trial: trial };
    const prepared = await prepareSession(services, loaded, { ...replacement, ...place_in_series });
    if (prepared.comparison !== planned.comparison)
      throw new Failure(
        "invalid_scenario",
        `what is compared in ${name} was changed while its series ran: an install of an arm, or the sandbox; start a new series`,
      );
    return prepared;
  };
  return { plan, plan_digest, limits, estimate_usd, plans, prepare };
}

const chosenBefore = ({ plan, limits }: SeriesRecord): SeriesOptions => ({
  trials: limits.trials,
  stop_when_sure: limits.stop_when_sure,
  parallel: limits.parallel,
  ...(limits.max_cost_usd !== null && { max_cost_usd: limits.max_cost_usd }),
  judge_model: plan.judge_model,
  ...(plan.model_override !== null && { model_override: plan.model_override }),
  margin: plan.margin,
  seed: plan.seed,
});

/** @throws Failure `invalid_request` */
function demandOneSeries(scenarios: readonly LoadedScenario[]): void {
  const [first, ...others] = scenarios;
  if (first === undefined) throw new Failure("invalid_request", "a series needs a scenario");
  if (scenarios.length > MAX_SCENARIOS)
    throw new Failure(
      "invalid_request",
      `${scenarios.length} scenarios: one series holds ${MAX_SCENARIOS} at most; split them`,
    );
  const names = new Set<string>();
  for (const loaded of scenarios) {
    const name = nameOf(loaded);
    if (names.has(name))
      throw new Failure("invalid_request", `${loaded.file}: "${name}" is in the series already; name each once`);
    names.add(name);
  }
  const expected = armIds(first);
  for (const other of others) {
    if (armIds(other) === expected) continue;
    throw new Failure(
      "invalid_request",
      `${other.file}: its arms are ${armIds(other)}, those of ${first.file} are ${expected}; scenarios of one series need the same arm ids in the same order`,
      { details: { field: "scenarios" } },
    );
  }
}

const armIds = ({ definition }: LoadedScenario) => definition.arms.map(({ id }) => id).join(" and ");

/** @throws Failure `invalid_request` for more trials than a series holds, or when nothing could ever be said */
function limitsOf(options: SeriesOptions, scenarios: number): SeriesLimits {
  const { stop_when_sure = false, parallel = 1, max_cost_usd = null } = options;
  const trials = options.trials ?? (stop_when_sure ? DEFAULT_TRIALS : 1);
  if (trials * scenarios > MAX_TRIALS_IN_ALL)
    throw new Failure(
      "invalid_request",
      `trials: ${trials} of each of ${scenarios} scenarios are more than the ${MAX_TRIALS_IN_ALL} that one series holds; plan ${Math.floor(MAX_TRIALS_IN_ALL / scenarios)} or fewer`,
      { details: { field: "trials" } },
    );
  const least = leastTrials(ALPHA);
  if (stop_when_sure && trials * scenarios < least)
    throw new Failure(
      "invalid_request",
      `trials: ${trials * scenarios} in all can never make anybody sure; plan ${Math.ceil(least / scenarios)} or more${scenarios > 1 ? " of each scenario" : ""}, or leave out stop_when_sure (--stop-when-sure)`,
      { details: { field: "trials" } },
    );
  return { trials, stop_when_sure, parallel, max_cost_usd };
}

interface PlanOptions {
  readonly margin: number;
  readonly model_override: string | undefined;
  readonly seed: string | undefined;
}

/** @throws Failure `invalid_request` when the scenarios name different judges */
function planOf(plans: readonly SessionPlan[], { margin, model_override, seed }: PlanOptions): SeriesPlan {
  const judges = new Set(plans.map(({ chosen }) => chosen.judge_model));
  const [judge_model = "", other] = judges;
  if (other !== undefined)
    throw new Failure(
      "invalid_request",
      `the scenarios name different judges (${[...judges].join(", ")}), and a series has one; choose it with judge_model (--judge-model)`,
      { details: { field: "judge_model" } },
    );
  const arms = plans.map(({ scenario }) => scenario.arms);
  const [[first, second]] = arms as [SessionPlan["scenario"]["arms"]];
  const unseeded = {
    protocol: SERIES_PROTOCOL,
    scenarios: plans.map(({ scenario, loaded, comparison, self_test_key }) => ({
      scenario: scenario.name,
      ...withInputId(scenario.input?.id),
      digest: loaded.digest,
      comparison,
      self_test_key,
    })),
    arms: [first.id, second.id],
    judge_model,
    model_override: model_override ?? null,
    alpha: ALPHA,
    margin,
    scripted: arms.flat().some(({ model }) => isScripted(model)),
    arms_differ: arms.some(([a, b]) => [differences(a, first), differences(b, second)].flat().length > 0),
  };
  // The seed comes from what is equal on every machine, so that a tour of scripts goes the same way everywhere.
  const digests = plans.map(({ loaded }) => loaded.digest);
  return { ...unseeded, seed: seed ?? sha256(digests.join("\n")).slice(0, SEED_DIGITS) };
}

const SEED_DIGITS = 16;

function otherPlan(
  { series_id, plan: before }: SeriesRecord,
  plan: SeriesPlan,
  plans: readonly SessionPlan[],
): Failure {
  const differing = (Object.keys(plan) as (keyof SeriesPlan)[]).filter(
    (key) => canonicalJson(plan[key]) !== canonicalJson(before[key]),
  );
  const told = differing.map((key) => (key === "scenarios" ? key + changedIn(before, plans) : key));
  return new Failure(
    "invalid_request",
    `continue: ${series_id} has another plan (${told.join(", ")}); a series goes on with the same scenarios, arms, judge and margin, or start a new one`,
    { details: { field: "continue", differing } },
  );
}

/** The scenarios that are others than before. Where the work is the answer, that may be the change. */
function changedIn({ scenarios }: SeriesPlan, plans: readonly SessionPlan[]): string {
  const digests = new Set(scenarios.map(({ digest }) => digest));
  const changed = plans.filter(({ loaded }) => !digests.has(loaded.digest));
  const names = changed.map(({ scenario: { name, task } }) =>
    task.answer ? `${name}, whose work is the answer` : name,
  );
  return names.length === 0 ? "" : `: ${names.join(", ")}`;
}

/** @throws Failure `invalid_request` under a limit that needs a price which nobody gave, or that pays for no trial */
function demandMoney(plans: readonly SessionPlan[], { max_cost_usd }: SeriesLimits): number | null {
  const worst = plans.map(({ worst_case }) => worstCaseTotal(worst_case));
  const known = worst.every((usd) => usd !== null) ? Math.max(...worst) : null;
  if (max_cost_usd === null) return known;
  for (const { scenario, chosen } of plans)
    demandEveryPrice(scenario.arms, { limit: "max_cost_usd (--max-cost)", judge_prices: chosen.prices });
  if (known !== null && known > max_cost_usd)
    throw new Failure(
      "invalid_request",
      `max_cost_usd: ${max_cost_usd} may not pay for one trial, which can cost up to ${known.toFixed(4)} USD within its budgets; raise it, or lower policies.budget in the scenario`,
      { details: { field: "max_cost_usd", needed_usd: known } },
    );
  // A table says nothing before each of its rows was run once.
  const round = sumKnown(worst);
  if (known !== null && round !== null && round > max_cost_usd && plans.some(({ scenario }) => scenario.input))
    throw new Failure(
      "invalid_request",
      `max_cost_usd: ${max_cost_usd} may not pay for one round of ${plans.length} rows, which can cost up to ${round.toFixed(4)} USD within its budgets; raise it, lower policies.budget, or run fewer rows`,
      { details: { field: "max_cost_usd", needed_usd: round } },
    );
  return known;
}
