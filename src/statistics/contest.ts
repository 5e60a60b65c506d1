import type { Contest } from "../domain/contest.ts";
import type { ContestPlan } from "../domain/contest-plan.ts";
import type { ImportedResults } from "../domain/results.ts";
import { SERIES_PROTOCOL, type SeriesRecord } from "../domain/series-record.ts";
import type { TrialRow } from "../domain/trial.ts";
import { breathe } from "../runtime/pace.ts";
import { contestOf, pairView } from "./contest/pair-view.ts";
import { KnownPairs, type PlayedPair, playedPairs, rulesOfContest } from "./contest/played.ts";
import { type ContestInput, contestOfPairs } from "./contest/report.ts";
import { pairInTable, playedTable, trialsOfTable } from "./contest/table.ts";
import { trialsHere } from "./contest/trials.ts";
import { costsOf } from "./costs.ts";
import { type Beside, importedSeries, reportOf } from "./report.ts";
import { type ImportedAs, importedSubject } from "./words/subject.ts";

export { advanceContest } from "./contest/advance.ts";
export { pairView } from "./contest/pair-view.ts";
export { contestStanding } from "./contest/standing.ts";
export { KnownPairs };

/** The document of a contest that runs here, or ran. @param rows of all its trials */
export async function contestReport(
  contest: SeriesRecord,
  rows: readonly TrialRow[],
  beside: Beside,
): Promise<Contest> {
  const { alpha, margin, judge_model, protocol } = contest.plan;
  const played = await playedPairs(contest, rows, { stored: beside.stored });
  const costs = costsOf(rows);
  const { not_worse_by = margin } = played[0]?.findings.subject.levels ?? {};
  const input: ContestInput = {
    rules: rulesOfContest(contest),
    played,
    async pairReport(pair) {
      const view = pairView(contest, rows, pair);
      const compared = new Set(contestOf(contest).pairs[pair]?.comparisons);
      const stored = beside.stored.filter(({ comparison }) => comparison !== null && compared.has(comparison));
      return await reportOf(view.series, view.rows, { ...beside, stored });
    },
    told: {
      ...toldOf(contest),
      protocol,
      levels: { alpha, margin, not_worse_by },
      members: contest.plan.scenarios.length,
      judge: { model: judge_model, cost_usd: costs.judge },
      cost_usd: {
        total: costs.total,
        ...(costs.price_date !== undefined && { price_date: costs.price_date }),
        ...(costs.at_least && { at_least: costs.at_least }),
      },
      ledger: beside.ledger ?? null,
    },
    trials: trialsHere(contest, rows, played),
    tells_totals: true,
  };
  return await contestOfPairs(input);
}

/** The contest of results that were made elsewhere. @param contest as it stands in them */
export async function importedContest(
  results: ImportedResults,
  contest: ContestPlan,
  known: ImportedAs & Pick<Beside, "ledger">,
): Promise<Contest> {
  const played: PlayedPair[] = [];
  for (const pair of playedTable(results, known, contest)) {
    played.push(pair);
    await breathe();
  }
  const { told, levels } = importedSubject(results, known);
  const { not_worse_by = levels.margin } = levels;
  const { series_id, state, imported, created_at, finished_at, inputs_from_checkout } = told;
  return await contestOfPairs({
    rules: { plan: contest, alpha: levels.alpha, settles_at: null },
    played,
    async pairReport(pair) {
      const { results: own, ...named } = pairInTable(results, contest, pair);
      return await importedSeries(own, { ...known, ...named });
    },
    told: {
      ...{ series_id, kind: "contest", protocol: SERIES_PROTOCOL, state, created_at, finished_at },
      ...{ stop: null, failure: null, plan: null, plan_digest: null, limits: null, changes: [] },
      ...(imported && { imported }),
      ...(inputs_from_checkout && { inputs_from_checkout }),
      levels: { alpha: levels.alpha, margin: levels.margin, not_worse_by },
      members: results.scenarios.length,
      judge: { model: null, cost_usd: null },
      cost_usd: { total: null },
      ledger: known.ledger ?? null,
    },
    trials: trialsOfTable(results, contest, played),
    tells_totals: false,
  });
}

function toldOf(contest: SeriesRecord) {
  const { series_id, state, stop, failure, plan, plan_digest, limits, changes, ...series } = contest;
  const { created_at, finished_at, inputs_from_checkout } = series;
  return {
    ...({ series_id, kind: "contest", state, stop, failure, plan, plan_digest } as const),
    ...{ limits, changes, created_at, finished_at },
    ...(inputs_from_checkout && { inputs_from_checkout }),
  };
}
