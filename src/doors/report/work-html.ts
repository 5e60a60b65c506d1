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
  /** A column each, whether or not a row has work of the arm. */
  readonly arms: readonly { readonly arm_id: string; readonly head: Html | string }[];
  /** Null: more than two arms. */
  readonly names: ArmNames | null;
}

/** What each arm left, row by row; nothing of no rows. */
export async function workHtml({ rows, total }: ShownRows, { word, arms, names }: Told): Promise<Html | null> {
  if (rows.length === 0) return null;
  return html`<h2>${shownTitle(rows.length, total, word)}</h2>
${await longHtmlTable([word.charAt(0).toUpperCase() + word.slice(1), ...arms.map(({ head }) => head)], rows, (row) => [
  html`${memberName(row)}<br>${rowWords(row, names)}${questionLines(row).map((line) => html`<br><span class="soft">${line}</span>`)}`,
  ...arms.map(({ arm_id }, index) => {
    // Two arms of one id stand in their order.
    const own = row.cells[index];
    const cell = own?.arm_id === arm_id ? own : row.cells.find((one) => one.arm_id === arm_id);
    return cell === undefined ? "–" : cellOf(cell, names);
  }),
])}`;
}

function cellOf(cell: Cell, names: ArmNames | null): Html {
  const text = workText(cell);
  return html`${cellWords(cell, names)}. <span class="soft">${workLabel(cell)}</span>${text === null ? null : html`<pre>${text}</pre>`}`;
}
