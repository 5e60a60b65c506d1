import { expect, test } from "bun:test";
import { Problems } from "../../src/comparison/scenario/authored/problems.ts";
import { doubtfulBraces, filling } from "../../src/comparison/scenario/inputs/templates.ts";

test("a value is written out once for a row, and not at all where no more may be filled in", () => {
  let written = 0;
  const counted = { toJSON: () => ++written };
  const long = "x".repeat(9_000_000);
  const problems = new Problems();
  const fill = filling({ task: { prompt: "{{value}} {{value}}", follow_ups: ["{{long}}", "{{other}} {{long}}"] } });
  expect(fill({ value: counted, long, other: counted }, problems)).toEqual({
    task: { prompt: "1 1", follow_ups: ["{{long}}", "{{other}} {{long}}"] },
  });
  expect(written).toBe(1);
  expect(problems.found).toHaveLength(1);
});

test("braces around a column's name that fill nothing, or leave braces, are doubtful; those of JSON and code are not", () => {
  const of = (prompt: string) =>
    doubtfulBraces({ task: { prompt } }, ["question"]).map(({ path, message }) => `${path.join(".")}: ${message}`);
  expect(of("{{{ question }}} {{{question}}}")).toEqual([
    "task.prompt: {{{question}}} becomes the value between braces; write {{question}} for the value alone",
  ]);
  for (const open of ["{{question", "{{ question }", "{{question is", "{{question\n{{question}}"])
    expect(of(open)).toEqual([
      "task.prompt: {{question is not followed by }}, so it stays as it is; write {{question}}, or {{{{ for two braces",
    ]);
  for (const plain of [
    "{{question}}",
    '{"a": {"question": {}}}',
    "{{{{question",
    "{ {question} }",
    "{{{other}}}",
    "f({{",
  ])
    expect(of(plain)).toEqual([]);
});
