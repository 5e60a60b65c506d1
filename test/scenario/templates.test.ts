import { expect, test } from "bun:test";
import { Problems } from "../../src/comparison/scenario/authored/problems.ts";
import { filling } from "../../src/comparison/scenario/inputs/templates.ts";

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
