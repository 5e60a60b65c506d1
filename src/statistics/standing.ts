import { gateOf } from "../domain/pipeline-gate.ts";
import type { Series } from "../domain/series.ts";
import { seriesAnswerOf } from "../domain/series-answer.ts";
import type { SeriesRecord, SeriesStanding } from "../domain/series-record.ts";
import {
  type Conclusion,
  type Doubt,
  SERIES_FLAGS,
  type SeriesAnswer,
  type SeriesFlag,
  type SeriesSummary,
} from "../domain/series-summary.ts";
import { isFinal } from "../domain/session-state.ts";
import { givesResult, type TrialRow } from "../domain/trial.ts";
import type { Side } from "../domain/verdict.ts";
import {
  copiesOf,
  countedOf,
  countsOf,
  type Findings,
  findingsOf,
  headlineOf,
  totalMissing,
} from "./claim/findings.ts";
import { openingOf } from "./claim/opening.ts";
import { conclusionOf, isOnlyCopies } from "./claim/sequential-test.ts";
import { isWithoutContrast } from "./claim/shut-by.ts";
import { resultOf } from "./claim/tally.ts";
import { flagCounts } from "./summary/flag-counts.ts";
import { seriesResultOf } from "./summary/result.ts";
import { seriesStatement } from "./words/statement.ts";
import { plannedSubject } from "./words/subject.ts";

/** The standing that lists show. @param stored as in `Beside`; none where they do not matter */
export function standingOf(
  series: SeriesRecord,
  rows: readonly TrialRow[],
  stored: readonly TrialRow[] = [],
): SeriesStanding {
  if (series.plan.contest) return standingOfContest(rows);
  const findings = findingsOf(plannedSubject(series), rows, stored);
  const { win_rate, low, high } = headlineOf(findings.sequential, findings.subject.levels, 0);
  const raised: Partial<Record<SeriesFlag, boolean>> = raisedByTrials(findings);
  const flags = SERIES_FLAGS.filter((flag) => raised[flag] === true);
  return {
    ...{ ...concludedOf(findings), win_rate, low, high, counted: countsOf(findings).trials },
    answer: isWithoutContrast(findings) ? "not_known" : answerIn(findings),
    ...(flags.length > 0 && { flags }),
  };
}

/** Lists say of a contest how far it is. */
const standingOfContest = (rows: readonly TrialRow[]): SeriesStanding => ({
  ...{ conclusion: "undecided", win_rate: null, low: 0, high: 1 },
  counted: rows.filter(givesResult).length,
});

/** What the trials say of the candidate; a judge's self-test and the like shut a gate, and change no answer. */
function answerIn(findings: Findings): SeriesAnswer {
  const { conclusion, subject } = findings;
  const { arms, control_side } = subject;
  const { gate } = gateOf(arms, { a: openingOf(findings, "a"), b: openingOf(findings, "b") });
  const both = { a: { arm_id: arms.a }, b: { arm_id: arms.b } };
  return seriesAnswerOf({ conclusion, control: arms[control_side], gate, arms: both, levels: subject.levels });
}

const isTableConstant = (findings: Findings) => findings.subject.told.kind === "results" && copiesOf(findings).size > 0;

/** Flags for which nothing but the trials is needed. */
export function raisedByTrials(findings: Findings) {
  const { rows, sequential } = findings;
  const counts = flagCounts(findings);
  return {
    fragile: sequential.fragile,
    claim_reversed: sequential.reversed,
    check_could_not_run: rows.some(({ could_not_check }) => could_not_check !== undefined),
    no_variation: sequential.repeats.some(Boolean) || isTableConstant(findings),
    rows_repeat: findings.subject.told.repeated_rows !== undefined,
    no_contrast: counts.no_contrast > 0,
    self_family: counts.self_family > 0,
    panel_one_family: counts.panel_one_family > 0,
    arm_crashed: counts.arm_crashed > 0,
    judge_follows_order: counts.judge_follows_order > 0,
    not_concurrent: counts.not_concurrent > 0,
    low_confidence: counts.low_confidence > 0,
  };
}

/**
 * What the series' own trials may conclude by when those that run have ended, one after the other: only where that is something
 * others have a say.
 */
export function* conclusionsAhead(
  series: SeriesRecord,
  rows: readonly TrialRow[],
): Generator<Conclusion | "not_worse"> {
  const runs = rows.some(({ state }) => !isFinal(state));
  for (const winner_side of runs ? (["a", "b", null] as const) : [null]) {
    const ended = rows.map((row) => (isFinal(row.state) ? row : wonBy(row, winner_side)));
    const { conclusion, sequential } = findingsOf(plannedSubject(series), ended);
    const { a, b } = sequential.not_worse_at;
    const isEnd = series.limits.stop_when_sure && (a ?? b) !== null;
    yield conclusion === "undecided" && isEnd ? "not_worse" : conclusion;
  }
}

const wonBy = (row: TrialRow, winner_side: Side | null): TrialRow => ({
  ...{ ...row, state: "completed", winner_side },
  arms: {
    a: { ...row.arms.a, solved: winner_side === "a", score: winner_side === "a" ? 1 : 0 },
    b: { ...row.arms.b, solved: winner_side === "b", score: winner_side === "b" ? 1 : 0 },
  },
  outcome: winner_side === null ? "tie" : "winner",
});

/**
 * Where the series stands with the verdict of `own`, which is about to be stored.
 * @param rows of all its trials; the one of `own` among them may be from before the verdict
 * @param stored as in `Beside`; none where nobody needs to look at them
 */
export function summaryOf(
  series: SeriesRecord,
  rows: readonly TrialRow[],
  { own, stored = [] }: { readonly own: TrialRow; readonly stored?: readonly TrialRow[] },
): SeriesSummary {
  // A run with a verdict is complete once this is stored.
  const ended: TrialRow = { ...own, state: "completed" };
  const others = rows.filter(({ session_id }) => session_id !== own.session_id);
  const findings = findingsOf(plannedSubject(series), [...others, ended], stored);
  return {
    ...toldOf(findings),
    trial: own.place?.trial ?? 1,
    held:
      typeof resultOf(ended, findings.subject.measure) === "number" &&
      !countedOf(findings).some(({ row }) => row === ended),
  };
}

/** As `summaryOf`, for a trial with which no round can be complete: where the series stood before. */
export const summaryBehind = (
  series: SeriesRecord,
  rows: readonly TrialRow[],
  stored: readonly TrialRow[],
): Omit<SeriesSummary, "trial"> => ({ ...toldOf(findingsOf(plannedSubject(series), rows, stored)), held: true });

function toldOf(findings: Findings): Omit<SeriesSummary, "trial" | "held"> {
  const { trials, wins, ties, losses, inconsistent, inconclusive } = countsOf(findings);
  const headline = headlineOf(findings.sequential, findings.subject.levels, 0);
  const { win_rate, low, high, e } = headline;
  const result = seriesResultOf(findings, headline);
  return {
    series_id: findings.subject.told.series_id,
    ...{ trials, wins, ties, losses, inconsistent, inconclusive, missing: totalMissing(findings) },
    ...{ win_rate, low, high, e },
    conclusion: findings.conclusion,
    statement: seriesStatement({ findings, forecast: null, earlier: [], mixed: false, failed_self_tests: [], result }),
  };
}

/** What is concluded, and what keeps the trials from it. */
export function concludedOf(findings: Findings): Pick<Series, "conclusion" | "undecided_by"> {
  const undecided_by = doubtOf(findings);
  return { conclusion: findings.conclusion, ...(undecided_by && { undecided_by }) };
}

function doubtOf({ conclusion, sequential, subject }: Findings): Doubt | undefined {
  if (isOnlyCopies(sequential)) return "identical_trials";
  if (sequential.range === null || (sequential.reversed && subject.levels.rules?.lapses !== false))
    return "results_changed";
  if (sequential.reversed) return "contradictory_trials";
  if (sequential.claim && !sequential.stands) return "lapsed";
  if (sequential.fragile) return "missing_trials";
  if (subject.told.plan?.baseline?.selected)
    return conclusionOf(sequential) === "undecided" ? undefined : "selected_baseline";
  return conclusion === conclusionOf(sequential) ? undefined : "other_trials_disagree";
}
