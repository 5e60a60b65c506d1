import { expect, test } from "bun:test";
import { applyPatch as libraryApplies, structuredPatch } from "diff";
import fc from "fast-check";
import { patchFiles } from "../../src/arms/workspace/diff/apply-patch.ts";
import { applyingPatch, PatchEffort } from "../../src/domain/apply-patch.ts";
import { Mistake } from "../../src/domain/failure.ts";
import { atOnce, type FilePatch, type PatchHunk, readPatch } from "../../src/domain/patch.ts";
import { cpuRatio, LINEAR } from "../cpu-ratio.ts";
import { countTurns } from "../turns.ts";

const FILE = { from: "a", to: "a", moves: false, binary: false };

const applied = (text: string, hunks: readonly PatchHunk[]) => {
  try {
    return atOnce(applyingPatch(text, { ...FILE, hunks }, new PatchEffort()));
  } catch (error) {
    if (error instanceof Mistake) return false;
    throw error;
  }
};

const line = fc.constantFrom("a", "b", "c", "}", "");
const lines = fc.array(line, { maxLength: 30 });
const asText = (of: readonly string[], ended: boolean) => of.join("\n") + (ended && of.length > 0 ? "\n" : "");

test("a patch applies to the text that it was made from, whatever its lines and its end", () => {
  fc.assert(
    fc.property(
      lines,
      lines,
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 0, max: 3 }),
      (one, other, a, b, context) => {
        const [before, after] = [asText(one, a), asText(other, b)];
        const { hunks } = structuredPatch("", "", before, after, undefined, undefined, { context });
        expect(applied(before, hunks)).toBe(after);
      },
    ),
  );
});

test("hunks that have moved apply where an independent program puts them, or not at all", () => {
  fc.assert(
    fc.property(lines, lines, lines, (one, other, more) => {
      const { hunks } = structuredPatch("", "", asText(one, true), asText(other, true), undefined, undefined, {
        context: 2,
      });
      const moved = asText([...more, ...one], true);
      const ofLibrary = libraryApplies(moved, { hunks } as never, { autoConvertLineEndings: false });
      const own = applied(moved, hunks);
      // The library takes a place before the hunk that it applied last; git does not.
      if (own !== false || hunks.length < 2) expect(own).toBe(ofLibrary);
    }),
  );
});

test("of two places that are as near the one behind is taken, and none before the hunk above", () => {
  const [hunk] = readPatch("--- a\n+++ a\n@@ -3 +3 @@\n-x\n+y\n")[0]?.hunks ?? [];
  expect(hunk && applied("1\nx\n3\nx\n", [hunk])).toBe("1\nx\n3\ny\n");
  expect(hunk && applied("x\nx\n3\n4\n5\nx\n", [hunk])).toBe("x\ny\n3\n4\n5\nx\n");
  expect(hunk && applied("x\n2\n3\n", [hunk, hunk])).toBe(false);
});

/** One hunk of lines that all are equal but for the last, which no file of equal lines has. */
const repeated = (count: number): PatchHunk => ({
  ...{ oldStart: 1, oldLines: count, newStart: 1, newLines: count },
  lines: [...Array.from({ length: count - 1 }, () => " x"), "-y", "+z"],
});

test("a hunk of equal lines is looked for in a file of equal lines in time that grows with both", async () => {
  const input = (n: number) => ({ hunk: repeated(n), text: "x\n".repeat(2 * n) });
  const read = ({ text, hunk }: ReturnType<typeof input>) => applied(text, [hunk]);
  expect(read(input(40_000))).toBe(false);
  expect(await cpuRatio({ n: 4_000, input, read })).toBeLessThan(LINEAR);
});

test("many hunks that each stand elsewhere are looked for up to a number of comparisons, and the message says so", () => {
  // Each is where the one before it says that it is not.
  const hunks = Array.from({ length: 80 }, (_, index) => `@@ -${index % 2 ? 1 : 600} +1 @@\n-${index}\n+x\n`);
  const text = Array.from({ length: 80 }, (_, index) => `${index}\n`).join("") + "end\n".repeat(600);
  const [file] = readPatch(`--- a/a\n+++ b/a\n${hunks.join("")}`);
  if (!file) expect.unreachable();
  expect(atOnce(applyingPatch(text, file, new PatchEffort()))).toStartWith("x\nx\n");
  expect(() => atOnce(applyingPatch(text, file, new PatchEffort(20_000)))).toThrow(
    "a: where its hunks fit is not found within 20,000 comparisons of lines; make the patch again from this version of the file.",
  );
});

test("a hunk at its place costs no more than its lines, so a patch may have many", () => {
  const hunks = Array.from({ length: 200 }, (_, n) => `@@ -${n + 1} +${n + 1} @@\n-${n}\n+x\n`).join("");
  const [file] = readPatch(`--- a/a\n+++ b/a\n${hunks}`);
  if (!file) expect.unreachable();
  const text = Array.from({ length: 200 }, (_, n) => `${n}\n`).join("");
  expect(atOnce(applyingPatch(text, file, new PatchEffort(200)))).toBe("x\n".repeat(200));
});

test("others have their turn while a patch of 2 MB is read, and while it is applied", async () => {
  const files = Array.from({ length: 20_000 }, (_, n) => `diff --git a/${n} b/${n}\nnew file mode 100644\n`).join("");
  const long = `--- /dev/null\n+++ b/long\n@@ -0,0 +1,400000 @@\n${"+\n".repeat(400_000)}`;
  for (const [patch, least] of [
    [files, 5],
    [long, 30],
  ] as const) {
    // Ten milliseconds each, or less.
    using turns = countTurns();
    await patchFiles(patch, async () => "");
    expect(turns.count).toBeGreaterThan(least);
  }
});

test("a file that a patch names twice is changed twice, and one that it removed cannot be", async () => {
  const change = (from: string, to: string) => `--- a/a\n+++ b/a\n@@ -1 +1 @@\n-${from}\n+${to}\n`;
  const texts = await patchFiles(change("1", "2") + change("2", "3"), async () => "1\n");
  expect([...texts]).toEqual([["a", "3\n"]]);
  const removal = "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n";
  const mistake = await patchFiles(removal + change("1", "2"), async () => "1\n").catch((error) => error.message);
  expect(mistake).toBe("a is changed after the patch removed it.");
});

test("what a patch changes is bounded over all its files", async () => {
  const patch = Array.from({ length: 5 }, (_, n) => `--- a/${n}\n+++ b/${n}\n@@ -1 +1 @@\n-1\n+2\n`).join("");
  const mistake = await patchFiles(patch, async () => `1\n${"x".repeat(8_000_000)}\n`).catch((error) => error.message);
  expect(mistake).toStartWith("The files that the patch changes have more than 33554432 characters together, up to 4;");
});

test.each<[string, Partial<FilePatch>[]]>([
  ["Index: a\n====\n--- a\t(revision 1)\n+++ a\t(working copy)\n@@ -1 +1 @@\n-1\n+2\n", [{ from: "a", to: "a" }]],
  ["diff -r 9117c -r 273c a\n--- a/a\tThu\n+++ b/a\tThu\n@@ -1 +1 @@\n-1\n+2\n", [{ from: "a", to: "a" }]],
  [
    'diff --git "a/\\303\\251" "b/\\303\\251"\nold mode 100644\nnew mode 100755\n',
    [{ from: "é", to: "é", mode: "100755" }],
  ],
  ["diff --git a/a b/b\ncopy from a\ncopy to b\n", [{ from: "a", to: "b", moves: false }]],
  ["diff --git a/a b/a\nBinary files a/a and b/a differ\n", [{ to: "a", binary: true }]],
  ["--- a/1\n+++ b/1\n@@ -1 +1 @@\n-1\n+2\n--- a/2\n+++ b/2\n@@ -1 +1 @@\n-1\n+2\n", [{ to: "1" }, { to: "2" }]],
])("a patch of other programs is read: %j", (patch, files) => {
  expect(readPatch(patch)).toMatchObject(files);
});

test.each([
  ["@@ -1,2 +1 @@\n-1\n", "the hunk at line 3 has fewer lines than it says"],
  ["@@ -1 +1 @@\n-1\n+2\n+3\n", "the hunk at line 3 has more lines than it says"],
  ["@@ -1,2 +1 @@\n-1\nx\n", "line 5 is none of the hunk at line 3"],
  ["@@ what @@\n", "line 3 begins a hunk without its line numbers"],
])("a broken hunk is told by its line: %j", (hunk, message) => {
  expect(() => readPatch(`--- a\n+++ a\n${hunk}`)).toThrow(message);
});
