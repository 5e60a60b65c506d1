import type { ChangedFile, Changes } from "../../../domain/evidence.ts";
import type { Side } from "../../../domain/verdict.ts";
import { count } from "../format.ts";
import { isKept } from "./against-reference.ts";
import { betweenPatches } from "./between-patches.ts";
import {
  type ChangedText,
  differingText,
  type FileChange,
  fileChangesOf,
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
