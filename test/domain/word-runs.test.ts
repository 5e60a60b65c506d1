import { expect, test } from "bun:test";
import fc from "fast-check";
import { eachKnownRun, RunReader, runsFrom, runsText, type WordRun, wordsIn } from "../../src/domain/word-runs.ts";

const RULES = "# Rules of the house\nAlways greet the zebra before you count anything.\nToken: otter-4711-kite\n";

const known = (text: string): ReadonlySet<WordRun> => {
  const reader = new RunReader();
  return new Set(text.split("\n").flatMap((line) => [...reader.line(line)]));
};

const foundIn = (text: string, runs: ReadonlySet<WordRun>): string => {
  const words = [...wordsIn(text)];
  const hit = new Set<number>();
  eachKnownRun(words, runs, (first, count) => {
    for (let at = first; at < first + count; at += 1) hit.add(at);
  });
  return words
    .filter((_, at) => hit.has(at))
    .map(({ text: word }) => word)
    .join(" ");
};

test.each([
  ["a part of a line", "I greet the zebra before you, thrice.", "greet the zebra before you"],
  ["other line breaks", "greet the\nzebra before\nyou count", "greet the zebra before you count"],
  ["other letters and signs", "GREET *the* zebra, before: you!", "GREET the zebra before you"],
  [
    "the escapes of JSON",
    JSON.stringify({ a: `x\n${RULES}` }),
    "Rules of the house Always greet the zebra before you count anything Token otter 4711 kite",
  ],
  ["a short line", "Rules of the House? I know nothing.", "Rules of the House"],
  ["a name that nobody writes by chance", "It is otter-4711-kite.", "otter 4711 kite"],
  ["four words of a longer line", "the zebra before you", ""],
  ["a word", "zebra", ""],
])("a text is known by %s", (_, text, words) => {
  expect(foundIn(text, known(RULES))).toBe(words);
});

test.each(["By HTTP-2", "read-only", "utf-8", "i18n", "const x = 1;", "ISO-8601 it", "}"])(
  "%s alone is nothing that a text is known by",
  (line) => {
    expect([...known(line)]).toEqual([]);
  },
);

test("runs are the same when they are read back, and any text can be read", () => {
  const runs = [...known(RULES)];
  expect([...runsFrom(runsText(runs))]).toEqual(runs);
  // A stored session holds them, so that they must not change.
  expect(runsText(known("# Rules of the house"))).toBe("IliL-BtW");
  fc.assert(fc.property(fc.string(), (text) => void [...runsFrom(text)]));
});

test("whatever a text is, all of its words are found in it where it has five", () => {
  const word = fc.stringMatching(/^[a-zäß0-9]{1,8}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 5, maxLength: 40 }), (words) => {
      expect(foundIn(words.join(" "), known(words.join(" ")))).toBe(words.join(" "));
    }),
  );
});
