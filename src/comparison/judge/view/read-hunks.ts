import { Pace } from "../../../runtime/pace.ts";
import type { LineRange } from "./section.ts";

export interface Hunk {
  readonly path: string;
  /** Header and lines, as they stand in the patch. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
  readonly before: LineRange;
  readonly after: LineRange;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * The hunks of a unified diff. The counts in a hunk's header say where it ends, so a changed line that looks like a header
 * is still a line. Text outside hunks is skipped. Takes time in proportion to the length and lets others have their turn.
 */
export async function readHunks(patch: string): Promise<Hunk[]> {
  const pace = new Pace();
  const hunks: Hunk[] = [];
  let path: string | undefined;
  for (let at = 0; at < patch.length; ) {
    const [line, next] = [lineAt(patch, at), lineAt(patch, lineEnd(patch, at) + 1)];
    const hunk = path === undefined ? undefined : hunkAt(patch, at, path);
    if (hunk) hunks.push(hunk);
    else if (isFileHeader(line, next)) path = pathOf(next.slice(4)) ?? pathOf(line.slice(4));
    const end = hunk ? at + hunk.text.length + 1 : lineEnd(patch, at) + 1;
    await pace.bytes(end - at);
    at = end;
  }
  return hunks;
}

const isFileHeader = (line: string, next: string) => line.startsWith("--- ") && next.startsWith("+++ ");

/** Where the line around `at` ends, without its newline. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

const lineAt = (text: string, at: number) => text.slice(at, lineEnd(text, at));

function hunkAt(patch: string, at: number, path: string): Hunk | undefined {
  const header = patch.startsWith("@@ ", at) ? HEADER.exec(lineAt(patch, at)) : null;
  if (!header) return undefined;
  const { end, added, removed } = countLines(patch, lineEnd(patch, at), header);
  const [before, after] = [range(header[1], header[2]), range(header[3], header[4])];
  return { path, text: patch.slice(at, end), added, removed, before, after };
}

/** Counts from the end of the header until its counts are used up. A note on a missing newline belongs to the hunk. */
function countLines(patch: string, start: number, header: RegExpExecArray) {
  const [removable, addable] = [Number(header[2] ?? 1), Number(header[4] ?? 1)];
  let [end, added, removed, kept] = [start, 0, 0, 0];
  while (end < patch.length && (removed + kept < removable || added + kept < addable)) {
    const sign = patch.charAt(end + 1);
    if (sign === "+") added += 1;
    else if (sign === "-") removed += 1;
    else if (sign !== "\\") kept += 1;
    end = lineEnd(patch, end + 1);
  }
  return { end: patch.startsWith("\n\\", end) ? lineEnd(patch, end + 1) : end, added, removed };
}

function range(start = "0", count = "1"): LineRange {
  return [Number(start), Number(start) + Math.max(0, Number(count) - 1)];
}

/** The path without git's prefix, quotes and time stamp; undefined for `/dev/null`. */
function pathOf(name: string): string | undefined {
  const bare = unquoted(name.split("\t")[0] ?? "");
  return bare === "/dev/null" ? undefined : bare.replace(/^[ab]\//, "");
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\u0007", b: "\b", f: "\f", v: "\v" };

/** Git quotes names that are not plain ASCII: as C escapes, or bytes in octal. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const bytes = name
    .slice(1, -1)
    .replace(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, character: string) =>
      octal === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(Number.parseInt(octal, 8)),
    );
  return Buffer.from(bytes, "latin1").toString();
}
