import { expect, test } from "bun:test";
import { withWhatWasMissing } from "../../src/comparison/evidence/could-not-run.ts";
import type { CheckResult } from "../../src/domain/evidence.ts";
import { change, probe } from "../judge/build-case.ts";

const task = { prompt: "Write slugify.py and make pytest pass.", reference_fix: null, deliverable: ["**"] };

/** The arm made `bin/slugify`; `tests/given.sh` lay there before. */
const ran = {
  workspace: {
    at: "/workspace",
    list: async () => ["tests/given.sh", "bin/slugify"].map((path) => ({ path, size: 1 })),
  },
  overlay: { dir: null, files: {} },
  changes: change("", "bin/slugify"),
  task,
};

async function reasonFor(exit_code: number, output: string, status: CheckResult["status"] = "fail") {
  const [first] = probe("fail", 0).checks;
  const checks = first === undefined ? [] : [{ ...first, status, exit_code, output }];
  return (await withWhatWasMissing({ ...probe("fail", 0), checks }, ran)).checks[0]?.could_not_run ?? null;
}

test.each([
  [127, "sh: 1: bun: not found", "bun is not found"],
  [127, "bash: line 1: pytest: command not found", "pytest is not found"],
  [127, "", "its program is not found"],
  [126, "sh: 1: /usr/bin/tool: Permission denied", "/usr/bin/tool cannot be started"],
  [126, "sh: 1: tests/given.sh: Permission denied", "tests/given.sh cannot be started"],
  [127, "sh: 1: ./tests/given.sh: not found", "./tests/given.sh is not found"],
  [127, "sh: 1: /workspace/tests/given.sh: not found", "/workspace/tests/given.sh is not found"],
  [127, "sh: 1: /home/agent/tool: not found", "/home/agent/tool is not found"],
  [127, "sh: 1: ../tool: not found", "../tool is not found"],
  [1, "/usr/bin/python3: No module named pytest", "pytest is not installed"],
  [1, "ModuleNotFoundError: No module named 'yaml'", "yaml is not installed"],
])("exit %d with %p could not run", async (exit_code, output, why) =>
  expect(await reasonFor(exit_code, output)).toBe(why),
);

test.each([
  ["an ordinary failure", 1, "expected 3, got 2"],
  ["a module that the task asks for", 1, "ModuleNotFoundError: No module named 'slugify'"],
  ["a program that is to lie in the workspace", 127, "sh: 1: ./slugify: not found"],
  ["one that is there and may not be run", 126, "sh: 1: bin/slugify: Permission denied"],
])("%s is the arm's own failure", async (_, exit_code, output) =>
  expect(await reasonFor(exit_code, output)).toBeNull(),
);

test("a check that expects the status of a missing program has run", async () => {
  expect(await reasonFor(127, "sh: 1: bun: not found", "pass")).toBeNull();
});
