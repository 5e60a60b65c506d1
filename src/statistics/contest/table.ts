import type { ContestTrial } from "../../domain/contest.ts";
import type { ContestPlan } from "../../domain/contest-plan.ts";
import { EFFICIENCY_FIGURES } from "../../domain/efficiency.ts";
import type { ImportedResults } from "../../domain/results.ts";
import { findingsOf } from "../claim/findings.ts";
import { importedRows, sessionOf } from "../summary/imported-series.ts";
import { type ImportedAs, importedSubject } from "../words/subject.ts";
import { type PlayedPair, playedPair, sidedSubject } from "./played.ts";
import { countedIds } from "./trials.ts";

/** Two arms of a table as the results that they would be alone. */
function pairOfTable(results: ImportedResults, contest: ContestPlan, [a, b]: readonly string[]): ImportedResults {
  const { contest: _, ...table } = results;
  const places = [contest.arms.indexOf(a ?? ""), contest.arms.indexOf(b ?? "")] as const;
  const scenarios = results.scenarios.map(({ scenario, trials, others = [], used, used_by_others }) => {
    const all = trials.map(([number, first, second], index) => ({
      number,
      index,
      results: places.map((place) => [first, second, ...(others[index] ?? [])][place] ?? null),
    }));
    // A trial that neither arm has is no trial of theirs.
    const own = all.filter((one) => one.results.some((result) => result !== null));
    const told = EFFICIENCY_FIGURES.flatMap((figure) => {
      if (!used?.[figure] && !used_by_others?.[figure]) return [];
      const of = (index: number, place: number) =>
        [...(used?.[figure]?.[index] ?? [null, null]), ...(used_by_others?.[figure]?.[index] ?? [])][place] ?? null;
      const pairs = own.map(({ index }): [number | null, number | null] => [
        of(index, places[0]),
        of(index, places[1]),
      ]);
      return [[figure, pairs] as const];
    });
    return {
      scenario,
      trials: own.map(({ number, results: [one = null, other = null] }): [number, number | null, number | null] => [
        number,
        one,
        other,
      ]),
      ...(told.length > 0 && { used: Object.fromEntries(told) }),
    };
  });
  return { ...table, arms: { a: a ?? "", b: b ?? "" }, scenarios };
}

/** Two arms of a table, and how they are told: without a control the second against the first. */
export function pairInTable(results: ImportedResults, contest: ContestPlan, pair: number) {
  const { arms = [] } = contest.pairs[pair] ?? {};
  const control = arms.find((arm) => arm === contest.control) ?? arms[0];
  return { results: pairOfTable(results, contest, arms), ...(control !== undefined && { control }) };
}

/** The pairs of a table. All there is of it is there, so that each pair is over. */
export function* playedTable(results: ImportedResults, known: ImportedAs, contest: ContestPlan): Generator<PlayedPair> {
  for (const place of contest.pairs.keys()) {
    const { results: pair, ...named } = pairInTable(results, contest, place);
    const subject = importedSubject(pair, { ...known, ...named });
    yield playedPair(findingsOf(sidedSubject(subject), importedRows(pair, known.series_id)), true);
  }
}

/** A trial of all arms, as the table tells it. */
export function trialsOfTable(
  { scenarios }: ImportedResults,
  { arms }: ContestPlan,
  played: readonly PlayedPair[],
): readonly ContestTrial[] {
  const counted = countedIds(played);
  return scenarios.flatMap(({ scenario, trials, others = [] }) =>
    trials.map(([trial, first, second], index) => {
      const told = [first, second, ...(others[index] ?? [])];
      return {
        ...{ trial, round: index + 1, scenario, state: "completed", failure: null, winner: null, cost_usd: null },
        results: Object.fromEntries(arms.map((arm, place) => [arm, told[place] ?? null])),
        counted: counted.has(sessionOf(scenario, trial)),
      } as const;
    }),
  );
}
