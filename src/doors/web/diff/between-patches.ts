import { structuredPatch } from "diff";
import type { FilePatch, PatchHunk } from "../../../domain/patch.ts";
import { type DiffLine, linesOf } from "./file-change.ts";

/** Edits of one place up to which its lines are compared; beyond, one version stands whole before the other. */
const MOST_EDITS = 300;

type Hunks = Pick<FilePatch, "hunks">;

/**
 * How the results of two patches over the same text differ. The text itself need not be known: lines that neither patch names are
 * equal in both. Numbers are those of a line in a's and in b's result. Null when the patches do not start from the same text.
 */
export function betweenPatches(a: Hunks, b: Hunks): DiffLine[] | null {
  const lines: DiffLine[] = [];
  const grown = { a: 0, b: 0 };
  for (const place of placesOf(a.hunks, b.hunks)) {
    const base = baseOf(place);
    if (base === null) return null;
    const [left, right] = [resultOf(place.a, place, base), resultOf(place.b, place, base)];
    const from = { before: place.from + grown.a, after: place.from + grown.b };
    for (const row of rowsOf(left, right))
      lines.push({ ...row, before: moved(row.before, from.before), after: moved(row.after, from.after) });
    grown.a += left.length - base.length;
    grown.b += right.length - base.length;
  }
  return lines;
}

/** Lines of the text from which both start: from the first up to, not with, the second. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where hunks of the two patches overlap or touch, or one stands alone. */
interface Place extends Span {
  readonly a: readonly PatchHunk[];
  readonly b: readonly PatchHunk[];
}

const spanOf = ({ oldStart, oldLines }: PatchHunk): Span => ({ from: oldStart, to: oldStart + oldLines });

function placesOf(a: readonly PatchHunk[], b: readonly PatchHunk[]): Place[] {
  const hunks = [...a.map((hunk) => ({ side: "a", hunk })), ...b.map((hunk) => ({ side: "b", hunk }))];
  hunks.sort((one, other) => one.hunk.oldStart - other.hunk.oldStart);
  const places: { from: number; to: number; a: PatchHunk[]; b: PatchHunk[] }[] = [];
  for (const { side, hunk } of hunks) {
    const { from, to } = spanOf(hunk);
    const last = places.at(-1);
    const place = last && from <= last.to ? last : { from, to, a: [], b: [] };
    if (place !== last) places.push(place);
    place.to = Math.max(place.to, to);
    place[side === "a" ? "a" : "b"].push(hunk);
  }
  return places;
}

/** The lines of the text at a place. Null when the two patches name different ones. */
function baseOf({ from, to, a, b }: Place): readonly string[] | null {
  const base: (string | undefined)[] = Array.from({ length: to - from });
  for (const hunk of [...a, ...b]) {
    let at = hunk.oldStart - from;
    for (const line of hunk.lines) {
      if (line[0] !== " " && line[0] !== "-") continue;
      const text = line.slice(1);
      if (base[at] !== undefined && base[at] !== text) return null;
      base[at] = text;
      at += 1;
    }
  }
  return base.map((line) => line ?? "");
}

/** What one patch makes of a place. */
function resultOf(hunks: readonly PatchHunk[], place: Span, base: readonly string[]): readonly string[] {
  const result: string[] = [];
  let at = place.from;
  for (const hunk of hunks) {
    const { from, to } = spanOf(hunk);
    for (const line of base.slice(at - place.from, from - place.from)) result.push(line);
    for (const line of hunk.lines) if (line[0] === " " || line[0] === "+") result.push(line.slice(1));
    at = to;
  }
  for (const line of base.slice(at - place.from)) result.push(line);
  return result;
}

/** Numbered from 1. */
function rowsOf(left: readonly string[], right: readonly string[]): DiffLine[] {
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
  const options = { context: 3, maxEditLength: MOST_EDITS };
  const compared = structuredPatch("", "", text(left), text(right), undefined, undefined, options);
  if (compared) return linesOf(compared);
  return [
    { kind: "gap", before: 1, after: 1, text: "" },
    ...left.map((line, index) => ({ kind: "removed", before: index + 1, after: null, text: line }) as const),
    ...right.map((line, index) => ({ kind: "added", before: null, after: index + 1, text: line }) as const),
  ];
}

const moved = (number: number | null, from: number) => (number === null ? null : number + from - 1);
