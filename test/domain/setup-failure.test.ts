import { expect, test } from "bun:test";
import { setupFailureOf } from "../../src/domain/setup-failure.ts";

test("a setup's failure is its reason in a line, and what the command printed apart", () => {
  const message = "task.setup[0] `npm ci\nnpm test` failed (exit code 1): one\ntwo";
  expect(setupFailureOf(message)).toEqual({
    why: "task.setup[0] `npm ci …` failed (exit code 1)",
    printed: ["one", "two"],
  });
  expect(setupFailureOf("task.setup[0] `true` failed (exit code 3)").printed).toEqual([]);
  expect(setupFailureOf("the provider failed (429): wait")).toEqual({
    why: "the provider failed (429): wait",
    printed: [],
  });
});
