import { Failure } from "../../../domain/failure.ts";
import {
  ALPHA,
  DEFAULT_TRIALS,
  MAX_SCENARIOS,
  MAX_TRIALS_IN_ALL,
  type SeriesLimits,
} from "../../../domain/series-record.ts";
import type { SeriesRequest } from "../../../domain/series-request.ts";
import { sumKnown } from "../../../domain/usage.ts";
import { leastTrials } from "../../../statistics/advance.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { nameInSeries, type PlannedMember } from "./planned-member.ts";

type LimitOptions = Pick<SeriesRequest, "trials" | "stop_when_sure" | "parallel" | "max_cost_usd">;

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

/** @throws Failure `invalid_request` for more trials than a series holds, or when nothing could ever be said */
export function limitsOf(options: LimitOptions, scenarios: number): SeriesLimits {
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
      `trials: ${trials * scenarios} in all are too few for any claim; plan ${Math.ceil(least / scenarios)} or more${scenarios > 1 ? " of each scenario" : ""}, or leave out stop_when_sure (--stop-when-sure)`,
      { details: { field: "trials" } },
    );
  return { trials, stop_when_sure, parallel, max_cost_usd };
}

/** @throws Failure `invalid_request` under a limit that needs a price which nobody gave, or that pays for no trial */
export function demandMoney(planned: readonly PlannedMember[], { max_cost_usd }: SeriesLimits): number | null {
  const worst = planned.map(({ worst_usd }) => worst_usd);
  const known = worst.every((usd) => usd !== null) ? Math.max(...worst) : null;
  if (max_cost_usd === null) return known;
  if (known !== null && known > max_cost_usd)
    throw new Failure(
      "invalid_request",
      `max_cost_usd: ${max_cost_usd} may not pay for one trial, which can cost up to ${known.toFixed(4)} USD within its budgets; raise it, or lower policies.budget in the scenario`,
      { details: { field: "max_cost_usd", needed_usd: known } },
    );
  // A table says nothing before each of its rows was run once.
  const round = sumKnown(worst);
  if (known !== null && round !== null && round > max_cost_usd && planned.some(({ loaded }) => loaded.definition.input))
    throw new Failure(
      "invalid_request",
      `max_cost_usd: ${max_cost_usd} may not pay for one round of ${planned.length} rows, which can cost up to ${round.toFixed(4)} USD within its budgets; raise it, lower policies.budget, or run fewer rows`,
      { details: { field: "max_cost_usd", needed_usd: round } },
    );
  return known;
}
