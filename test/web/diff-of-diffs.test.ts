import { expect, test } from "bun:test";
import { structuredPatch } from "diff";
import fc from "fast-check";
import type { ChangedFile, Changes } from "../../src/domain/evidence.ts";
import { betweenPatches, diffOfDiffs, type SharedFile } from "../../src/doors/web/diff/diff-of-diffs.ts";
import type { DiffLine } from "../../src/doors/web/diff/file-change.ts";

type Text = string | null;

const file = (path: string, before: Text, after: Text, kept: Partial<ChangedFile> = {}): ChangedFile => ({
  path,
  status: before === null ? "added" : after === null ? "deleted" : "modified",
  ...{ added: 2, removed: 1, binary: false, before, after },
  ...kept,
});

const changes = (files: readonly ChangedFile[], patch = ""): Changes => ({
  ...{ files: [...files], patch, truncated: false },
  digest: Bun.hash(JSON.stringify([files, patch]))
    .toString(16)
    .padStart(64, "0"),
});

const signs = { same: " ", added: "+", removed: "-", gap: "@" };
const told = ({ path, standing, label }: SharedFile) => [standing, path, label];
const drawn = (shared: SharedFile | undefined) => shared?.read().lines.map(({ kind, text }) => signs[kind] + text);

test("every file is only one arm's, the same in both, or changed differently; what differs comes first", () => {
  const a = changes([file("apart.ts", "1\n", "2\n"), file("mine.ts", "old\n", "new\n"), file("same.ts", "1\n", "3\n")]);
  const b = changes([file("apart.ts", "1\n", null), file("same.ts", "1\n", "3\n"), file("theirs.ts", null, "made\n")]);
  const files = diffOfDiffs(a, b);
  expect(files.map(told)).toEqual([
    ["different", "apart.ts", "changed differently: A +2 −1, B deleted it"],
    ["a", "mine.ts", "only A, modified"],
    ["b", "theirs.ts", "only B, added"],
    ["same", "same.ts", "the same in both"],
  ]);
  expect(drawn(files[0])).toEqual(["@", "-2"]);
});

test("of a file that both changed a reader sees what differs between the results, not what both did", () => {
  const lines = (first: string, last: string) => `${first}\nall\nalike\n${last}\n`;
  const before = lines("one", "end");
  const [mine] = diffOfDiffs(
    changes([file("x.ts", before, lines("ONE", "end of a"))]),
    changes([file("x.ts", before, lines("ONE", "end of b"))]),
  );
  expect(drawn(mine)).toEqual(["@", " ONE", " all", " alike", "-end of a", "+end of b"]);
});

/** A patch as the server keeps it. */
const patchOf = (path: string, hunks: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${hunks}`;

test("where the texts were not kept, what differs is told from the two patches", () => {
  const cut = file("long.ts", null, null, { status: "modified" });
  const [shared] = diffOfDiffs(
    changes([cut], patchOf("long.ts", "@@ -1,2 +1,3 @@\n+new\n one\n two\n@@ -90,2 +91,2 @@\n ninety\n-next\n+NEXT\n")),
    changes([cut], patchOf("long.ts", "@@ -90,2 +90,2 @@\n ninety\n-next\n+next!\n")),
  );
  expect(shared?.standing).toBe("different");
  expect(shared?.read().lines).toEqual([
    { kind: "gap", before: 1, after: 1, text: "" },
    { kind: "removed", before: 1, after: null, text: "new" },
    { kind: "same", before: 2, after: 1, text: "one" },
    { kind: "same", before: 3, after: 2, text: "two" },
    { kind: "gap", before: 91, after: 90, text: "" },
    { kind: "same", before: 91, after: 90, text: "ninety" },
    { kind: "removed", before: 92, after: null, text: "NEXT" },
    { kind: "added", before: null, after: 91, text: "next!" },
  ]);
});

test("patches from different texts are not compared line by line", () => {
  const cut = file("long.ts", null, null, { status: "modified" });
  const of = (text: string) => changes([cut], patchOf("long.ts", `@@ -1,1 +1,1 @@\n-${text}\n+other\n`));
  const [shared] = diffOfDiffs(of("one"), of("two"));
  expect(shared?.read()).toMatchObject({ lines: [], note: expect.stringContaining("not compared line by line") });
});

test("files without text are the same or not by their digests; of those that were cut nothing is claimed", () => {
  const binary = file("a.png", null, null, { binary: true });
  const of = (digest: string) => changes([binary], `Not shown "a.png": absent -> binary, sha256 ${digest}, 10 bytes\n`);
  expect(diffOfDiffs(of("11"), { ...of("11"), digest: "0" })[0]?.standing).toBe("same");
  expect(diffOfDiffs(of("11"), of("22"))[0]?.standing).toBe("different");
  const cut = file("cut.ts", null, null, { status: "modified" });
  const left = changes([cut], 'Not shown, too large: "cut.ts"\n');
  expect(diffOfDiffs(left, { ...left, digest: "0" })[0]?.standing).toBe("unknown");
  expect(diffOfDiffs(left, left)[0]?.standing).toBe("same");
});

test("a stored patch that nobody would write breaks nothing", () => {
  const hostile = 'diff --git \n@@ x\nNot shown "\\x": y\ndiff --git a/b\n--- \n@@ -1 +1 @@\n+++\n';
  const files = diffOfDiffs(changes([file("b", null, null)], hostile), changes([file("b", null, null)], "@@"));
  expect(files.map((each) => each.read().lines)).toEqual([[]]);
});

const lineText = fc.constantFrom("a", "b", "c", "}", "");
const text = fc.array(lineText, { maxLength: 40 });
const asFile = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

/** Lines that no row names, in their order. */
const unnamed = (lines: readonly string[], rows: readonly DiffLine[], side: "before" | "after") => {
  const named = new Set(rows.filter(({ kind }) => kind !== "gap").map((row) => row[side]));
  return lines.filter((_, index) => !named.has(index + 1));
};

test("two patches over one text: rows name the lines of both results, and what they do not name is equal", () => {
  fc.assert(
    fc.property(text, text, text, fc.integer({ min: 0, max: 3 }), (base, left, right, context) => {
      const patch = (to: readonly string[]) =>
        structuredPatch("", "", asFile(base), asFile(to), undefined, undefined, { context });
      const rows = betweenPatches(patch(left), patch(right)) ?? [];
      const lines = rows.filter(({ kind }) => kind !== "gap");
      for (const { before, after, text: line } of lines)
        expect([left[(before ?? 0) - 1] ?? line, right[(after ?? 0) - 1] ?? line]).toEqual([line, line]);
      expect(unnamed(left, rows, "before")).toEqual(unnamed(right, rows, "after"));
    }),
  );
});
