import stringWidth from "string-width";
import type { Contest } from "../../../domain/contest.ts";
import { memberName } from "../../../domain/member.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { Series } from "../../../domain/series.ts";
import { seriesAnswerOf } from "../../../domain/series-answer.ts";
import { seriesFlagWords } from "../../../domain/series-flags.ts";
import type { SeriesAnswer, SeriesFlag } from "../../../domain/series-summary.ts";
import { wordsText } from "../../../domain/words.ts";
import { contestAnswerOf, contestLines, contestTable, RANKS_TEXT } from "../../../statistics/contest-words.ts";
import { solvedWord } from "../../../statistics/figure-text.ts";
import {
  armFigures,
  costsText,
  failedTable,
  GROUPS_TEXT,
  groupTable,
  leftOutText,
  rateText,
  scoreText,
  shownScenarios,
  solvedText,
} from "../../../statistics/series-words.ts";
import { type Again, type SixLines, sixLines } from "../../../statistics/six-lines.ts";
import type { RunArguments } from "../flags/run-flags.ts";
import type { Colour, Painter } from "./paint.ts";
import { hanging, isTerminal, wrap, wrapWords } from "./terminal.ts";

interface SummaryOptions {
  readonly painter: Painter;
  /** The command that would run the series again; null where nothing of it is kept. */
  readonly again: Again;
}

/** What the series says, for a terminal: scenarios, arms, what to beware of. The answer comes last, where a reader looks. */
export function summariseSeries(series: Series, { painter, again }: SummaryOptions): string {
  const width = painter.columns - 3;
  const parts = [
    groupLines(series, width),
    failedLines(series, width),
    scenarioLines(series, width),
    armLines(series, width),
    flagLines(series, width).map((line) => painter.paint(line, "yellow")),
    costLines(series, width),
    [painter.paint(series.series_id, "dim")],
  ];
  const told = parts.filter((lines) => lines.length > 0).map((lines) => lines.map((line) => `  ${line}\n`).join(""));
  return `\n${told.join("\n")}\n${answerLines(series, { painter, again }).join("\n")}\n`;
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

const COLOURS: Readonly<Record<SeriesAnswer, Colour>> = {
  better: "green",
  not_worse: "green",
  no_difference: "yellow",
  not_known: "yellow",
  worse: "red",
};

const answerLines = (series: Series, { painter, again }: SummaryOptions): string[] =>
  linesOf(sixLines(series, again), seriesAnswerOf(series), painter);

/** A contest for a terminal: a line for each arm, what to beware of, and the answer last. */
export function summariseContest(contest: Contest, { painter, again }: SummaryOptions): string {
  const width = painter.columns - 3;
  const { head, rows } = contestTable(contest);
  const named = rows.map(([name = "", ...cells]) => [plainText(name), ...cells] as const);
  const parts = [
    [...columns({ head: head.slice(1), rows: named }, width), ...wrapWords(RANKS_TEXT, width)],
    contest.flags.flatMap((flag) => flagLine(flag, contest, width)).map((line) => painter.paint(line, "yellow")),
    [painter.paint(contest.series_id, "dim")],
  ];
  const told = parts.filter((lines) => lines.length > 0).map((lines) => lines.map((line) => `  ${line}\n`).join(""));
  const answer = linesOf(contestLines(contest, again), contestAnswerOf(contest), painter);
  return `\n${told.join("\n")}\n${answer.join("\n")}\n`;
}

/** A command is not wrapped, so that it can be pasted. */
function linesOf({ first, lines }: SixLines, answer: SeriesAnswer, painter: Painter): string[] {
  const width = painter.columns - 1;
  return [
    ...wrapWords(plainText(wordsText(first)), width).map((line) => painter.paint(line, "bold", COLOURS[answer])),
    ...lines.flatMap(({ label, words, command }) => [
      ...hanging(`  ${label.toLowerCase().padEnd(LABEL)}`, plainText(wordsText(words)), width),
      ...(command === undefined ? [] : [plainText(`  ${" ".repeat(LABEL)}${command}`)]),
    ]),
  ];
}

/** Cells of a label with the blanks behind it. */
const LABEL = 8;

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
  series.flags.flatMap((flag) => flagLine(flag, series, width));

const flagLine = (flag: SeriesFlag, flagged: Parameters<typeof seriesFlagWords>[1], width: number): string[] =>
  hanging(`${flag}: `, plainText(wordsText(seriesFlagWords(flag, flagged))), width);

const costLines = (series: Series, width: number): string[] => {
  const text = costsText(series);
  return text === "" ? [] : hanging("cost: ", text, width);
};

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
