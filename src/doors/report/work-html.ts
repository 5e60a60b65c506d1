import type { Cell } from "../../domain/cell.ts";
import {
  cellWords,
  questionLines,
  rowWords,
  type ShownRows,
  shownTitle,
  workLabel,
  workText,
} from "../../domain/grid-words.ts";
import { memberName } from "../../domain/member.ts";
import type { ArmNames } from "../../domain/words.ts";
import { type Html, html, longHtmlTable } from "./html.ts";

interface Told {
  /** What a row is called. */
  readonly word: string;
  /** By cell. */
  readonly heads: readonly (Html | string)[];
  /** Null: more than two arms. */
  readonly names: ArmNames | null;
}

/** What each arm left, row by row; nothing of no rows. */
export async function workHtml({ rows, total }: ShownRows, { word, heads, names }: Told): Promise<Html | null> {
  if (rows.length === 0) return null;
  return html`<h2>${shownTitle(rows.length, total, word)}</h2>
${await longHtmlTable([word.charAt(0).toUpperCase() + word.slice(1), ...heads], rows, (row) => [
  html`${memberName(row)}<br>${rowWords(row, names)}${questionLines(row).map((line) => html`<br><span class="soft">${line}</span>`)}`,
  ...row.cells.map((cell) => cellOf(cell, names)),
])}`;
}

function cellOf(cell: Cell, names: ArmNames | null): Html {
  const text = workText(cell);
  return html`${cellWords(cell, names)}. <span class="soft">${workLabel(cell)}</span>${text === null ? null : html`<pre>${text}</pre>`}`;
}
