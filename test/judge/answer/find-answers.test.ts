import { expect, test } from "bun:test";
import { findAnswers } from "../../../src/judge/answer/find-answers.ts";
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

test("after 64 open braces without an end no more are tried, so the work stays linear", () => {
  const found = [63, 64, 10_000].map((braces) => findAnswers(spoken(`${"{".repeat(braces)}{"a": 1}`)));
  expect(found).toEqual([[{ a: 1 }], [], []]);
});
