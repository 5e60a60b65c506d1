import { Type } from "@sinclair/typebox";
import type { GridRow } from "../../../domain/cell.ts";
import type { Contest } from "../../../domain/contest.ts";
import { wordsText } from "../../../domain/words.ts";
import { contestLines, contestTable } from "../../../statistics/contest-words.ts";
import { clipTexts, fullestThatFits } from "../fit.ts";
import type { Answer } from "../tool.ts";
import { rowLines } from "./series-view.ts";

/** As in the HTTP API, whose document has its schema, without what is long: here it would be most of the list of tools. */
export const ContestBrief = Type.Unknown({ description: "Contest as in the HTTP API, without what is long." });

/** Without what grows with the trials or with the square of the arms. */
export function contestBrief({ plan: _, trials: __, contest, ...told }: Contest): Readonly<Record<string, unknown>> {
  const { pairs: ___, ...standing } = contest;
  return { ...told, contest: standing };
}

/** Rows whose work is told: as many as a result holds. */
export const CONTEST_ROWS = 3;
const ROWS_THAT_FIT = [CONTEST_ROWS, 1, 0] as const;

/** Of an answer or a change. */
const WORK_CHARS = 200;

interface ContestView {
  readonly contest: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** The answer with what each arm left in as many of these rows as a result holds. */
export function contestThatFits<Version extends Answer>(
  contest: Contest,
  rows: readonly GridRow[],
  make: (view: ContestView) => Version,
): Version {
  const clipped = rows.map((row) => clipTexts(row, WORK_CHARS));
  return fullestThatFits(ROWS_THAT_FIT, (many) => {
    const shown = clipped.slice(0, many);
    const text = [contestText(contest), ...shown.flatMap((row) => rowLines(row, null))].join("\n");
    return make({ contest: { ...contestBrief(contest), ...(shown.length > 0 && { rows: shown }) }, text });
  });
}

/** The answer, then a line for each arm. */
export function contestText(contest: Contest): string {
  const { first, lines } = contestLines(contest);
  const { head, rows } = contestTable(contest);
  const told = lines.map(({ label, words, command = "" }) => `${label}: ${wordsText(words)} ${command}`.trimEnd());
  const arms = rows.map((row) => row.map((cell, place) => (place === 0 ? cell : `${head[place]} ${cell}`)).join(", "));
  const trials = `Its sessions: list_sessions with series_id "${contest.series_id}"; each compares two arms on their runs.`;
  return [wordsText(first), ...told, ...arms, ...(contest.imported ? [] : [trials])].join("\n");
}
