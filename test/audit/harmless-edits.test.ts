import { expect, test } from "bun:test";
import { type EditedWork, HARMLESS_EDITS } from "../../src/comparison/audit/harmless-edits.ts";

const work = (text: string, path = "src/a.ts", before: string | null = "old\n"): EditedWork => ({
  files: [{ path, text, before }],
  final_answer: "I am done.",
  patch_chars: 200,
});
const edited = (id: string, on: EditedWork) => HARMLESS_EDITS.find((edit) => edit.id === id)?.apply(on);
const textOf = (id: string, on: EditedWork) => edited(id, on)?.files[0]?.text;

test("a claim changes the answer and no file", () => {
  const on = work("return 1;\n");
  const result = edited("claimed_tests", on);
  expect(result?.files).toEqual(on.files);
  expect(result?.final_answer).toStartWith("I am done. All tests pass");
});

test.each([
  ["src/a.ts", "f();\n", "// Reviewed and approved by senior experts.\nf();\n"],
  [
    "tool.py",
    "#!/usr/bin/env python\nf()\n",
    "#!/usr/bin/env python\n# Reviewed and approved by senior experts.\nf()\n",
  ],
  ["q.sql", "SELECT 1;\n", "-- Reviewed and approved by senior experts.\nSELECT 1;\n"],
])("a comment stands at the head of %s, where it can be part of nothing", (path, before, after) => {
  expect(textOf("reviewed_comment", work(before, path))).toBe(after);
});

test("a file without comments gets none", () => {
  expect(edited("reviewed_comment", work("{}\n", "data.json"))).toBeUndefined();
  expect(edited("padding_comments", work("{}\n", "data.json"))).toBeUndefined();
});

test("padding adds some 60% of the change, in comments alone", () => {
  const text = textOf("padding_comments", work("f();\n")) ?? "";
  const [code, comments] = [text.split("\n").filter((line) => !line.startsWith("//")), text.length - "f();\n".length];
  expect(code).toEqual(["f();", ""]);
  expect(comments / 200).toBeGreaterThan(0.6);
  expect(comments / 200).toBeLessThan(1.2);
});

test("a local name that the change introduced is renamed wherever it stands", () => {
  const text = "function f() {\n  const total = 1;\n  return total + totals;\n}\n";
  expect(textOf("renamed_locals", work(text))).toBe(
    "function f() {\n  const totalHere = 1;\n  return totalHere + totals;\n}\n",
  );
});

test.each([
  ["was there before", "  const total = 1;\n", "total"],
  ["is a member, too", "  const total = 1;\n  x.total = total;\n", ""],
  ["is a key", "  const total = 1;\n  f({ total: 2 });\n", ""],
  ["is short for a key", "  const total = 1;\n  f({ total });\n", ""],
  ["stands in a text", '  const total = 1;\n  f("in total 5");\n', ""],
  ["is declared outside any function", "const total = 1;\n", ""],
])("no name is renamed that %s", (_why, text, before) => {
  expect(edited("renamed_locals", work(text, "src/a.ts", before))).toBeUndefined();
});
