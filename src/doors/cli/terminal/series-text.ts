import stringWidth from "string-width";
import { memberName } from "../../../domain/member.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { Series } from "../../../domain/series.ts";
import { seriesFlagWords } from "../../../domain/series-flags.ts";
import { MAX_TRIALS } from "../../../domain/series-record.ts";
import { preferredSide, statusText } from "../../../domain/series-status.ts";
import { wordsText } from "../../../domain/words.ts";
import { solvedWord } from "../../../statistics/figure-text.ts";
import {
  armFigures,
  costsText,
  failedTable,
  GROUPS_TEXT,
  groupTable,
  leftOutText,
  namesOf,
  rateText,
  scoreText,
  seriesNotes,
  shownScenarios,
  solvedText,
  winRateText,
} from "../../../statistics/series-words.ts";
import type { RunArguments } from "../flags/run-flags.ts";
import { type Painter, rangeBar } from "./paint.ts";
import { hanging, isTerminal, wrap, wrapWords } from "./terminal.ts";

/** Cells of the bar of the win rate. */
const BAR_WIDTH = 41;

interface SummaryOptions {
  readonly painter: Painter;
  /** The command that would run the series again; undefined where nothing of it is kept. */
  readonly again: string | undefined;
}

/** What the series says, for a terminal: the conclusion, the win rate, the statement, scenarios, arms, what to beware of. */
export function summariseSeries(series: Series, { painter, again }: SummaryOptions): string {
  const width = painter.columns - 3;
  const { arms, headline } = series;
  const parts = [
    headlineOf(series, painter),
    [
      ...hanging(`win rate of ${arms.a.arm_id} `, winRateText(series), width),
      ...(headline.win_rate === null ? [] : scale(headline, painter)),
    ],
    wrapWords(plainText(series.statement), width),
    groupLines(series, width),
    failedLines(series, width),
    scenarioLines(series, width),
    armLines(series, width),
    seriesNotes(series).flatMap((note) => wrapWords(plainText(wordsText(note)), width)),
    flagLines(series, width).map((line) => painter.paint(line, "yellow")),
    costLines(series, width),
    placeOf(series, again).map((line) => painter.paint(line, "dim")),
  ];
  const [first = [], ...others] = parts.filter((lines) => lines.length > 0);
  const indented = others.map((lines) => lines.map((line) => `  ${line}\n`).join(""));
  return `\n${first.join("\n")}\n${indented.join("\n")}`;
}

/**
 * What stdout gets in place of the series' JSON, which fills screens of a terminal: the summary where stderr shows none, else
 * nothing. Undefined: JSON.
 */
export function inPlaceOfJson(
  summary: string,
  { has }: Pick<RunArguments, "has">,
  { live }: Painter,
): string | undefined {
  if (!isTerminal(1) || has("json")) return undefined;
  return live && !has("quiet") ? "" : summary;
}

function headlineOf(series: Series, painter: Painter): string[] {
  const colour = preferredSide(series.conclusion) ? "green" : "yellow";
  const lines = wrapWords(statusText(series, namesOf(series.arms)), painter.columns - 1);
  return lines.map((line) => painter.paint(line, "bold", colour));
}

/** The scale is as wide as the terminal allows. */
function scale(range: Series["headline"], painter: Painter): string[] {
  const room = painter.columns - 3 - "0%  100%".length;
  const width = Math.min(BAR_WIDTH, room - 1 + (room % 2));
  return [`0% ${rangeBar(range, width, painter)} 100%`, `${" ".repeat(3 + (width - 1) / 2 - 1)}50%`];
}

/** Only a suite has a row for each of its scenarios. */
function scenarioLines(series: Series, width: number): string[] {
  const { scenarios, arms } = series;
  if (scenarios.length < 2) return [];
  const solved = solvedWord(series);
  const head = ["wins-ties-losses", "win rate", `${arms.a.arm_id} ${solved}`, `${arms.b.arm_id} ${solved}`];
  const rows = shownScenarios(scenarios).map(
    ({ counts, headline, solved, ...member }) =>
      [
        memberName(member),
        scoreText(counts),
        rateText(headline.win_rate),
        solvedText(solved.a),
        solvedText(solved.b),
      ] as const,
  );
  const more = leftOutText(scenarios.length);
  return [...columns({ head, rows }, width), ...(more === null ? [] : [more])];
}

function groupLines(series: Series, width: number): string[] {
  const table = groupTable(series);
  if (table === null) return [];
  const [field, ...head] = table.head;
  const rows = table.rows.map(([value, ...figures]) => [plainText(value).replace(/\s+/g, " "), ...figures] as const);
  return [`by ${plainText(field)}:`, ...columns({ head, rows }, width), ...wrapWords(GROUPS_TEXT, width)];
}

function failedLines(series: Series, width: number): string[] {
  const table = failedTable(series);
  if (table === null) return [];
  const [what, ...head] = table.head;
  const rows = table.rows.map(([first, ...figures]) => [plainText(first), ...figures] as const);
  return [`${what}:`, ...columns({ head, rows }, width)];
}

function armLines(series: Series, width: number): string[] {
  const figures = armFigures(series);
  const row = (arm_id: string, side: 1 | 2) => [arm_id, ...figures.map((figure) => figure[side])] as const;
  const rows = [row(series.arms.a.arm_id, 1), row(series.arms.b.arm_id, 2)];
  return columns({ head: figures.map(([what]) => what), rows }, width);
}

const flagLines = (series: Series, width: number): string[] =>
  series.flags.flatMap((flag) => hanging(`${flag}: `, plainText(wordsText(seriesFlagWords(flag, series))), width));

const costLines = (series: Series, width: number): string[] => {
  const text = costsText(series);
  return text === "" ? [] : hanging("cost: ", text, width);
};

/** Says where to read more and how to go on. The command is not wrapped, so that it can be pasted. */
function placeOf({ series_id, forecast, limits }: Series, again: string | undefined): string[] {
  if (again === undefined) return [series_id];
  const more = forecast.trials_left ? "" : ` --trials ${Math.min(2 * (limits?.trials ?? 1), MAX_TRIALS)}`;
  return [series_id, "to continue:", plainText(`  ${again} --continue ${series_id}${more}`)];
}

/** Cells between two columns. */
const GAP = "  ";

/** The comma that ends a line takes one more cell. */
const SEPARATOR = ", ";

interface Table {
  /** Heads of the columns after the first, which holds names. */
  readonly head: readonly string[];
  /** A name, then a cell for each head. */
  readonly rows: readonly (readonly [name: string, ...cells: string[]])[];
}

/** Aligned columns where they fit into `width` cells; else the name of each row, and below it every cell with its head. */
function columns({ head, rows }: Table, width: number): string[] {
  const lines = [["", ...head], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => stringWidth(line[column] ?? "")))) ?? [];
  const aligned = lines.map((line) =>
    line
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
  if (aligned.every((line) => stringWidth(line) <= width)) return aligned;
  return rows.flatMap(([name, ...cells]) => {
    const parts = cells.map((cell, column) => `${head[column]} ${cell}`);
    return [name, ...wrap(parts, SEPARATOR, width - GAP.length - 1).map((line) => GAP + line)];
  });
}

const pad = (cell: string, width: number) => cell + " ".repeat(width - stringWidth(cell));
