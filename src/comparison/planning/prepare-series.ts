import type { Baseline } from "../../domain/baseline.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { columnsOf } from "../../domain/columns.ts";
import type { ContestPlan } from "../../domain/contest-plan.ts";
import { MARGIN } from "../../domain/defaults.ts";
import { allInputs } from "../../domain/editable-inputs.ts";
import { Failure } from "../../domain/failure.ts";
import { memberName } from "../../domain/member.ts";
import type {
  SeriesBaseline,
  SeriesColumn,
  SeriesLimits,
  SeriesPlan,
  SeriesRecord,
} from "../../domain/series-record.ts";
import type { SeriesRequest } from "../../domain/series-request.ts";
import { sha256 } from "../../domain/sha256.ts";
import { Pace } from "../../runtime/pace.ts";
import type { TrialSpec } from "../../statistics/advance.ts";
import type { Needs } from "../../store/shared-store.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { pairOf } from "../scenario/pair.ts";
import type { SharedArms } from "./arm-source.ts";
import { dayOf } from "./comparison.ts";
import { demandEveryPrice } from "./cost-limits.ts";
import { needsOfPlan } from "./needs.ts";
import { prepareSession, type RunOptions, type SessionPlan } from "./prepare-session.ts";
import { plannedCluster, repeatedRows } from "./series/cluster.ts";
import { type ContestShape, contestShape, demandContestSize, planPairs } from "./series/contest.ts";
import { commonAsk } from "./series/measure.ts";
import {
  demandControl,
  demandMoney,
  demandOneSeries,
  limitsOf,
  nameInSeries,
  otherPlan,
  type PlannedMember,
  plannedMember,
  seriesPlan,
  type TrialCost,
} from "./series/series-plan.ts";
import type { SessionServices } from "./services.ts";
export type SeriesOptions = Omit<SeriesRequest, "scenarios" | "continue" | "baseline">;

/** A series that can start: everything that could refuse it has been asked. */
export interface SeriesSetup {
  readonly plan: SeriesPlan;
  readonly plan_digest: string;
  /** The arm that the other is compared with, where somebody named it. */
  readonly control: string | undefined;
  /** Stored runs that stand in for an arm; absent: both arms run. */
  readonly baseline?: Baseline | undefined;
  /** Whatever other series on the same stored runs may call them; empty without a baseline. */
  readonly baseline_digests: readonly string[];
  readonly limits: SeriesLimits;
  readonly inputs_from_checkout: SeriesRecord["inputs_from_checkout"];
  readonly trial_cost: TrialCost;
  /** By which the rows can be grouped; empty without inputs. */
  readonly columns: readonly SeriesColumn[];
  readonly repeated_rows: number;
  /** The night of a watch that it is; absent: none. */
  readonly watch?: SeriesRecord["watch"];
  /** The members stand in the order of the plan. */
  readonly members: readonly LoadedScenario[];
  /** What a worker must have to run any of its trials; empty where nobody else may. */
  readonly needs: Needs;
  /** A trial that can start. @param shared of a contest: arms that other sessions run @throws Failure as `prepareSession`, `invalid_scenario` when its scenario is not the plan's any more */
  readonly prepare: (spec: TrialSpec, shared?: SharedArms) => Promise<SessionPlan>;
}

export interface SeriesSource {
  /** The scenarios in the order of a round. */
  readonly scenarios: readonly LoadedScenario[];
  /** The scenario, or the row of its inputs, as it is now. */
  readonly load: (scenario: string, input?: string) => Promise<LoadedScenario>;
  /** Stored runs that stand in for an arm. */
  readonly baseline?: Baseline;
  /** The night of a watch that it is. */
  readonly watch?: SeriesRecord["watch"];
  /** What the author of a change could have edited. Absent: nothing is known. */
  readonly inputs_from_checkout?: SeriesRecord["inputs_from_checkout"] | undefined;
}

/** A series of scenarios that were read at the start. They run as they were read, whatever becomes of their files. */
export function seriesSource(scenarios: readonly LoadedScenario[]): SeriesSource {
  const byName = new Map(scenarios.map((loaded) => [nameInSeries(loaded), loaded]));
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

type Services = Omit<SessionServices, "store">;

/**
 * Spends nothing and writes nothing. What `options` leave open is as in `before`, the series that goes on.
 * @throws Failure as `prepareSession`, `invalid_request` for scenarios, limits or a plan that cannot make one series
 */
export async function prepareSeries(
  services: Services,
  { scenarios, load, baseline, watch, ...source }: SeriesSource,
  given: SeriesOptions,
  before?: SeriesRecord,
): Promise<SeriesSetup> {
  demandOneSeries(scenarios);
  const options = before ? { ...chosenBefore(before), ...given } : given;
  const cluster = plannedCluster(scenarios, options.cluster, before?.plan);
  const limits = limitsOf(options, scenarios.length, unitsOf(cluster, scenarios.length));
  const { judge_model, model_override, margin = MARGIN, measure, not_worse_by, seed } = options;
  // Its earlier trials were made of what was named then.
  const inputs_from_checkout = allInputs([source.inputs_from_checkout, before?.inputs_from_checkout]);
  const replacement = {
    day: dayOfSeries(services, before),
    ...(inputs_from_checkout && { inputs_from_checkout }),
    ...(judge_model !== undefined && { judge_model }),
    ...(model_override !== undefined && { model_override }),
    ...(before && { protocol: before.plan.protocol }),
  };
  const planning = { scenarios, baseline, replacement, limits };
  const shape = contestShape(scenarios, options, before?.plan);
  const { planned, needs, contest } = await (shape
    ? planContest(services, planning, shape)
    : planEach(services, planning));
  const chosen = { margin, measure, not_worse_by, cluster, model_override, seed, contest };
  const plan = seriesPlan(planned, { ...chosen, baseline, before: before?.plan });
  const control = controlIn(plan, options.control ?? commonAsk(planned, "control"));
  if (!watch) tellOfBaseline(services, plan.baseline, limits.trials);
  const plan_digest = sha256(canonicalJson(plan));
  if (before && before.plan_digest !== plan_digest) throw otherPlan(before, plan, planned);
  const trial_cost = demandMoney(planned, limits);
  const columns = columnsOf(scenarios.map(({ definition }) => definition));
  const repeated_rows = (await repeatedRows(scenarios, plan.cluster))?.ids.length ?? 0;
  const prepare = preparing(services, { plan, load, baseline, replacement });
  const baseline_digests = baseline ? [baseline.digest, ...baseline.earlier_digests] : [];
  const told = {
    plan,
    control,
    baseline,
    plan_digest,
    baseline_digests,
    limits,
    trial_cost,
    columns,
    repeated_rows,
    inputs_from_checkout,
    watch,
  };
  return { ...told, members: scenarios, needs, prepare };
}

/** On which it began, also when it goes on. */
const dayOfSeries = ({ clock }: Pick<Services, "clock">, before: SeriesRecord | undefined) =>
  dayOf(before?.created_at ?? clock.now().toISOString());

/** What a reader hears of the stored runs before the first trial. */
function tellOfBaseline(
  { notice, clock }: Pick<Services, "notice" | "clock">,
  baseline: SeriesBaseline | undefined,
  trials: number,
): void {
  if (baseline) notice(toldOfBaseline(baseline, trials, clock.now()));
}

function toldOfBaseline({ series_id, at, runs, side }: SeriesBaseline, trials: number, now: Date): string {
  const hours = Math.max(0, Math.floor((now.getTime() - Date.parse(at)) / 3_600_000));
  const used = Math.min(runs, trials);
  const beyond = trials > runs ? `both arms run from trial ${runs + 1} on` : `${runs - used} are left`;
  return `baseline: ${runs} stored runs of ${series_id}, ${hours} hours old, stand in for arm ${side}; ${used} are used, ${beyond}`;
}

const unitsOf = ({ cluster }: Pick<SeriesPlan, "cluster">, scenarios: number): number =>
  cluster ? new Set(cluster.of_row).size : scenarios;

/** @throws Failure `unknown_arm` */
function controlIn(plan: SeriesPlan, named: string | undefined): string | undefined {
  if (plan.contest) return plan.contest.control ?? undefined;
  demandControl(plan, named);
  return named;
}

/** @throws Failure `invalid_request`, as `planEach` */
async function planContest(services: Services, planning: Planning, shape: ContestShape): Promise<PlannedAll> {
  if (planning.baseline) throw baselineOfContest();
  demandContestSize(shape, planning.limits, planning.scenarios.length);
  const { pairs, ...all } = await planPairs(shape, planning.scenarios, async (scenarios, shared, pair) =>
    planEach(services, {
      ...{ ...planning, scenarios, replacement: { ...planning.replacement, shared } },
      trialAt: (place) => place * shape.pairs.length + pair + 1,
    }),
  );
  return { ...all, contest: { ...shape, pairs } };
}

interface PlannedAll {
  readonly planned: readonly PlannedMember[];
  readonly needs: readonly string[];
  readonly contest?: ContestPlan;
}

const baselineOfContest = () =>
  new Failure(
    "invalid_request",
    "baseline: stored runs stand in for an arm where two are compared, and not in a contest yet; leave out baseline (--baseline), or name two arms",
    { details: { field: "baseline" } },
  );

/** What may stand in for what the scenarios say. */
type Replacement = Pick<
  RunOptions,
  "judge_model" | "model_override" | "inputs_from_checkout" | "protocol" | "shared" | "day"
>;

interface Planning extends Pick<SeriesSource, "scenarios"> {
  readonly baseline: Baseline | undefined;
  readonly replacement: Replacement;
  readonly limits: SeriesLimits;
  /** The number of a member's first trial. Absent: each has one, in the order of the members. */
  readonly trialAt?: (place: number) => number;
}

/** The first trial of each member is planned: what refuses it is said before any runs. Its plan is not kept. */
async function planEach(
  services: Services,
  { scenarios, baseline, replacement, limits, trialAt = (place) => place + 1 }: Planning,
): Promise<Omit<PlannedAll, "contest"> & { readonly contest?: undefined; planned: PlannedMember[] }> {
  const planned: PlannedMember[] = [];
  const needs = new Set<string>();
  let first: SessionPlan["scenario"]["arms"] | undefined;
  const named = new Set<string>();
  const pace = new Pace();
  for (const [place, loaded] of scenarios.entries()) {
    const trial = { ...replacement, series_trial: trialAt(place) };
    const prepared = await prepareSession(services, loaded, { ...trial, ...storedFor(baseline, loaded, 1) });
    demandTrialPrices(prepared, limits);
    const { name, arms } = prepared.scenario;
    first ??= arms;
    planned.push(plannedMember(prepared, named.has(name) ? arms : first));
    named.add(name);
    // Beyond the stored runs both arms run: what refuses that is said now.
    if (baseline && storedRunsOf(baseline, loaded) < limits.trials) await prepareSession(services, loaded, trial);
    if (services.shared) for (const need of await needsOfPlan(services, prepared)) needs.add(need);
    await pace.units(MEMBER_UNITS);
  }
  return { planned, needs: [...needs].sort() };
}

/** @throws Failure `invalid_request` for a trial that costs what nobody knows, under a limit of the whole series */
function demandTrialPrices({ scenario, chosen, sources }: SessionPlan, { max_cost_usd }: SeriesLimits): void {
  if (max_cost_usd === null) return;
  demandEveryPrice(
    scenario.arms.filter((_, index) => sources[index]?.stored === undefined),
    { limit: "max_cost_usd (--max-cost)", judge_prices: chosen.prices },
  );
}

interface Preparing extends Pick<SeriesSource, "load"> {
  readonly baseline: Baseline | undefined;
  readonly plan: SeriesPlan;
  readonly replacement: Replacement;
}

/** Each trial is planned when its turn comes: it holds what runs it, and a series may have thousands. */
function preparing(services: Services, { plan, load, baseline, replacement }: Preparing): SeriesSetup["prepare"] {
  const places = new Map(plan.scenarios.map((one, place) => [memberName(one), place]));
  return async ({ trial, round, pair = 0, ...member }: TrialSpec, shared?: SharedArms) => {
    const name = memberName(member);
    const place = places.get(name) ?? -1;
    const planned = plan.scenarios[place];
    const whole = await load(member.scenario, member.input);
    const { arms = plan.arms, comparisons } = plan.contest?.pairs[pair] ?? {};
    const loaded = pairOf(whole, arms as [string, string]); // as the schema says
    const comparison = comparisons?.[place] ?? planned?.comparison;
    if (pair === 0 && loaded.digest !== planned?.digest)
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
    const own = { ...replacement, ...place_in_series, ...(shared && { shared }) };
    const prepared = await prepareSession(services, loaded, own);
    if (prepared.comparison !== comparison)
      throw new Failure(
        "invalid_scenario",
        `what is compared in ${name} was changed while its series ran: an install of an arm, or the sandbox; start a new series`,
      );
    return prepared;
  };
}
/** The trial of a round takes the stored run of that number; a replacement of a lost trial takes it again. */
const storedFor = (baseline: Baseline | undefined, loaded: LoadedScenario, round: number) => {
  if (!baseline) return {};
  const member = baseline.members.get(nameInSeries(loaded));
  if (member) return { stored: { series_id: baseline.series_id, member, round, side: baseline.side } };
  throw new Failure(
    "invalid_request",
    `baseline ${baseline.series_id} has no runs of ${nameInSeries(loaded)}; it has ${[...baseline.members.keys()].slice(0, SHOWN).join(", ")}`,
    { details: { field: "baseline" } },
  );
};

const SHOWN = 5;

const storedRunsOf = (baseline: Baseline, loaded: LoadedScenario) =>
  baseline.members.get(nameInSeries(loaded))?.runs.length ?? 0;

const chosenBefore = ({ plan, limits, control }: SeriesRecord): SeriesOptions => ({
  trials: limits.trials,
  stop_when_sure: limits.stop_when_sure,
  ...(limits.stop_at && { stop_at: limits.stop_at }),
  parallel: limits.parallel,
  ...(limits.max_cost_usd !== null && { max_cost_usd: limits.max_cost_usd }),
  judge_model: plan.judge_model,
  ...(plan.model_override !== null && { model_override: plan.model_override }),
  margin: plan.margin,
  ...(plan.not_worse_by !== undefined && { not_worse_by: plan.not_worse_by }),
  ...(control !== undefined && { control }),
  seed: plan.seed,
});
