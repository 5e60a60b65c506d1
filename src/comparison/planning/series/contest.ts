import { type ContestPlan, contestPairs, contestRequestOf } from "../../../domain/contest-plan.ts";
import { cut } from "../../../domain/excerpt.ts";
import { Failure } from "../../../domain/failure.ts";
import { MAX_PARALLEL, MAX_TRIALS_IN_ALL, type SeriesLimits, type SeriesPlan } from "../../../domain/series-record.ts";
import type { SeriesRequest } from "../../../domain/series-request.ts";
import { controlAmong } from "../../../domain/series-result.ts";
import { sumKnown } from "../../../domain/usage.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { pairOf } from "../../scenario/pair.ts";
import { type SharedArms, sharedIn } from "../arm-source.ts";
import { commonAsk } from "./measure.ts";
import type { PlannedMember } from "./series-plan.ts";

type Asked = Pick<SeriesRequest, "contest" | "control">;

/** A contest whose pairs are not planned yet. */
export type ContestShape = Omit<ContestPlan, "pairs"> & { readonly pairs: readonly (readonly [string, string])[] };

/**
 * The arms of the scenarios as a contest; undefined where there are two.
 * @throws Failure `invalid_request` for a contest of two arms, `unknown_arm` for a control that is no arm
 */
export function contestShape(
  scenarios: readonly LoadedScenario[],
  { contest: asked, control: named }: Asked,
  before: SeriesPlan | undefined,
): ContestShape | undefined {
  const arms = scenarios[0]?.definition.arms.map(({ id }) => id) ?? [];
  if (arms.length === 2) {
    if (asked === undefined) return undefined;
    throw refused(`the scenario has two arms (${arms.join(", ")}), which make no contest; leave it out, or add arms`);
  }
  const {
    mode = "against",
    keep_running,
    fdr,
    control: own,
  } = { ...(before?.contest && contestRequestOf(before.contest)), ...asked };
  const members = scenarios.map((loaded) => ({ loaded }));
  const wanted = demandArm(arms, own ?? named ?? commonAsk(members, "control"));
  const control = wanted ?? (mode === "best" ? null : (controlAmong(arms) ?? null));
  return {
    ...{ arms, mode, control },
    ...(keep_running && { keep_running }),
    ...(fdr && { fdr }),
    pairs: contestPairs(arms, { mode, control }),
  };
}

function demandArm(arms: readonly string[], control: string | undefined): string | undefined {
  if (control === undefined || arms.includes(control)) return control;
  throw new Failure("unknown_arm", `control: there is no arm "${cut(control)}"; the arms are ${arms.join(", ")}`, {
    details: { field: "control" },
  });
}

/** @throws Failure `invalid_request` for more than runs at once, or than a series holds */
export function demandContestSize(
  { arms, pairs }: ContestShape,
  { trials, parallel }: Pick<SeriesLimits, "trials" | "parallel">,
  scenarios: number,
): void {
  const most = Math.floor(MAX_PARALLEL / arms.length);
  if (parallel > most)
    throw refused(
      `parallel: ${parallel} rounds of ${arms.length} arms are more than the ${MAX_PARALLEL} arms that run at once; take ${most} or fewer`,
      "parallel",
    );
  if (trials * scenarios * pairs.length <= MAX_TRIALS_IN_ALL) return;
  throw refused(
    `trials: ${trials} of ${scenarios} scenarios make ${trials * scenarios * pairs.length} comparisons of ${pairs.length} pairs, more than the ${MAX_TRIALS_IN_ALL} that one series holds; plan ${Math.floor(MAX_TRIALS_IN_ALL / scenarios / pairs.length)} or fewer`,
    "trials",
  );
}

const refused = (why: string, field = "contest") =>
  new Failure("invalid_request", `contest: ${why}`, { details: { field } });

interface Planned {
  readonly planned: PlannedMember[];
  readonly needs: readonly string[];
}

/**
 * Plans each pair, an arm once: the others have its run. The members are those of the first pair, and cost what a round of all costs.
 * @param plan the first trial of each member of a pair
 */
export async function planPairs(
  { pairs }: ContestShape,
  scenarios: readonly LoadedScenario[],
  plan: (scenarios: readonly LoadedScenario[], shared: SharedArms, pair: number) => Promise<Planned>,
): Promise<Planned & Pick<ContestPlan, "pairs">> {
  const seen = new Set<string>();
  const needs = new Set<string>();
  const all: PlannedMember[][] = [];
  for (const [place, arms] of pairs.entries()) {
    const own = scenarios.map((loaded) => pairOf(loaded, arms));
    const pair = await plan(
      own,
      sharedIn(arms, (arm) => (seen.has(arm) ? "" : undefined)),
      place,
    );
    for (const arm of arms) seen.add(arm);
    for (const need of pair.needs) needs.add(need);
    all.push(pair.planned);
  }
  const [first = []] = all;
  return {
    planned: first.map((member, place) => ({ ...member, cost: costOfRow(all.flatMap((pair) => pair[place] ?? [])) })),
    needs: [...needs].sort(),
    pairs: pairs.map((arms, place) => ({
      arms: [...arms],
      comparisons: (all[place] ?? []).map(({ planned }) => planned.comparison),
    })),
  };
}

const costOfRow = (pairs: readonly PlannedMember[]): PlannedMember["cost"] => ({
  likely_usd: sumKnown(pairs.map(({ cost }) => cost.likely_usd)),
  bound_usd: sumKnown(pairs.map(({ cost }) => cost.bound_usd)),
});
