import { FLAG_OF_DOUBT } from "../domain/caveat.ts";
import { contradict } from "../domain/contradict.ts";
import { everyVerdict } from "../domain/every-verdict.ts";
import { cut } from "../domain/excerpt.ts";
import { columnsWith, columnValues, type FigureField } from "../domain/listed-columns.ts";
import { withInputId } from "../domain/member.ts";
import type { StoredResults } from "../domain/results.ts";
import { seriesAnswerOf } from "../domain/series-answer.ts";
import type { SeriesListing } from "../domain/series-listing.ts";
import type { SeriesPlan, SeriesRecord, SeriesStanding } from "../domain/series-record.ts";
import { controlSide } from "../domain/series-result.ts";
import { SERIES_FLAGS, type SeriesFlag } from "../domain/series-summary.ts";
import type { ArmSummary, SessionOutcome } from "../domain/session.ts";
import type { SessionListing } from "../domain/session-list.ts";
import type { Verdict } from "../domain/verdict.ts";
import { isResults, type StoredSeries } from "./series-rows.ts";

/** A list has many rows. */
const TITLE_CHARS = 200;

export function listingOf(outcome: SessionOutcome, kept = columnValues(outcome)): SessionListing {
  const { verdict, trial, user } = outcome;
  const all = everyVerdict(outcome);
  return {
    session_id: outcome.session_id,
    scenario: outcome.scenario,
    ...withInputId(outcome.input?.id),
    state: outcome.state,
    created_at: outcome.created_at,
    finished_at: outcome.finished_at,
    arms: outcome.arms.map((arm) => listedArm(arm, verdict)),
    outcome: verdict?.outcome ?? null,
    winner: verdict?.winner ?? null,
    confidence: verdict?.confidence ?? null,
    judge_model: verdict?.judge.model ?? outcome.request.judge_model,
    ...(trial && { trial }),
    ...(user !== undefined && { user }),
    title: cut(outcome.definition.title, TITLE_CHARS),
    scenario_digest: outcome.scenario_digest,
    ...figuresOf(kept),
    verdicts: all.length,
    conflict: contradict(all),
    flags: verdict?.flags ?? [],
  };
}

const figuresOf = (kept: ReturnType<typeof columnValues>) =>
  Object.fromEntries(columnsWith("figure").map(([name, { figure }]) => [figure.field, kept[name]])) as Record<
    FigureField,
    number | null
  >;

const listedArm = ({ arm_id, model, status, probe }: ArmSummary, verdict: Verdict | null) => ({
  ...{ arm_id, model, status },
  // A rejudge may have been asked for with the arms in the other order.
  score: (verdict?.arm_a.arm_id === arm_id ? verdict.score_a : verdict?.score_b) ?? null,
  checks: probe && { passed: probe.passed, total: probe.total },
});

/** @param failed as in `SeriesStore.list` */
export function seriesListingOf(stored: StoredSeries, failed: ReadonlySet<string> = new Set()): SeriesListing {
  if (isResults(stored)) return resultsListingOf(stored);
  const { plan, limits, ...series } = stored;
  return {
    series_id: series.series_id,
    state: series.state,
    stop: series.stop,
    created_at: series.created_at,
    finished_at: series.finished_at,
    scenarios: [...new Set(plan.scenarios.map(({ scenario }) => scenario))],
    members: plan.scenarios.length,
    ...comparedIn(stored),
    judge_model: plan.judge_model,
    ...(plan.baseline && { baseline: plan.baseline.digest }),
    ...(series.watch && { watch: series.watch.reference }),
    ...(series.user !== undefined && { user: series.user }),
    trials: limits.trials,
    standing: flagged(answeredIn(stored), [
      ...(plan.baseline ? (["baseline_not_concurrent"] as const) : []),
      ...(plan.baseline?.selected ? (["baseline_selected"] as const) : []),
      ...(series.inputs_from_checkout ? (["inputs_from_checkout"] as const) : []),
      ...(isJudgedBy(plan, failed) ? (["judge_failed_self_test"] as const) : []),
    ]),
  };
}

/** Whose runs are compared, and with whose. */
function comparedIn({ plan, control }: SeriesRecord): Pick<SeriesListing, "contest" | "arms" | "control"> {
  const { contest, baseline, arms } = plan;
  if (!contest) return { arms, control: controlOf(arms, control ?? (baseline && arms[baseline.side === "a" ? 0 : 1])) };
  return { contest: true, arms: contest.arms, ...(contest.control !== null && { control: contest.control }) };
}

function answeredIn(series: SeriesRecord): SeriesStanding {
  const { contest, arms, control } = comparedIn(series);
  return contest || control === undefined ? series.standing : answered(series.standing, arms, control);
}

function resultsListingOf({ series_id, created_at, state, results, standing }: StoredResults): SeriesListing {
  const { contest } = results;
  const arms = contest?.arms ?? [results.arms.a, results.arms.b];
  const control = contest ? contest.control : controlOf(arms);
  return {
    ...{ series_id, kind: "results", state, stop: null, created_at, finished_at: created_at },
    scenarios: results.scenarios.map(({ scenario }) => scenario),
    members: results.scenarios.length,
    ...(contest && { contest: true as const }),
    arms,
    ...(control !== null && { control }),
    judge_model: null,
    trials: results.scenarios.reduce((most, { trials }) => Math.max(most, trials.length), 0),
    standing: flagged(control === null ? standing : answered(standing, arms, control), ["results_imported"]),
  };
}

const isJudgedBy = ({ scenarios }: SeriesPlan, keys: ReadonlySet<string>): boolean =>
  keys.size > 0 && scenarios.some(({ self_test_key }) => self_test_key !== null && keys.has(self_test_key));

const controlOf = ([a = "a", b = "b"]: readonly string[], named?: string) =>
  controlSide({ a, b }, named) === "a" ? a : b;

/** A standing of an earlier version tells who is preferred, and nothing of the gate. */
const answered = (standing: SeriesStanding, [a = "a", b = "b"]: readonly string[], control: string): SeriesStanding =>
  standing.answer === undefined
    ? {
        ...standing,
        answer: seriesAnswerOf({ ...standing, control, gate: {}, arms: { a: { arm_id: a }, b: { arm_id: b } } }),
      }
    : standing;

/** Together with what its trials raised. Series of earlier versions keep nothing but their doubt of that. */
function flagged(standing: SeriesStanding, raised: readonly SeriesFlag[]): SeriesStanding {
  const doubted = standing.undecided_by && FLAG_OF_DOUBT[standing.undecided_by];
  const known = new Set([...raised, ...(standing.flags ?? []), ...(doubted ? [doubted] : [])]);
  const flags = SERIES_FLAGS.filter((flag) => known.has(flag));
  return flags.length === 0 ? standing : { ...standing, flags };
}
