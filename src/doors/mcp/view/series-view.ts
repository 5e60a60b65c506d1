import { type Static, Type } from "@sinclair/typebox";
import type { GridRow } from "../../../domain/cell.ts";
import { cellWords, questionLines, rowWords, workLabel, workText } from "../../../domain/grid-words.ts";
import { memberName } from "../../../domain/member.ts";
import { counted } from "../../../domain/number-text.ts";
import { Count, nullable, record, Slug } from "../../../domain/schema.ts";
import { Series } from "../../../domain/series.ts";
import { listedAnswer } from "../../../domain/series-answer.ts";
import type { SeriesListing } from "../../../domain/series-listing.ts";
import { statusText, trialResult } from "../../../domain/series-status.ts";
import { type ArmNames, wordsText } from "../../../domain/words.ts";
import { rangedRateText } from "../../../statistics/figure-text.ts";
import { wonText } from "../../../statistics/series-words.ts";
import { sixLines } from "../../../statistics/six-lines.ts";
import { clipTexts, fullestThatFits, takeThatFits } from "../fit.ts";
import type { Answer } from "../tool.ts";
import { pick } from "./pick.ts";
import { ORIGIN_FIELDS } from "./verdict-view.ts";

const TOLD = [
  "series_id",
  "state",
  "stop",
  "failure",
  "conclusion",
  "undecided_by",
  "gate",
  "gate_reasons",
  "statement",
  "flags",
  "inputs_from_checkout",
] as const;

const COUNTED = ["trials", "wins", "ties", "losses"] as const;
const RATE = ["win_rate", "low", "high", "e"] as const;

const Standing = record("Standing", {
  ...pick(Series.properties.counts.properties, COUNTED),
  ...pick(Series.properties.headline.properties, RATE),
});
type Standing = Static<typeof Standing>;

/** What a series says, in brief. */
export const SeriesBrief = record("SeriesBrief", {
  ...pick(Series.properties, TOLD),
  ...ORIGIN_FIELDS,
  arms: Type.Array(Slug(), { description: "a, then b." }),
  standing: Standing,
  missing: Count("Trials without a result."),
  planned: nullable(Count("Trials of each scenario.")),
  cost_usd: nullable(Type.Number()),
});
export type SeriesBrief = Static<typeof SeriesBrief>;

/** Figures that a series has once for all of its trials. */
const FIGURES = ["control", "result", "like_these", "gate_like_these", "efficiency", "ledger"] as const;

const SCENARIO = ["scenario", "input", "conclusion"] as const;
const TRIAL = [
  "trial",
  "scenario",
  "input",
  "session_id",
  "state",
  "outcome",
  "winner_side",
  "counted",
  "cost_usd",
] as const;

/** What a series says, with its figures, its scenarios and a page of its trials. */
interface SeriesView extends SeriesBrief, Pick<Series, (typeof FIGURES)[number]> {
  readonly scenarios: readonly (Pick<Series["scenarios"][number], (typeof SCENARIO)[number]> & {
    readonly standing: Standing;
  })[];
  readonly scenarios_total: number;
  /** What each arm left, cut: those that differ first. */
  readonly rows: readonly GridRow[];
  /** Oldest first. */
  readonly trials: readonly Pick<Series["trials"][number], (typeof TRIAL)[number]>[];
  readonly trials_total: number;
  /** The trial after which the next page begins; null: there is none. */
  readonly next_after: number | null;
}

/** A `SeriesView`. The HTTP API's document describes the fields; here they would fill much of the list of tools. */
export const SeriesFields = Type.Record(Type.String(), Type.Unknown());

export function briefSeries(series: Series): SeriesBrief {
  const { invalid, failed, cancelled, deleted } = series.counts;
  return {
    ...pick(series, TOLD),
    arms: [series.arms.a.arm_id, series.arms.b.arm_id],
    standing: standingOf(series),
    missing: invalid + failed + cancelled + deleted,
    planned: series.limits?.trials ?? null,
    cost_usd: series.cost_usd.total,
  };
}

const standingOf = ({
  counts,
  headline,
}: Pick<Series, "headline"> & { readonly counts: Pick<Series["counts"], (typeof COUNTED)[number]> }): Standing => ({
  ...pick(counts, COUNTED),
  ...pick(headline, RATE),
});

interface Page {
  /** Number of the trial after which the page begins. */
  readonly after: number;
  /** Trials at most. */
  readonly limit: number;
}

interface Level {
  readonly scenarios: number;
  readonly rows: number;
  readonly trial_bytes: number;
}

/** Rows whose work is told. */
export const MCP_ROWS = 6;

/** Of an answer or a change. */
const WORK_CHARS = 400;

/** The trials take what the scenarios leave. */
const LEVELS: readonly [Level, ...Level[]] = [
  { scenarios: Number.POSITIVE_INFINITY, rows: MCP_ROWS, trial_bytes: 12_000 },
  { scenarios: Number.POSITIVE_INFINITY, rows: 3, trial_bytes: 4_000 },
  { scenarios: 40, rows: 3, trial_bytes: 4_000 },
  { scenarios: 10, rows: 1, trial_bytes: 2_000 },
];

/** The answer with a page of a series' trials, and with as many of its scenarios as a result holds beside them. */
export const seriesThatFits = <Version extends Answer>(
  series: Series,
  page: Page & Pick<SeriesView, "rows">,
  make: (view: SeriesView) => Version,
): Version => fullestThatFits(LEVELS, (level) => make(viewSeries(series, page, level)));

function viewSeries(
  series: Series,
  { after, limit, rows }: Page & Pick<SeriesView, "rows">,
  { scenarios, trial_bytes, ...level }: Level,
): SeriesView {
  const coming = series.trials.filter(({ trial }) => trial > after);
  const listed = takeThatFits(
    coming.slice(0, limit).map((trial) => pick(trial, TRIAL)),
    trial_bytes,
  );
  return {
    ...briefSeries(series),
    ...pick(series, FIGURES),
    scenarios: series.scenarios.slice(0, scenarios).map((row) => ({
      ...pick(row, SCENARIO),
      standing: standingOf(row),
    })),
    scenarios_total: series.scenarios.length,
    rows: rows.slice(0, level.rows).map((row) => clipTexts(row, WORK_CHARS)),
    trials: listed,
    trials_total: series.trials.length,
    next_after: listed.length < coming.length ? (listed.at(-1)?.trial ?? null) : null,
  };
}

const namesOf = ([a = "a", b = "b"]: readonly string[]): ArmNames => ({ a, b });

/** The answer, then the state. @param whole the series that is viewed */
export function briefSeriesText(
  { series_id, state, stop, failure, planned, ...series }: SeriesBrief,
  whole: Series,
): string {
  const { first, lines } = sixLines(whole);
  const ended = stop === null ? state : `${state} (${stop})`;
  const of = planned === null ? "" : `, ${planned} planned of each scenario`;
  return [
    wordsText(first),
    ...lines.map(({ label, words, command = "" }) => `${label}: ${wordsText(words)} ${command}`.trimEnd()),
    `${series_id}: ${ended}; ${series.standing.trials} trials count${of}`,
    ...(failure === null ? [] : [failure]),
    ...(series.flags.length > 0 ? [`flags: ${series.flags.join(", ")}`] : []),
    ...(series.cost_usd === null ? [] : [`In all: ${series.cost_usd === 0 ? "0" : series.cost_usd.toFixed(4)} USD`]),
  ].join("\n");
}

/** Lines for the conclusion, for each of several scenarios, and for each trial of the page. */
export function seriesText(view: SeriesView, whole: Series): string {
  const { scenarios, scenarios_total, arms, trials, next_after } = view;
  const left = scenarios_total - scenarios.length;
  const names = namesOf(arms);
  return [
    briefSeriesText(view, whole),
    ...(scenarios_total > 1
      ? scenarios.map(
          ({ conclusion, standing, ...member }) =>
            `- ${memberName(member)}: ${statusText({ conclusion, state: "completed" }, names)}; ${standingText(standing, names)}`,
        )
      : []),
    ...(left > 0 ? [`- ${left} scenarios more, in GET /api/series/{id}`] : []),
    ...view.rows.flatMap((row) => rowLines(row, names)),
    ...trials.map((trial) => {
      return `#${trial.trial} ${memberName(trial)}: ${trialResult(trial, names)}${trial.counted ? "" : ", not counted"}; ${trial.session_id}`;
    }),
    ...(next_after === null ? [] : [`More trials: after_seq ${next_after}.`]),
  ].join("\n");
}

/** What each arm left in a row. */
/** @param names null for more than two arms */
export const rowLines = (row: GridRow, names: ArmNames | null): string[] => [
  `${memberName(row)}: ${wordsText(rowWords(row, names))}`,
  ...questionLines(row).map((line) => `  ${line}`),
  ...row.cells.map((cell) => `  ${wordsText(cellWords(cell, names))}. ${workLabel(cell)}: ${workText(cell) ?? ""}`),
];

const standingText = (standing: Standing, names: ArmNames) =>
  `${wonText(standing, names)}; win rate of ${names.a} ${rangedRateText(standing)}`;

/** A series of a list, in a line. */
export function seriesRowText(row: SeriesListing): string {
  const { series_id, scenarios, arms, state, stop, created_at } = row;
  const ended = stop === null ? state : `${state} (${stop})`;
  const what = scenarios.length > 3 ? `${scenarios.length} scenarios` : scenarios.join(", ");
  return `- ${series_id}: ${what}, ${created_at}, ${ended}, ${row.contest ? `contest of ${counted(arms.length, "arm")}` : wordsText(listedAnswer(row).words)}, ${counted(row.standing.counted, "trial")}; ${arms.join(" vs ")}, ${row.judge_model === null ? "imported results" : `judge ${row.judge_model}`}`;
}
