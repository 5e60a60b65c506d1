import { expect, test } from "bun:test";
import { withWhatWasMissing } from "../../src/comparison/evidence/could-not-run.ts";
import type { CheckResult } from "../../src/domain/evidence.ts";
import { probe } from "../judge/build-case.ts";

const task = { prompt: "Write slugify.py and make pytest pass.", reference_fix: null, deliverable: ["**"] };

function reasonFor(exit_code: number, output: string, status: CheckResult["status"] = "fail") {
  const [first] = probe("fail", 0).checks;
  const checks = first === undefined ? [] : [{ ...first, status, exit_code, output }];
  return withWhatWasMissing({ ...probe("fail", 0), checks }, task).checks[0]?.could_not_run ?? null;
}

test.each([
  [127, "sh: 1: bun: not found", "bun is not found"],
  [127, "bash: line 1: pytest: command not found", "pytest is not found"],
  [127, "", "its program is not found"],
  [126, "sh: 1: /usr/bin/tool: Permission denied", "/usr/bin/tool cannot be started"],
  [1, "/usr/bin/python3: No module named pytest", "pytest is not installed"],
  [1, "ModuleNotFoundError: No module named 'yaml'", "yaml is not installed"],
])("exit %d with %p could not run", (exit_code, output, why) => expect(reasonFor(exit_code, output)).toBe(why));

test.each([
  ["an ordinary failure", 1, "expected 3, got 2"],
  ["a module that the task asks for", 1, "ModuleNotFoundError: No module named 'slugify'"],
  ["a program that is to lie in the workspace", 127, "sh: 1: ./slugify: not found"],
  ["one that is there and may not be run", 126, "sh: 1: bin/slugify: Permission denied"],
])("%s is the arm's own failure", (_, exit_code, output) => expect(reasonFor(exit_code, output)).toBeNull());

test("a check that expects the status of a missing program has run", () => {
  expect(reasonFor(127, "sh: 1: bun: not found", "pass")).toBeNull();
});
