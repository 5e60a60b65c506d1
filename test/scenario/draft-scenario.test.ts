import { expect, test } from "bun:test";
import { parse } from "yaml";
import { answerMatches } from "../../src/comparison/scenario/draft/assertion.ts";
import { type Draft, draftScenario } from "../../src/comparison/scenario/draft-scenario.ts";

const MESSAGE = "Mend the pager\n\nchecks: were wrong\narms: too\n  judge: and this\n  - id: last-page\n";

test("a line of a commit's message that looks like a field gets no note", () => {
  const draft: Draft = {
    name: "fix",
    title: "Mend the pager",
    origin: "a".repeat(12),
    form: "from-commit",
    prompt: MESSAGE,
    commit: "b".repeat(40),
    setup: [],
    checks: [{ run: "bun test last-page.test.ts", file: "last-page.test.ts" }],
    reference: { kind: "patch" },
    protected: [],
    named: [],
    questions: [],
    notes: [{ path: ["task", "prompt"], text: "From the commit's message." }],
    material: [{ path: "reference.patch", text: "" }],
  };
  const text = draftScenario(draft, {
    checks: [{ before: "fail", after: "fail", cannot_run: null, reason: "exit code 1, expected 0" }],
    failed: null,
  });
  expect(parse(text).task.prompt).toBe(MESSAGE);
  expect(text.match(/^ *# .*/gm)?.map((line) => line.trim().slice(0, 24))).toEqual([
    `# Made from ${"a".repeat(12)}`,
    "# From the commit's mess",
    "# Where `before` stands,",
    "# Not `required`: it fai",
    "# Two prompts. The scrip",
    "# Asks no model. Remove ",
  ]);
  const named = draftScenario({ ...draft, origin: "the task a\npolicies: {network: open}", title: "b\ntitle: c" });
  expect(parse(named)).toEqual({ ...parse(draftScenario(draft)), title: "b\ntitle: c" });
});

test("a pattern of another tool that is too dear is not converted", () => {
  expect(() => answerMatches("x{1000}y{1000}z{1000}", "i")).toThrow(
    "asserts a pattern that takes 3,002 instructions, more than 2,500; repeat less: x{1000}y{1000}z{1000}",
  );
  expect(() => answerMatches("(".repeat(1_000_000))).toThrow("takes more than 4,000 characters");
});
