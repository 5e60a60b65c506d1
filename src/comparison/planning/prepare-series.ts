import type { Baseline } from "../../domain/baseline.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { columnsOf } from "../../domain/columns.ts";
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
  type SeriesBaseline,
  type SeriesColumn,
  type SeriesLimits,
  type SeriesPlan,
  type SeriesRecord,
} from "../../domain/series-record.ts";
import type { SeriesRequest } from "../../domain/series-request.ts";
import { sha256 } from "../../domain/sha256.ts";
import { sumKnown } from "../../domain/usage.ts";
import { SIDES } from "../../domain/verdict.ts";
import { Pace } from "../../runtime/pace.ts";
import { leastTrials, type TrialSpec } from "../../statistics/advance.ts";
import { differences } from "../scenario/declared-differences.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { demandEveryPrice } from "./cost-limits.ts";
import { prepareSession, type SessionPlan } from "./prepare-session.ts";
import type { SessionServices } from "./services.ts";
import { worstCaseTotal } from "./worst-case-cost.ts";

export type SeriesOptions = Omit<SeriesRequest, "scenarios" | "continue" | "baseline">;

/** A series that can start: everything that could refuse it has been asked. */
export interface SeriesSetup {
  readonly plan: SeriesPlan;
  readonly plan_digest: string;
  readonly limits: SeriesLimits;
  /** The most that a trial may cost, USD; null = unknown. */
  readonly estimate_usd: number | null;
  /** By which the rows can be grouped; empty without inputs. */
  readonly columns: readonly SeriesColumn[];
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
  /** Stored runs that stand in for an arm. */
  readonly baseline?: Baseline;
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
  { scenarios, load, baseline }: SeriesSource,
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
    const first = { ...replacement, series_trial: place + 1 };
    plans.push(await prepareSession(services, loaded, { ...first, ...storedFor(baseline, loaded, 1) }));
    // Beyond the stored runs both arms run: what refuses that is said now.
    if (baseline && storedRunsOf(baseline, loaded) < limits.trials) await prepareSession(services, loaded, first);
    await pace.units(MEMBER_UNITS);
  }
  const plan = planOf(plans, { margin, model_override, seed, baseline });
  if (plan.baseline) services.notice(toldOfBaseline(plan.baseline, limits.trials, services.clock.now()));
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
    const place_in_series = {
      ...{ seed: plan.seed, trial_number, series_trial: trial },
      ...storedFor(baseline, loaded, round),
    };
    const prepared = await prepareSession(services, loaded, { ...replacement, ...place_in_series });
    if (prepared.comparison !== planned.comparison)
      throw new Failure(
        "invalid_scenario",
        `what is compared in ${name} was changed while its series ran: an install of an arm, or the sandbox; start a new series`,
      );
    return prepared;
  };
  const columns = columnsOf(plans.map(({ scenario }) => scenario));
  return { plan, plan_digest, limits, estimate_usd, columns, plans, prepare };
}

/** The trial of a round takes the stored run of that number; a replacement of a lost trial takes it again. */
const storedFor = (baseline: Baseline | undefined, loaded: LoadedScenario, round: number) => {
  if (!baseline) return {};
  const member = baseline.members.get(nameOf(loaded));
  if (member) return { stored: { series_id: baseline.series_id, member, round } };
  throw new Failure(
    "invalid_request",
    `baseline ${baseline.series_id} has no runs of ${nameOf(loaded)}; it has ${[...baseline.members.keys()].slice(0, SHOWN).join(", ")}`,
    { details: { field: "baseline" } },
  );
};

const SHOWN = 5;

const storedRunsOf = (baseline: Baseline, loaded: LoadedScenario) =>
  baseline.members.get(nameOf(loaded))?.runs.length ?? 0;

function toldOfBaseline({ series_id, at, runs, side }: SeriesBaseline, trials: number, now: Date): string {
  const hours = Math.max(0, Math.floor((now.getTime() - Date.parse(at)) / 3_600_000));
  const used = Math.min(runs, trials);
  const beyond = trials > runs ? `both arms run from trial ${runs + 1} on` : `${runs - used} are left`;
  return `baseline: ${runs} stored runs of ${series_id}, ${hours} hours old, stand in for arm ${side}; ${used} are used, ${beyond}`;
}

/** @throws Failure `invalid_request` where different arms would stand in */
function baselineOf(
  plans: readonly SessionPlan[],
  { digest, series_id, at, stopped, preferred, members }: Baseline,
): SeriesBaseline {
  const sides = new Set(plans.flatMap(({ stand_in }) => stand_in?.side ?? []));
  const [side, other] = sides;
  if (side === undefined || other !== undefined)
    throw new Failure(
      "invalid_request",
      other === undefined
        ? `baseline ${series_id} has no complete run`
        : `baseline ${series_id}: its runs would stand in for one arm in some scenarios and for the other in others; compare these scenarios apart`,
      { details: { field: "baseline" } },
    );
  const runs = Math.min(...plans.map(({ loaded }) => members.get(nameOf(loaded))?.runs.length ?? 0));
  const selected = stopped || preferred !== null;
  const same_model = plans.every(({ scenario: { arms } }) => arms[0].model === arms[1].model);
  return { digest, series_id, at, side, runs, ...(selected && { selected }), ...(same_model && { same_model }) };
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
  readonly baseline: Baseline | undefined;
}

/** @throws Failure `invalid_request` when the scenarios name different judges */
function planOf(plans: readonly SessionPlan[], { margin, model_override, seed, baseline }: PlanOptions): SeriesPlan {
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
    ...(baseline && { baseline: baselineOf(plans, baseline) }),
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
  for (const { scenario, chosen, stand_in } of plans)
    demandEveryPrice(
      scenario.arms.filter((_, index) => stand_in?.side !== SIDES[index]),
      { limit: "max_cost_usd (--max-cost)", judge_prices: chosen.prices },
    );
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
