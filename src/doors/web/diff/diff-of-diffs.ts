import { structuredPatch } from "diff";
import type { ChangedFile, Changes } from "../../../domain/evidence.ts";
import type { FilePatch, PatchHunk } from "../../../domain/patch.ts";
import type { Side } from "../../../domain/verdict.ts";
import { count } from "../format.ts";
import { isKept } from "./against-reference.ts";
import {
  type ChangedText,
  type DiffLine,
  differingText,
  type FileChange,
  fileChangesOf,
  linesOf,
  once,
  parsedPatch,
  patchesByPath,
} from "./file-change.ts";

/** The standings in the order in which a reader wants to see them. */
export const STANDINGS = ["different", "a", "b", "same", "unknown"] as const;

/** What two arms did with one file: both changed it, differently or alike, or one of them alone did. */
export type FileStanding = (typeof STANDINGS)[number];

export interface SharedFile extends FileChange {
  readonly standing: FileStanding;
}

/** What the change of one arm has that the change of the other, over the same files, has not. */
export function diffOfDiffs(a: Changes, b: Changes): SharedFile[] {
  const [left, right] = [sideOf(a), sideOf(b)];
  const paths = [...new Set([...left.files.keys(), ...right.files.keys()])].sort();
  const same = a.digest === b.digest;
  const files = paths.flatMap((path) => sharedFile(path, left, right, same) ?? []);
  return STANDINGS.flatMap((standing) => files.filter((file) => file.standing === standing));
}

interface SideOfDiff {
  readonly files: ReadonlyMap<string, ChangedFile>;
  readonly changes: ReadonlyMap<string, FileChange>;
  readonly patches: () => ReadonlyMap<string, string>;
  /** What stands in the diff for a file that is no text, by path: its digest and size. */
  readonly opaque: () => ReadonlyMap<string, string>;
}

const sideOf = (changes: Changes): SideOfDiff => ({
  files: new Map(changes.files.map((file) => [file.path, file])),
  changes: new Map(fileChangesOf(changes).map((change) => [change.path, change])),
  patches: once(() => patchesByPath(changes.patch)),
  opaque: once(() => opaqueIn(changes.patch)),
});

function opaqueIn(patch: string): ReadonlyMap<string, string> {
  const notes = patch.matchAll(/^Not shown ("(?:[^"\\]|\\.)*"): (.*)$/gm);
  return new Map([...notes].map(([, path = "", what = ""]) => [unquoted(path), what]));
}

function unquoted(path: string): string {
  try {
    return String(JSON.parse(path));
  } catch {
    return path; // not written by the server; then no file has this name
  }
}

function sharedFile(path: string, left: SideOfDiff, right: SideOfDiff, same: boolean): SharedFile | undefined {
  const [ofA, ofB] = [left.files.get(path), right.files.get(path)];
  const [changeA, changeB] = [left.changes.get(path), right.changes.get(path)];
  if (changeA && !ofB) return alone(changeA, "a");
  if (changeB && !ofA) return alone(changeB, "b");
  if (!ofA || !ofB || !changeA) return undefined;
  const standing = same ? "same" : standingOf(ofA, ofB, left, right);
  if (standing === "same") return { ...changeA, standing, label: "the same in both", between: "fixture to both arms" };
  return {
    path,
    status: "modified",
    ...{ added: null, removed: null, size: ofA.added + ofA.removed + ofB.added + ofB.removed },
    standing,
    label: `${standing === "unknown" ? "changed by both" : "changed differently"}: ${said("a", ofA)}, ${said("b", ofB)}`,
    between: "arm A to arm B",
    read: once(() => betweenArms(ofA, ofB, left, right)),
  };
}

const alone = (change: FileChange, standing: Side): SharedFile => ({
  ...change,
  standing,
  label: `only ${standing.toUpperCase()}, ${change.status}`,
  between: `fixture to arm ${standing.toUpperCase()}`,
});

function said(side: Side, { status, added, removed }: ChangedFile): string {
  const arm = side.toUpperCase();
  return status === "deleted" ? `${arm} deleted it` : `${arm} +${count(added)} −${count(removed)}`;
}

function standingOf(a: ChangedFile, b: ChangedFile, left: SideOfDiff, right: SideOfDiff): FileStanding {
  const { path } = a;
  if (isKept(a) && isKept(b)) return a.after === b.after ? "same" : "different";
  const [ofA, ofB] = [whole(path, left), whole(path, right)];
  if (ofA !== undefined && ofB !== undefined) return ofA === ofB ? "same" : "different";
  return a.status === b.status ? "unknown" : "different";
}

/** Names what an arm left at a path, whatever it is. */
const whole = (path: string, { patches, opaque }: SideOfDiff) => patches().get(path) ?? opaque().get(path);

const BOTH = "− is what arm A left, + is what arm B left.";

function betweenArms(a: ChangedFile, b: ChangedFile, left: SideOfDiff, right: SideOfDiff): ChangedText {
  if (isKept(a) && isKept(b)) {
    const text = differingText(a.after, b.after);
    const began = a.before === b.before ? "" : " The two began with different versions of this file.";
    return { ...text, note: [BOTH + began, text.note].filter((each) => each !== null).join(" ") };
  }
  const [ofA, ofB] = [parsedPatch(left.patches().get(a.path)), parsedPatch(right.patches().get(b.path))];
  const lines = ofA && ofB ? betweenPatches(ofA, ofB) : null;
  const note = lines === null ? `${why(a, b)} The two are not compared line by line.` : noteOn(lines.length);
  return { lines: lines ?? [], before: null, after: null, note };
}

const noteOn = (lines: number) => (lines === 0 ? "No line differs." : `${BOTH} Told from the two diffs.`);

const why = (a: ChangedFile, b: ChangedFile): string =>
  a.binary || b.binary ? "A binary file; its bytes are not shown." : "Too large to be kept, or not begun alike.";

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
