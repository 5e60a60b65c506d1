import { expect, test } from "bun:test";
import { changedWords, markChanged } from "../../src/doors/web/diff/changed-words.ts";
import { type ChangedText, textChange } from "../../src/doors/web/diff/file-change.ts";
import { isHidden, matesOf, pairsOf, type ShownLine, withContext } from "../../src/doors/web/diff/pairs.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

function change(before: string, after: string): ChangedText {
  const found = textChange("a.txt", { before, after });
  if (!found) throw new Error("the texts are equal");
  return found.read();
}

/** As in `20-23` for lines that are shown and `[16 from 1]` for those left out. */
const drawn = (lines: readonly ShownLine[]) =>
  lines
    .map((line) => (line.kind === "hidden" ? `[${line.count} from ${line.after}]` : `${line.after ?? "−"}`))
    .join(" ");

test("lines between hunks are left out at a place that unfolds to just these lines, at both ends too", () => {
  const before = numbered(40);
  const file = change(before, before.replace("line 20\n", "LINE 20\n").replace("line 30\n", ""));
  const folded = withContext(file, new Set());
  expect(drawn(folded)).toBe("[16 from 1] 17 18 19 − 20 21 22 23 [3 from 24] 27 28 29 − 30 31 32 [7 from 33]");
  const unfolded = withContext(file, new Set([1, 24, 33]));
  const after = unfolded.flatMap((line) => (line.kind === "hidden" || line.after === null ? [] : [line.text]));
  expect(`${after.join("\n")}\n`).toBe(file.after ?? "");
  expect(unfolded.filter(isHidden)).toEqual([]);
  const old = unfolded.flatMap((line) => (line.kind === "hidden" || line.before === null ? [] : [line.text]));
  expect(`${old.join("\n")}\n`).toBe(before);
});

test("where a text was not kept, or does not fit its hunks, no line is made up", () => {
  const file = change(numbered(40), numbered(40).replace("line 20\n", "LINE 20\n"));
  expect(drawn(withContext({ ...file, before: null }, new Set([1])))).toBe("[0 from 17] 17 18 19 − 20 21 22 23");
  const other = withContext({ ...file, before: "something else\n" }, new Set([1]));
  expect(drawn(other)).toStartWith("[0 from 17] 17 18 19 − 20");
});

test("removed lines stand beside the added ones that follow them, and longer sides alone", () => {
  const lines = withContext(change("a\nb\nc\nz\n", "A\nB\nz\nnew\n"), new Set());
  const pairs = pairsOf(lines).map((pair) => (isHidden(pair) ? "…" : [pair.left?.text, pair.right?.text]));
  expect(pairs).toEqual([
    ["a", "A"],
    ["b", "B"],
    ["c", undefined],
    ["z", "z"],
    [undefined, "new"],
  ]);
  const mates = [...matesOf(pairsOf(lines))].map(([line, mate]) => `${line.text}${mate.text}`);
  expect(mates).toEqual(["aA", "Aa", "bB", "Bb"]);
});

test("words that differ are marked, not those of lines with little in common or very long ones", () => {
  const [before, after] = ["const rows = floor(count / 10);", "const rows = ceil(count / 10);"];
  const words = changedWords(before, after);
  expect(words?.before.map(({ from, to }) => before.slice(from, to))).toEqual(["floor"]);
  expect(words?.after.map(({ from, to }) => after.slice(from, to))).toEqual(["ceil"]);
  expect(changedWords("return false;", "interface Endpoint {")).toBeNull();
  expect(changedWords("x".repeat(500), "y")).toBeNull();
  const differing = (word: string) => Array.from({ length: 40 }, (_, n) => `same ${word}${n}`).join(" ");
  expect(changedWords(differing("a"), differing("b"))).toBeNull();
});

test("marks cut coloured text without changing it", () => {
  const tokens = [
    { text: "const ", class: "k" },
    { text: "total", class: "" },
  ];
  const marked = markChanged(tokens, [{ from: 3, to: 8 }]);
  expect(marked.map(({ text, changed }) => [text, changed])).toEqual([
    ["con", false],
    ["st ", true],
    ["to", true],
    ["tal", false],
  ]);
  expect(markChanged(tokens, [])).toEqual(tokens.map((token) => ({ ...token, changed: false })));
});
