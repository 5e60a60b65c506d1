import type { Baseline } from "../../../domain/baseline.ts";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import type { ContestPlan } from "../../../domain/contest-plan.ts";
import { Failure } from "../../../domain/failure.ts";
import { memberName, withInputId } from "../../../domain/member.ts";
import { isScripted } from "../../../domain/model-name.ts";
import { counted } from "../../../domain/number-text.ts";
import {
  ALPHA,
  DEFAULT_TRIALS,
  MAX_SCENARIOS,
  MAX_TRIALS_IN_ALL,
  SERIES_PROTOCOL,
  type SeriesBaseline,
  type SeriesLimits,
  type SeriesPlan,
  type SeriesRecord,
} from "../../../domain/series-record.ts";
import type { SeriesRequest } from "../../../domain/series-request.ts";
import { sha256 } from "../../../domain/sha256.ts";
import { sumKnown } from "../../../domain/usage.ts";
import { SIDES, type Side } from "../../../domain/verdict.ts";
import { leastTrials } from "../../../statistics/advance.ts";
import { differences } from "../../scenario/declared-differences.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { demandLikelyCost } from "../cost-limits.ts";
import type { SessionPlan } from "../prepare-session.ts";
import { totalOf } from "../worst-case-cost.ts";
import { plannedMeasure } from "./measure.ts";

interface PlanOptions {
  readonly margin: number;
  readonly measure: SeriesRequest["measure"];
  readonly not_worse_by: number | undefined;
  readonly cluster: Pick<SeriesPlan, "cluster">;
  readonly model_override: string | undefined;
  readonly seed: string | undefined;
  readonly contest: ContestPlan | undefined;
  readonly baseline: Baseline | undefined;
  /** The plan of the series that goes on. */
  readonly before: SeriesPlan | undefined;
}

/** @throws Failure `invalid_request` when the scenarios name different judges */
export function seriesPlan(
  planned: readonly PlannedMember[],
  { margin, measure, not_worse_by, cluster, model_override, seed, contest, baseline, before }: PlanOptions,
): SeriesPlan {
  const judges = new Set(planned.map(({ judge_model }) => judge_model));
  const [judge_model = "", other] = judges;
  if (other !== undefined)
    throw new Failure(
      "invalid_request",
      `the scenarios name different judges (${[...judges].join(", ")}), and a series has one; choose it with judge_model (--judge-model)`,
      { details: { field: "judge_model" } },
    );
  const [first] = planned as [PlannedMember]; // a series has one at least
  const [a, b] = first.loaded.definition.arms;
  const unseeded = {
    protocol: before?.protocol ?? SERIES_PROTOCOL,
    scenarios: planned.map((one) => one.planned),
    arms: [a.id, b.id],
    ...(contest && { contest }),
    judge_model,
    model_override: model_override ?? null,
    alpha: ALPHA,
    margin,
    ...plannedMeasure(planned, measure, before),
    ...(not_worse_by !== undefined && { not_worse_by }),
    ...cluster,
    scripted: planned.some(({ scripted }) => scripted),
    ...(baseline && { baseline: baselineOf(planned, baseline, before?.baseline?.digest) }),
    // The plan of a series that goes on is compared with its own, which an earlier version may have made.
    arms_differ: before?.arms_differ ?? planned.some(({ like_first }) => !like_first),
  };
  // The seed comes from what is equal on every machine, so that a tour of scripts goes the same way everywhere.
  const digests = planned.map(({ loaded }) => loaded.digest);
  return { ...unseeded, seed: seed ?? sha256(digests.join("\n")).slice(0, SEED_DIGITS) };
}

const SEED_DIGITS = 16;

/** The refusal of a series that would go on with another plan. */
export function otherPlan(
  { series_id, plan: before }: SeriesRecord,
  plan: SeriesPlan,
  planned: readonly PlannedMember[],
): Failure {
  const keys = Object.keys({ ...before, ...plan }) as (keyof SeriesPlan)[]; // of both plans
  const differing = keys.filter((key) => canonicalJson(plan[key]) !== canonicalJson(before[key]));
  const told = differing.map((key) => (key === "scenarios" ? key + changedIn(before, planned) : key));
  return new Failure(
    "invalid_request",
    `continue: ${series_id} has another plan (${told.join(", ")}); continue a series with the same scenarios, arms, judge, measure, margin, not_worse_by and cluster, or start a new one`,
    { details: { field: "continue", differing } },
  );
}

/** The scenarios that are others than before. Where the work is the answer, that may be the change. */
function changedIn({ scenarios }: SeriesPlan, planned: readonly PlannedMember[]): string {
  const digests = new Set(scenarios.map(({ digest }) => digest));
  const changed = planned.filter(({ loaded }) => !digests.has(loaded.digest));
  const names = changed.map(
    ({
      loaded: {
        definition: { name, task },
      },
    }) => (task.answer ? `${name}, whose work is the answer` : name),
  );
  return names.length === 0 ? "" : `: ${names.join(", ")}`;
}

/** @throws Failure `invalid_request` where different arms would stand in */
function baselineOf(
  planned: readonly PlannedMember[],
  { digest: now, earlier_digests, series_id, at, stopped, preferred, members }: Baseline,
  before: string | undefined,
): SeriesBaseline {
  const sides = new Set(planned.flatMap(({ stored_side }) => stored_side ?? []));
  const [side, other] = sides;
  if (side === undefined || other !== undefined)
    throw new Failure(
      "invalid_request",
      other === undefined
        ? `baseline ${series_id} has no complete run`
        : `baseline ${series_id}: its runs would stand in for one arm in some scenarios and for the other in others; compare these scenarios apart`,
      { details: { field: "baseline" } },
    );
  const runs = Math.min(...planned.map(({ loaded }) => members.get(nameInSeries(loaded))?.runs.length ?? 0));
  const selected = stopped || preferred !== null;
  const digest = before !== undefined && earlier_digests.includes(before) ? before : now;
  const same_model = planned.every((one) => one.same_model);
  return { digest, series_id, at, side, runs, ...(selected && { selected }), ...(same_model && { same_model }) };
}

/** What a series keeps of the plan of a member's first trial: a plan holds runners, and a series has thousands. */
export interface PlannedMember {
  readonly loaded: LoadedScenario;
  readonly planned: SeriesPlan["scenarios"][number];
  readonly judge_model: string;
  /** USD; null = unknown. */
  readonly cost: TrialCost;
  /** The arm for which stored runs stand in. */
  readonly stored_side: Side | undefined;
  /** Both arms ask for one model. */
  readonly same_model: boolean;
  readonly scripted: boolean;
  /** Its arms are set up as those of the first member; rows of one scenario always are, whatever fills their templates. */
  readonly like_first: boolean;
}

/** What a trial costs, USD; null = unknown. */
export interface TrialCost {
  /** What a short trial costs. */
  readonly likely_usd: number | null;
  /** The most that any trial can cost. */
  readonly bound_usd: number | null;
}

export function plannedMember(plan: SessionPlan, first: SessionPlan["scenario"]["arms"]): PlannedMember {
  const { loaded, scenario, comparison, self_test_key, chosen, sources } = plan;
  const { arms } = scenario;
  return {
    loaded,
    planned: {
      ...{ scenario: scenario.name, ...withInputId(scenario.input?.id), digest: loaded.digest },
      ...{ comparison, self_test_key },
    },
    judge_model: chosen.judge_model,
    cost: { likely_usd: plan.likely_usd, bound_usd: totalOf(plan.worst_case) },
    stored_side: SIDES.find((_, index) => sources[index]?.stored),
    same_model: arms[0].model === arms[1].model,
    scripted: arms.some(({ model }) => isScripted(model)),
    like_first: SIDES.every((_, side) => differences(armAt(arms, side), armAt(first, side)).length === 0),
  };
}

const armAt = (arms: SessionPlan["scenario"]["arms"], side: number) => (side === 0 ? arms[0] : arms[1]);

/** Its name in the series. */
export const nameInSeries = ({ definition: { name, input } }: LoadedScenario) =>
  memberName({ scenario: name, input: input?.id });

/** @throws Failure `unknown_arm` for a control that is no arm */
export function demandControl(plan: Pick<SeriesPlan, "arms">, control: string | undefined): void {
  if (control === undefined || plan.arms.includes(control)) return;
  throw new Failure("unknown_arm", `control: there is no arm "${control}"; the arms are ${plan.arms.join(" and ")}`, {
    details: { field: "control" },
  });
}

type LimitOptions = Pick<SeriesRequest, "trials" | "stop_when_sure" | "stop_at" | "parallel" | "max_cost_usd">;

/** @throws Failure `invalid_request` for scenarios that cannot make one series */
export function demandOneSeries(scenarios: readonly LoadedScenario[]): void {
  const [first, ...others] = scenarios;
  if (first === undefined) throw new Failure("invalid_request", "a series needs at least one scenario");
  if (scenarios.length > MAX_SCENARIOS)
    throw new Failure(
      "invalid_request",
      `${scenarios.length} scenarios: one series holds ${MAX_SCENARIOS} at most; split them`,
    );
  const names = new Set<string>();
  for (const loaded of scenarios) {
    const name = nameInSeries(loaded);
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

/** @param units what counts for itself: clusters, or scenarios @throws Failure `invalid_request` for more trials than a series holds, or when nothing could ever be said */
export function limitsOf(options: LimitOptions, scenarios: number, units = scenarios): SeriesLimits {
  const { stop_when_sure = false, parallel = 1, max_cost_usd = null } = options;
  const trials = options.trials ?? (stop_when_sure ? DEFAULT_TRIALS : 1);
  if (trials * scenarios > MAX_TRIALS_IN_ALL)
    throw new Failure(
      "invalid_request",
      `trials: ${trials} of each of ${scenarios} scenarios are more than the ${MAX_TRIALS_IN_ALL} that one series holds; plan ${Math.floor(MAX_TRIALS_IN_ALL / scenarios)} or fewer`,
      { details: { field: "trials" } },
    );
  const least = leastTrials(ALPHA);
  if (stop_when_sure && trials * units < least)
    throw new Failure(
      "invalid_request",
      `trials: ${trials * units} in all${units < scenarios ? ", each the mean of a cluster," : ""} are too few for any claim; plan ${Math.ceil(least / units)} or more${scenarios > 1 ? " of each scenario" : ""}, or leave out stop_when_sure (--stop-when-sure)`,
      { details: { field: "trials" } },
    );
  const { stop_at } = options;
  return { trials, stop_when_sure, ...(stop_when_sure && stop_at === "better" && { stop_at }), parallel, max_cost_usd };
}

/**
 * What a trial costs: the mean of the members where it is short, and the most of any.
 * @throws Failure `invalid_request` under a limit that one round is likely to exceed: nothing is said before a round has ended
 */
export function demandMoney(planned: readonly PlannedMember[], { max_cost_usd }: SeriesLimits): TrialCost {
  const round_usd = sumKnown(planned.map(({ cost }) => cost.likely_usd));
  const bounds = planned.map(({ cost }) => cost.bound_usd);
  if (max_cost_usd !== null) demandLikelyCost(round_usd, max_cost_usd, roundOf(planned));
  return {
    likely_usd: round_usd === null ? null : round_usd / planned.length,
    bound_usd: bounds.every((usd) => usd !== null) ? Math.max(...bounds) : null,
  };
}

function roundOf(planned: readonly PlannedMember[]) {
  const [noun, count] = [planned[0]?.loaded.definition.input ? "row" : "scenario", planned.length];
  const round = count === 1 ? "one trial" : `one round of ${counted(count, noun)}`;
  return { round, cheaper: count === 1 ? "or take a cheaper model" : `run fewer ${noun}s, or take a cheaper model` };
}
