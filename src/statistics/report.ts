import { LEAST_TASKS } from "../domain/defaults.ts";
import { gateOf, lacksPairs } from "../domain/pipeline-gate.ts";
import type { ImportedResults } from "../domain/results.ts";
import type { EarlierTrials, Series } from "../domain/series.ts";
import { SERIES_PROTOCOL, type SeriesColumn, type SeriesRecord } from "../domain/series-record.ts";
import { SERIES_FLAGS, type SeriesFlag } from "../domain/series-summary.ts";
import type { TrialRow } from "../domain/trial.ts";
import type { Side } from "../domain/verdict.ts";
import { breathe } from "../runtime/pace.ts";
import { awaitedIn } from "./claim/awaited.ts";
import { unitCount } from "./claim/clusters.ts";
import { logEvidence } from "./claim/e-process.ts";
import { efficiencyOf } from "./claim/efficiency.ts";
import {
  countedOf,
  countsOf,
  decidersOf,
  evidenceOf,
  type Findings,
  findingsOf,
  headlineOf,
  missingForClaim,
} from "./claim/findings.ts";
import { type Forecast, forecast, MAX_FORECAST, moreTrials } from "./claim/forecast.ts";
import { valuesOf } from "./claim/means.ts";
import { pairsNeeded } from "./claim/pairs-needed.ts";
import { isOfOthers } from "./claim/pool.ts";
import { conclusionOf, isOnlyCopies } from "./claim/sequential-test.ts";
import { isMadeByChange, openingWithoutKin, shutBy } from "./claim/shut-by.ts";
import { type CountedTrial, type Difference, missingBy } from "./claim/tally.ts";
import { type Costs, costsOf, costToClaim } from "./costs.ts";
import { concludedOf, raisedByTrials } from "./standing.ts";
import { descriptiveOf } from "./summary/descriptive.ts";
import { raisedFlagCounts } from "./summary/flag-counts.ts";
import { importedRows, withResults } from "./summary/imported-series.ts";
import { gateLikeTheseOf, likeTheseOf } from "./summary/like-these.ts";
import { modelChangesOf } from "./summary/model-changes.ts";
import { crashedOf, solvedOf } from "./summary/reliability.ts";
import { seriesResultOf } from "./summary/result.ts";
import { groupsOf, scenarioRowsOf } from "./summary/scenario-rows.ts";
import { skillsOf } from "./summary/skills.ts";
import { trialListOf } from "./summary/trial-list.ts";
import { servedAnotherBefore } from "./words/baseline.ts";
import { seriesStatement } from "./words/statement.ts";
import { type ImportedAs, importedSubject, plannedSubject, type StoredRuns, storedSubject } from "./words/subject.ts";

/** What a report tells beside the series' own trials. */
export interface Beside {
  /** Stored runs of the plan's comparisons in the order of creation; this series' own and later ones may be among them. */
  readonly stored: readonly TrialRow[];
  /** Whether the judge has passed no self-test on some scenario. */
  readonly judge_unaudited: boolean;
  /** Scenarios on which the judge failed its newest self-test. */
  readonly failed_self_tests?: readonly string[];
  /** How often the same was asked; absent: nobody knows. */
  readonly ledger?: Series["ledger"] | undefined;
  /** By which the rows are grouped; absent: by none. */
  readonly by?: SeriesColumn | undefined;
}

/** The whole report of a planned series. Takes the third power of the trials left; others have their turn meanwhile. */
export async function reportOf(series: SeriesRecord, rows: readonly TrialRow[], beside: Beside): Promise<Series> {
  const findings = findingsOf(plannedSubject(series), rows, beside.stored);
  return await seriesOf(findings, { ...beside, forecast: await forecastOf(findings) });
}

/** The report of all stored runs of a comparison. No plan ends them, so that nothing can be forecast. */
export async function storedSeries(runs: StoredRuns, beside: Omit<Beside, "stored">): Promise<Series> {
  return await seriesOf(findingsOf(storedSubject(runs), runs.rows), { ...beside, forecast: null });
}

/** The report of results that were made elsewhere: nothing can be forecast of them, and no judge is known. */
export async function importedSeries(
  results: ImportedResults,
  known: ImportedAs,
  { by, ledger }: Pick<Beside, "by" | "ledger"> = {},
): Promise<Series> {
  const rows = importedRows(results, known.series_id);
  await breathe();
  const findings = findingsOf(importedSubject(results, known), rows);
  return await withResults(await seriesOf(findings, { judge_unaudited: false, forecast: null, by, ledger }), results);
}

/** Null where nothing is left, too much for a forecast, or nothing that it could say. */
async function forecastOf(findings: Findings): Promise<Forecast | null> {
  const { subject, sequential, conclusion } = findings;
  const { limits } = subject.told;
  if (conclusion !== conclusionOf(sequential) || subject.cluster !== undefined) return null;
  if (limits === null || sequential.reversed || sequential.equivalent_at !== null || isOnlyCopies(sequential))
    return null;
  if (sequential.claim && sequential.stands) return { chance_of_conclusion: 1, chance_of_claim: 1 };
  const { standing, levels } = awaitedIn(findings, limits.trials);
  if (standing.left === 0 || standing.left > MAX_FORECAST) return null;
  const { not_worse, ...open } = standing;
  const isShown = not_worse !== undefined && sequential.not_worse_at[not_worse] !== null;
  const chances = isShown ? { chance_of_conclusion: 1, chance_of_claim: 0 } : await forecast(standing, levels);
  if (limits.stop_when_sure) return chances;
  // What else is shown does not end it, and a claim may follow.
  return { ...chances, chance_of_claim: (await forecast(open, { ...levels, margin: 0 })).chance_of_claim };
}

interface Computed extends Omit<Beside, "stored"> {
  readonly forecast: Forecast | null;
}

/** Of many trials each step takes some milliseconds; others have their turn between them. */
async function seriesOf(findings: Findings, computed: Computed): Promise<Series> {
  await breathe();
  const { judge_unaudited, failed_self_tests = [], forecast: chances, by, ledger = null } = computed;
  const { subject, sequential, rows, tallies } = findings;
  const { arms, judge_model } = subject;
  const costs = costsOf(rows);
  await breathe();
  const efficiency = efficiencyOf(findings);
  await breathe();
  const distinct = tallies.flatMap((tally) => tally.rows);
  const earlier = earlierOf(findings);
  const coming = comingOf(findings, chances, costs);
  const scenarios = await scenarioRowsOf(findings, earlier);
  const mixed = ["a_preferred", "b_preferred"].every((side) => scenarios.some(({ conclusion }) => conclusion === side));
  const means = scoreMeans(findings);
  const armOf = (side: Side) => {
    const crashed = crashedOf(distinct, side);
    const usage_lost = subject.told.kind === "results" ? undefined : usageLostOf(distinct, side);
    const skills = skillsOf(distinct, side);
    return {
      ...{ arm_id: arms[side], ...costs.arms[side], solved: solvedOf(tallies, side, subject.levels.clusters) },
      ...meanIn(means, side),
      ...(crashed && { crashed }),
      ...(usage_lost && { usage_lost }),
      ...(skills.length > 0 && { skills }),
    };
  };
  const both = { a: armOf("a"), b: armOf("b") };
  await breathe();
  const never_fired = isNeverFired(both);
  const model_changes = [...modelChangesOf(findings)];
  const is_changed = model_changes.length > 0;
  const flags = flagsOf(findings, { mixed, earlier, judge_unaudited, failed_self_tests, never_fired, is_changed });
  await breathe();
  const shut = shutBy(findings, flags);
  const a = shut ?? openingWithoutKin(findings, "a");
  await breathe();
  const openings = { a, b: shut ?? openingWithoutKin(findings, "b") };
  await breathe();
  const isShort = subject.measure !== "score" && Object.values(openings).some(lacksPairs);
  const needs = isShort && !subject.cluster ? await pairsNeeded(sequential, subject.levels) : null;
  const headline = headlineOf(sequential, subject.levels, missingForClaim(findings));
  await breathe();
  const like_these = likeTheseOf(findings);
  const result = seriesResultOf(findings, headline);
  await breathe();
  const statement = seriesStatement({ findings, forecast: coming, earlier, mixed, failed_self_tests, result });
  const trials = await trialListOf(findings);
  return {
    ...subject.told,
    protocol: subject.told.plan?.protocol ?? SERIES_PROTOCOL,
    ...concludedOf(findings),
    ...gateOf(arms, openings, needs),
    like_these,
    gate_like_these: gateLikeTheseOf(findings, openings, like_these),
    headline,
    result,
    counts: countsOf(findings),
    decided_by: decidersOf(countedOf(findings).map(({ row }) => row)),
    missing_by: missingBy(tallies, subject.measure),
    forecast: coming,
    earlier: earlier.length === 1 ? (earlier[0] ?? null) : null,
    ...(findings.pool?.since && { since: findings.pool.since }),
    ledger,
    scenarios,
    ...(by && { groups: groupsOf(findings, by) }),
    rounds: sequential.log_e.length,
    mixed,
    arms: both,
    efficiency,
    cost_ratio: costs.ratio,
    judge: { model: judge_model, cost_usd: costs.judge },
    cost_usd: {
      ...{ total: costs.total, per_trial: costs.per_trial, to_claim: costToClaim(tallies, sequential) },
      ...(costs.price_date !== undefined && { price_date: costs.price_date }),
      ...(costs.at_least && { at_least: costs.at_least }),
    },
    descriptive: descriptiveOf(findings),
    flags,
    ...raisedFlagCounts(findings),
    model_changes,
    statement,
    trials,
  };
}

const meanIn = (means: Readonly<Record<Side, number>> | null, side: Side): Pick<Series["arms"][Side], "mean_score"> =>
  means === null ? {} : { mean_score: means[side] };

const scoreMeans = (findings: Findings) => (findings.subject.measure === "score" ? valuesOf(findings) : null);

/** Completed trials of which not all tokens of the arm are known; undefined while there is none. */
function usageLostOf(rows: readonly TrialRow[], side: Side): Series["arms"][Side]["usage_lost"] {
  const completed = rows.filter(({ state }) => state === "completed");
  const lost = completed.filter(({ arms }) => arms[side].tokens === null).length;
  return lost === 0 ? undefined : { lost, trials: completed.length };
}

/** An arm was given a skill that it read in no trial. */
const isNeverFired = ({ a, b }: Series["arms"]): boolean =>
  [...(a.skills ?? []), ...(b.skills ?? [])].some(({ fired }) => fired === 0);

function comingOf(findings: Findings, chances: Forecast | null, costs: Costs) {
  const { subject, sequential } = findings;
  const isClustered = subject.cluster !== undefined;
  const isOpen = !isClustered && !isOnlyCopies(sequential) && findings.conclusion === conclusionOf(sequential);
  const more_trials = isOpen ? moreTrials(sequential.counts, subject.levels) : null;
  const { limits } = subject.told;
  return {
    trials_left: limits && awaitedIn(findings, limits.trials).standing.left,
    chance_of_claim: chances?.chance_of_claim ?? null,
    chance_of_conclusion: chances?.chance_of_conclusion ?? null,
    more_trials,
    cost_usd: more_trials === null || costs.per_trial === null ? null : more_trials * costs.per_trial,
    ...(isClustered && { unknown_because: "clusters" as const }),
  };
}

interface Known {
  readonly mixed: boolean;
  readonly earlier: readonly (EarlierTrials | null)[];
  readonly judge_unaudited: boolean;
  readonly failed_self_tests: readonly string[];
  readonly never_fired: boolean;
  /** Another model than before served some trial. */
  readonly is_changed: boolean;
}

/** What a reader should know before trusting the series. */
function flagsOf(findings: Findings, known: Known): SeriesFlag[] {
  const { mixed, earlier, judge_unaudited, failed_self_tests, never_fired, is_changed } = known;
  const { subject } = findings;
  const raised: Readonly<Record<SeriesFlag, boolean>> = {
    served_model_changed: is_changed || servedAnotherBefore(findings),
    ...raisedByTrials(findings),
    arms_differ: subject.arms_differ,
    judge_failed_self_test: failed_self_tests.length > 0,
    judge_unaudited,
    scripted: subject.scripted,
    mixed,
    few_tasks: unitCount(subject.levels.clusters, subject.scenarios.length) < LEAST_TASKS,
    earlier_trials: earlier.some((one) => one !== null),
    baseline_not_concurrent: subject.told.plan?.baseline !== undefined,
    baseline_selected: subject.told.plan?.baseline?.selected === true,
    results_imported: subject.told.kind === "results",
    skill_never_fired: never_fired,
    inputs_from_checkout: subject.told.inputs_from_checkout !== undefined || isMadeByChange(findings),
  };
  return SERIES_FLAGS.filter((flag) => raised[flag]);
}

/** By scenario: the runs of its comparison that are not of the series, which nobody should forget; null where there are none. */
function earlierOf({ subject, pool }: Findings): readonly (EarlierTrials | null)[] {
  const { series_id } = subject.told;
  return subject.scenarios.map((_, place) => {
    const counted = pool?.tallies[place]?.counted ?? [];
    const others = counted.filter(({ row }) => isOfOthers(row, series_id));
    if (others.length === 0) return null;
    return { trials: others.length, e: evidenceAfter(others), e_with_this: evidenceAfter(counted) };
  });
}

function evidenceAfter(trials: readonly CountedTrial[]): number {
  const of = (difference: Difference) => trials.filter(({ d }) => d === difference).length;
  return evidenceOf(logEvidence({ wins: of(1), ties: of(0), losses: of(-1) }).both);
}
