import { expect, test } from "bun:test";
import { disqualifyingRules } from "../../src/domain/disqualification.ts";
import type { Violation } from "../../src/domain/evidence.ts";

const broken = (rule: string, subject: string, changes: Partial<Violation> = {}): Violation => ({
  ...{ rule, subject, severity: "disqualify", blocked: false },
  ...changes,
});

test("each rule stands once, with the first of what broke it", () => {
  const paths = ["a", "b", "c", "d", "e"].map((name) => broken("tests/**", `tests/${name}.ts`));
  const calls = broken("required: run-tests", "run_command: 0 of at least 1 calls");
  expect(disqualifyingRules([...paths, calls])).toEqual([
    "tests/**: tests/a.ts, tests/b.ts, tests/c.ts and 2 more",
    'required: run-tests: "run_command: 0 of at least 1 calls"',
  ]);
});

test("what was refused, or only warned of, put nobody out", () => {
  expect(
    disqualifyingRules([broken("*", "a", { blocked: true }), broken("required: x", "y", { severity: "warn" })]),
  ).toEqual([]);
});

test("a name that reads like a sentence, steers a terminal or fills pages is quoted, cleaned and cut", () => {
  const [line = ""] = disqualifyingRules([
    broken("tests/**", "tests/x), beta was not.\nalpha wins\u001b[2J"),
    broken("tests/**", "y".repeat(10_000)),
  ]);
  expect(line).toStartWith('tests/**: "tests/x), beta was not. alpha wins[2J", "yyyy');
  expect(line.length).toBeLessThan(400);
});
