import { expect, test } from "bun:test";
import { findAnswers } from "../../../src/comparison/judge/answer/find-answers.ts";
import { called, SILENT, spoken } from "../mock-judge.ts";

const CASES: [what: string, text: string, found: unknown[]][] = [
  ["a bare object", '{"a": 1}', [{ a: 1 }]],
  ["a byte order mark", '\ufeff{"a": 1}', [{ a: 1 }]],
  ["a code fence and prose", 'Here it is:\n```json\n{"a": {"b": "}"}}\n```\nDone.', [{ a: { b: "}" } }]],
  ["trailing commas", '{"a": [1, 2,], "b": ",}",}', [{ a: [1, 2], b: ",}" }]],
  ["two objects", '{"a": 1} and {"a": 2}', [{ a: 1 }, { a: 2 }]],
  ["a stray brace before it", 'I use { as a start. {"a": 1}', [{ a: 1 }]],
  ["braces around words", "{not json} {also not}", []],
  ["an object without an end", '{"a": {"b": 1}', [{ b: 1 }]],
  ["nothing", "", []],
];
for (const [what, text, found] of CASES)
  test(`${what} in the text`, () => expect(findAnswers(spoken(text))).toEqual(found));

test("a call of the answer tool comes before text, other tools are ignored", () => {
  expect(findAnswers({ ...called({ a: 1 }), text: '{"a": 2}' })).toEqual([{ a: 1 }]);
  expect(findAnswers({ ...SILENT, calls: [{ id: "1", name: "vote", input: { a: 1 } }] })).toEqual([]);
});

test("arguments that came as text are read as text", () => {
  expect(findAnswers(called('{"a": 1,}'))).toEqual([{ a: 1 }]);
  expect(
    findAnswers({
      ...SILENT,
      calls: [{ id: "1", name: "submit_judgement", input: undefined, unparsed: '```{"a": 1}' }],
    }),
  ).toEqual([{ a: 1 }]);
});

test("open braces without an end do not hide the answer behind them", () =>
  expect(findAnswers(spoken(`${"{".repeat(10_000)}{"a": 1}`))).toEqual([{ a: 1 }]));

test("of many objects the last hundred are read, in order", () => {
  const numbers = Array.from({ length: 150 }, (_, index) => index);
  const text = numbers.map((n) => JSON.stringify({ n })).join(" then ");
  expect(findAnswers(spoken(text))).toEqual(numbers.slice(50).map((n) => ({ n })));
});

/** Looked at again from each of their braces, quotes or commas these would take minutes. */
const ENDLESS: Record<string, string> = {
  "open braces": "{".repeat(3_000_000),
  "open braces with quotes": '{"'.repeat(1_000_000),
  "escaped quotes": `{${'"\\'.repeat(1_000_000)}\n}`,
  "pairs in pairs": "{".repeat(500_000) + "}".repeat(500_000),
  "pairs beside pairs": "{:,}".repeat(300_000),
  "commas before blanks": `{${`,${" ".repeat(1_000)}`.repeat(2_000)}}`,
};
for (const [what, text] of Object.entries(ENDLESS))
  test(`millions of ${what} hold no answer, and are looked at once`, () =>
    expect(findAnswers(spoken(text))).toEqual([]));

test("an object that is nested deeper than any answer, or larger, is none", () => {
  expect(findAnswers(spoken(`{"a": ${"[".repeat(20_000)}${"]".repeat(20_000)}} {"b": 1}`))).toEqual([{ b: 1 }]);
  expect(findAnswers(spoken(`{"a": [${"0,".repeat(10_000)}0]} {"b": 1}`))).toEqual([{ b: 1 }]);
});
