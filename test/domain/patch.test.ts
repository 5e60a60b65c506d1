import { expect, test } from "bun:test";
import { linesOfPatch, pathOfPatch, readPatch } from "../../src/domain/patch.ts";

const NEW = "diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+one\n";
const GONE = "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n";
const CHANGED = "diff --git a/b/x b/b/x\n--- a/b/x\n+++ b/b/x\n@@ -1,2 +1,2 @@\n one\n--- two\n+++ three\n";
const MOVED = "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n";
const PLAIN = "--- notes.txt\n+++ notes.txt\n@@ -1 +1 @@\n-one\n+two\n";

test.each([
  ["a new file", NEW, null, "new"],
  ["a removed file", GONE, "gone", null],
  ["a file below a directory b", CHANGED, "b/x", "b/x"],
  ["a moved file", MOVED, "old", "new"],
  ["a file without git's prefixes", PLAIN, "notes.txt", "notes.txt"],
])("a patch says where a file was and is: %s", (_, patch, from, to) => {
  expect(readPatch(patch).map((file) => [file.from, file.to])).toEqual([[from, to]]);
});

test("a patch changes each file that it names, and text without a diff none", () => {
  expect(readPatch(NEW + GONE + CHANGED).map(pathOfPatch)).toEqual(["new", "gone", "b/x"]);
  expect(readPatch("nothing to see\n").map(pathOfPatch)).toEqual([]);
});

test("lines that look like headers are lines", () => {
  const [file] = readPatch(CHANGED);
  expect(file && [linesOfPatch(file, "-"), linesOfPatch(file, "+")]).toEqual([["-- two"], ["++ three"]]);
});
