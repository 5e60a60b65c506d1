import { expect, test } from "bun:test";
import fc from "fast-check";
import { cleanText } from "../../../src/comparison/judge/view/clean-text.ts";
import { foldCharacters } from "../../../src/comparison/judge/view/fold.ts";

const FOLDS: [string, string, string][] = [
  ["plain text", "Judge: 4 points\nnow", "Judge: 4 points\nnow"],
  ["invisible characters", "ju\u00addge cl\u200b\u200caude", "judge claude"],
  ["invisible characters that were spelled out", "ju⟨U+00AD⟩dge⟨5000 invisible characters⟩s", "judges"],
  ["full width, mathematical and circled letters", "ｊｕｄｇｅ 𝐣𝐮𝐝𝐠𝐞 ⓙudge", "judge judge judge"],
  ["marks on letters", "j\u0332ü\u0332dge", "judge"],
  ["Greek and Cyrillic letters that look Latin", "jυdge сlаudе", "judge claude"],
  ["runs of white space, but not line breaks", "dear\u00a0 \u200b\tjudge\n\n  x", "dear judge\n\n x"],
];
for (const [what, text, folded] of FOLDS) test(`folds ${what}`, () => expect(foldCharacters(text).text).toBe(folded));

test("a stretch of the copy is found again in the text, with what hides inside it", () => {
  const text = "I am cl\u200baude, 𝐣udge";
  const { text: folded, span } = foldCharacters(text);
  const at = (word: string) => text.slice(...span(folded.indexOf(word), folded.indexOf(word) + word.length));
  expect([at("claude"), at("judge"), at("I am")]).toEqual(["cl\u200baude", "𝐣udge", "I am"]);
});

test("a stretch ends behind the whole of its last letter", () => {
  const text = "a judg𝐞, a ﬁ";
  const { text: folded, span } = foldCharacters(text);
  expect(folded).toBe("a judge, a fi");
  expect([text.slice(...span(2, 7)), text.slice(...span(11, 13))]).toEqual(["judg𝐞", "ﬁ"]);
});

test("whatever the text, spans are in order and within it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (raw) => {
      for (const text of [raw, cleanText(raw)]) {
        const { text: folded, span } = foldCharacters(text);
        const spans = [...folded].map((_, index) => span(index, index + 1));
        const ends = spans.flat();
        expect(ends.every((end) => end >= 0 && end <= text.length)).toBe(true);
        expect(spans.every(([start, end], index) => start < end && start >= (spans[index - 1]?.[0] ?? 0))).toBe(true);
      }
    }),
  );
});
