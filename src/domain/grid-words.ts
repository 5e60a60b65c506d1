import type { Cell, GridRow } from "./cell.ts";
import { cut } from "./excerpt.ts";
import { counted, countText } from "./number-text.ts";
import { type ArmNames, armWord, say, type Words } from "./words.ts";

/** Rows that a page shows, and how many there are of their kind. */
export interface ShownRows {
  readonly rows: readonly GridRow[];
  readonly total: number;
}

export const NO_ROWS: ShownRows = { rows: [], total: 0 };

/** Stands above all rows, or the first of them. */
export const shownTitle = (shown: number, total: number, word: string): string =>
  shown < total
    ? `What the arms left: ${countText(shown)} of ${counted(total, word)}, those that differ first`
    : "What the arms left";

/** Stands above rows in which one arm is ahead. */
export const differingTitle = (shown: number, total: number, word: string): string =>
  shown < total
    ? `Where they differ: ${countText(shown)} of ${counted(total, word)}`
    : `Where they differ: ${counted(total, word)}`;

/** Characters of a value of a row, and of why a check failed, in a sentence. */
const SAID_CHARS = 240;

/** Values that a line names. */
const VALUES = 6;

/** Checks that a sentence names. */
const CHECKS = 4;

/** What came of the trial of a row that is shown: who won, or that nobody did; of a contest, which round it is. @param names of two arms */
export function rowWords({ outcome, winner, trial, round }: GridRow, names: ArmNames | null): Words {
  if (trial === null) return ["no trial has ended"];
  if (names === null) return [`round ${countText(round ?? 1)}`];
  if (winner !== null) return say`${armWord(names, winner === names.a ? "a" : "b")} won trial ${countText(trial)}`;
  return [`no ${outcome === null ? "result" : `winner (${outcome})`} in trial ${countText(trial)}`];
}

/** What the arms were asked, a line for each value, each named; empty where nothing is kept of it. */
export function questionLines({ values, asked }: GridRow): readonly string[] {
  const told = Object.entries(values ?? {}).map(([name, value]) => `${name}: ${cut(value, SAID_CHARS)}`);
  const more = told.length > VALUES ? [`and ${countText(told.length - VALUES)} more`] : [];
  return [...told.slice(0, VALUES), ...more, ...(asked === undefined ? [] : [`asked: ${cut(asked, SAID_CHARS)}`])];
}

/** What became of an arm's work: which checks failed and why, its score, how it ended where it did not finish. @param names of two arms */
export function cellWords(cell: Cell, names: ArmNames | null): Words {
  const { arm_id, failed, score, ended } = cell;
  const arm = names === null ? { figure: arm_id } : armWord(names, arm_id === names.a ? "a" : "b");
  const scored = score === null ? "" : `, score ${score.toFixed(2)}`;
  const how = ended === undefined ? "" : `; it ended as ${cut(ended, SAID_CHARS)}`;
  return say`${arm} ${failedText(failed)}${scored}${how}`;
}

/** The same below the arm's name. */
export function cellInShort({ failed, score, ended }: Cell): string {
  const parts = [
    ...(failed.length === 0 ? [] : [failedText(failed)]),
    ...(score === null ? [] : [`score ${score.toFixed(2)}`]),
    ...(ended === undefined ? [] : [`ended as ${cut(ended, SAID_CHARS)}`]),
  ];
  return parts.join(", ") || "no result";
}

function failedText(failed: Cell["failed"]): string {
  if (failed.length === 0) return "failed no check";
  const told = failed.slice(0, CHECKS).map(({ check, why }) => (why ? `${check} (${cut(why, SAID_CHARS)})` : check));
  const more = failed.length > CHECKS ? [`${countText(failed.length - CHECKS)} more`] : [];
  return `failed ${[...told, ...more].join(", ")}`;
}

/** Said of the work that stands below it. */
export function workLabel({ answer, change, cut: isCut }: Cell): string {
  const what = answer === undefined ? (change === undefined ? "It left nothing" : "Its change") : "Its answer";
  return isCut ? `${what}, cut` : what;
}

/** The work itself; null where there is none. */
export const workText = ({ answer, change }: Cell): string | null => answer ?? change ?? null;
