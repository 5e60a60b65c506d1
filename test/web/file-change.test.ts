import { expect, test } from "bun:test";
import type { ChangedFile, Changes } from "../../src/domain/evidence.ts";
import { armAgainstReference } from "../../src/doors/web/diff/against-reference.ts";
import { colouredLine, languageOf } from "../../src/doors/web/diff/coloured-lines.ts";
import { type FileChange, fileChangesOf } from "../../src/doors/web/diff/file-change.ts";
import { colouringOf } from "../../src/doors/web/diff/highlight.ts";

const file = (
  path: string,
  before: string | null,
  after: string | null,
  changes: Partial<ChangedFile> = {},
): ChangedFile => ({
  path,
  status: before === null ? "added" : after === null ? "deleted" : "modified",
  added: 0,
  removed: 0,
  binary: false,
  before,
  after,
  ...changes,
});

const changes = (files: ChangedFile[], patch = ""): Changes => ({
  files,
  patch,
  digest: "0".repeat(64),
  truncated: false,
});

const signs = { same: " ", added: "+", removed: "-", gap: "@" };
const drawn = ({ path, read }: FileChange) => [path, ...read().lines.map(({ kind, text }) => signs[kind] + text)];

test("a stored diff becomes lines with their numbers on both sides", () => {
  const patch = "diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -4,3 +4,3 @@\n four\n-five\n+FIVE\n six\n";
  const [change] = fileChangesOf(changes([file("a.ts", "x", "y", { added: 1, removed: 1 })], patch));
  expect(change?.read().lines).toEqual([
    { kind: "gap", before: 4, after: 4, text: "" },
    { kind: "same", before: 4, after: 4, text: "four" },
    { kind: "removed", before: 5, after: null, text: "five" },
    { kind: "added", before: null, after: 5, text: "FIVE" },
    { kind: "same", before: 6, after: 6, text: "six" },
  ]);
});

test("a diff that cannot be read, and a binary file, are named without lines", () => {
  const broken = fileChangesOf({ ...changes([file("a.ts", null, null)], "@@ nonsense\n+x\n"), truncated: true });
  expect(broken.map((file) => [file.read().note, file.read().lines.length])).toEqual([
    ["Too large to be kept; only its counts are known.", 0],
  ]);
  const binary = fileChangesOf(changes([file("a.png", null, null, { binary: true })]));
  expect(binary[0]?.read().note).toBe("A binary file; its bytes are not shown.");
});

test("arm against the reference fix: equal files are left out, others say who changed them", () => {
  const fix =
    "diff --git a/fixed.ts b/fixed.ts\n--- a/fixed.ts\n+++ b/fixed.ts\n@@ -1 +1 @@\n-floor\n+ceil\n" +
    "diff --git a/missed.ts b/missed.ts\n--- a/missed.ts\n+++ b/missed.ts\n@@ -1 +1 @@\n-x\n+y\n";
  const own = "diff --git a/extra.ts b/extra.ts\n--- /dev/null\n+++ b/extra.ts\n@@ -0,0 +1 @@\n+more\n";
  const same = changes([file("fixed.ts", "floor\n", "ceil\n"), file("extra.ts", null, "more\n")], own);
  expect(armAgainstReference(fix, same).map((change) => [...drawn(change), change.read().note])).toEqual([
    ["extra.ts", "@", "+more", "The reference fix leaves this file alone."],
    [
      "missed.ts",
      "@",
      "-x",
      "+y",
      "Only the reference fix changes this file; the arm left it alone. These are the fix's own lines.",
    ],
  ]);
  const other = changes([file("fixed.ts", "floor\n", "round\n"), file("missed.ts", "x\n", "y\n")]);
  expect(armAgainstReference(fix, other).map(drawn)).toEqual([["fixed.ts", "@", "-ceil", "+round"]]);
});

test("colouring changes no text, not even of a comment of several lines", () => {
  const text = 'const a = "<b>"; /* one\ntwo */ let b = 1;\n';
  const colouring = colouringOf(languageOf("x.ts") ?? "", text);
  if (colouring === null) throw new Error("not coloured");
  const lines = text.split("\n").map((line, index) => colouredLine({ text, colouring }, index + 1, line));
  expect(lines.map((line) => line?.map((token) => token.text).join("")).join("\n")).toBe(text);
  expect(lines[1]?.[0]).toEqual({ text: "two */", class: "hljs-comment" });
  // A line of another text, and one that there is not, keep no colours.
  expect(colouredLine({ text, colouring }, 2, "two")).toBeNull();
  expect(colouredLine({ text, colouring }, 4, "")).toBeNull();
  expect([languageOf("x.unknown"), languageOf("toString")]).toEqual([undefined, undefined]);
});
