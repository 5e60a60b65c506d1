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
 * The hunks of a unified diff. The counts in a hunk's header say where it ends, so a changed line that looks like a
 * header is still a line. Linear in the length; whatever is no hunk is skipped.
 */
export function parsePatch(patch: string): Hunk[] {
  const lines = patch.split("\n");
  const hunks: Hunk[] = [];
  let path: string | undefined;
  let index = 0;
  while (index < lines.length) {
    const [line = "", next = ""] = [lines[index], lines[index + 1]];
    const hunk = path === undefined ? undefined : hunkAt(lines, index, path);
    if (hunk) hunks.push(hunk.hunk);
    else if (isFileHeader(line, next)) path = pathOf(next.slice(4)) ?? pathOf(line.slice(4));
    index = hunk?.end ?? index + 1;
  }
  return hunks;
}

const isFileHeader = (line: string, next: string) => line.startsWith("--- ") && next.startsWith("+++ ");

function hunkAt(lines: readonly string[], index: number, path: string): { hunk: Hunk; end: number } | undefined {
  const header = HEADER.exec(lines[index] ?? "");
  if (!header) return undefined;
  const end = hunkEnd(lines, index + 1, Number(header[2] ?? 1), Number(header[4] ?? 1));
  return { hunk: hunkOf(path, header, lines.slice(index, end)), end };
}

function hunkEnd(lines: readonly string[], start: number, removable: number, addable: number): number {
  let [index, before, after] = [start, removable, addable];
  for (; index < lines.length && (before > 0 || after > 0); index += 1) {
    const sign = lines[index]?.charAt(0);
    if (sign === "\\") continue;
    if (sign !== "+") before -= 1;
    if (sign !== "-") after -= 1;
  }
  return lines[index]?.startsWith("\\") ? index + 1 : index;
}

function hunkOf(path: string, header: RegExpExecArray, lines: readonly string[]): Hunk {
  const count = (sign: string) => lines.filter((line, index) => index > 0 && line.startsWith(sign)).length;
  return {
    path,
    text: lines.join("\n"),
    added: count("+"),
    removed: count("-"),
    before: range(header[1], header[2]),
    after: range(header[3], header[4]),
  };
}

function range(start = "0", count = "1"): LineRange {
  return [Number(start), Number(start) + Math.max(0, Number(count) - 1)];
}

/** Undefined for `/dev/null`; git's prefix, quotes and time stamp taken off. */
function pathOf(name: string): string | undefined {
  const bare = unquoted(name.split("\t")[0] ?? "");
  return bare === "/dev/null" ? undefined : bare.replace(/^[ab]\//, "");
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\u0007", b: "\b", f: "\f", v: "\v" };

/** git quotes names that are not plain ASCII: C escapes, other bytes in octal. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const bytes = name
    .slice(1, -1)
    .replace(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, character: string) =>
      octal === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(Number.parseInt(octal, 8)),
    );
  return Buffer.from(bytes, "latin1").toString();
}
