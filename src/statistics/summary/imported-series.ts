import type { ImportedResults } from "../../domain/results.ts";
import type { Series } from "../../domain/series.ts";
import type { TrialArm, TrialRow } from "../../domain/trial.ts";
import type { Side } from "../../domain/verdict.ts";
import { Pace } from "../../runtime/pace.ts";
import { ROUNDING } from "../claim/rules.ts";
import { UNITS_OF_A_TRIAL } from "./trial-list.ts";

type Scenario = ImportedResults["scenarios"][number];
type Trial = Scenario["trials"][number];

/** A row for each pair of results; a pair that lacks one is a trial that failed. Nothing else is known of these runs. */
export const importedRows = (results: ImportedResults, series_id: string): readonly TrialRow[] =>
  results.scenarios.flatMap(({ scenario, trials, used = {} }) =>
    trials.map((trial, index) => {
      const usedBy = (side: Side) => usedIn(used, index, side);
      return rowOf(results, trial, { series_id, scenario, round: index + 1, usedBy });
    }),
  );

/** What a trial of a table is found by. */
export const sessionOf = (scenario: string, number: number) => `${scenario} ${number}`;

/** What an arm used in a trial; nothing where the table does not say. */
function usedIn(used: NonNullable<Scenario["used"]>, index: number, side: Side): Partial<TrialArm> {
  const place = side === "a" ? 0 : 1;
  const told = Object.entries(used).map(([figure, pairs]) => [figure, pairs?.[index]?.[place] ?? null]);
  return Object.fromEntries(told.filter(([, amount]) => amount !== null));
}

interface Place {
  readonly series_id: string;
  readonly scenario: string;
  readonly round: number;
  readonly usedBy: (side: Side) => Partial<TrialArm>;
}

function rowOf(results: ImportedResults, trial: Trial, { series_id, scenario, round, usedBy }: Place): TrialRow {
  const [number, a, b] = trial;
  const isWhole = a !== null && b !== null;
  const winner_side = winnerOf(trial);
  return {
    ...{ session_id: sessionOf(scenario, number), scenario, comparison: null },
    place: { series_id, trial: number, round },
    ...{ state: isWhole ? "completed" : "failed", failure: null },
    outcome: isWhole ? (winner_side === null ? "tie" : "winner") : null,
    ...{ winner_side, decided_by: null, conduct: null },
    arms: { a: { ...armOf(results, a), ...usedBy("a") }, b: { ...armOf(results, b), ...usedBy("b") } },
    judge: { model_served: null, cost_usd: null },
  };
}

/** Any difference counts: were a margin chosen after the results, the best of several would decide too often. */
function winnerOf([, a, b]: Trial): Side | null {
  if (a === null || b === null || Math.abs(a - b) <= ROUNDING) return null;
  return a > b ? "a" : "b";
}

const armOf = ({ measure }: ImportedResults, result: number | null): TrialArm => ({
  ...{ model_served: null, broken: result === null, cost_usd: null, tokens: null, wall_ms: 0 },
  solved: measure === "passed" && result !== null ? result === 1 : null,
  ...(measure === "score" && result !== null && { score: result }),
});

/** The report with what the table says of each trial, and without what is not known of runs that were made elsewhere. */
export async function withResults(series: Series, results: ImportedResults): Promise<Series> {
  const told = new Map(
    results.scenarios.map(({ scenario, trials }) => [scenario, new Map(trials.map((trial) => [trial[0], trial]))]),
  );
  const armOf = (side: Side) => ({ ...series.arms[side], wall_ms_median: null, ...meanScore(results, side) });
  const trials: Series["trials"] = [];
  const pace = new Pace();
  for (const { session_id: _, ...trial } of series.trials) {
    const [, a = null, b = null] = told.get(trial.scenario)?.get(trial.trial) ?? [];
    trials.push({ ...trial, results: { a, b }, arms_ms: null });
    await pace.units(UNITS_OF_A_TRIAL);
  }
  return {
    ...series,
    arms: { a: armOf("a"), b: armOf("b") },
    judge: { model: null, cost_usd: null },
    cost_usd: { total: null, per_trial: null, to_claim: null },
    scenarios: series.scenarios.map(({ comparison: _, ...scenario }, place) => ({
      ...scenario,
      ...(results.scenarios[place]?.trials.some(isPair) ? {} : { given_up: true as const }),
    })),
    trials,
  };
}

const isPair = ([, a, b]: Trial) => a !== null && b !== null;

function meanScore({ measure, scenarios }: ImportedResults, side: Side): { readonly mean_score?: number } {
  if (measure === "passed") return {};
  const scores = scenarios.flatMap(({ trials }) =>
    trials.filter(isPair).flatMap(([, a, b]) => (side === "a" ? a : b) ?? []),
  );
  return { mean_score: scores.reduce((sum, score) => sum + score, 0) / scores.length };
}
