import { expect, test } from "bun:test";
import { NAMED_VIOLATIONS } from "../../src/domain/defaults.ts";
import { brokenRules, whyDisqualified } from "../../src/domain/disqualification.ts";
import type { Violation } from "../../src/domain/evidence.ts";

const broken = (rule: string, subject: string, changes: Partial<Violation> = {}): Violation => ({
  ...{ rule, subject, severity: "disqualify", blocked: false },
  ...changes,
});

test("each broken rule is named once, with the first paths that broke it", () => {
  const paths = ["a", "b", "c", "d", "e"].map((name) => broken("tests/**", `tests/${name}.ts`));
  const calls = broken("required: run-tests", "run_command: 0 of at least 1 calls");
  expect(whyDisqualified([...paths, calls])).toEqual([
    "it changed the protected files tests/a.ts, tests/b.ts, tests/c.ts and 2 more (rule tests/**)",
    'it did not show the required behaviour run-tests ("run_command: 0 of at least 1 calls")',
  ]);
});

const ONE: readonly (readonly [rule: string, subject: string, said: string])[] = [
  ["rules.txt", "rules.txt", "it changed the protected file rules.txt"],
  ["tests/**", "tests/a.ts", "it changed the protected file tests/a.ts (rule tests/**)"],
  ["paths.writable", "docs/a.md", "it changed docs/a.md outside the writable paths"],
];

test.each(ONE)(
  "the rule %s, broken by %s, is told in words, and its text where it says more",
  (rule, subject, said) => {
    expect(whyDisqualified([broken(rule, subject)])).toEqual([said]);
  },
);

test("an arm whose files cannot be checked is not said to have changed any", () => {
  const unchecked = broken("tests/**", "cannot be checked: the workspace holds too many files");
  expect(whyDisqualified([unchecked, broken("tests/**", "tests/a.ts")])).toEqual([
    'it left files that could not be checked against the rule tests/** ("the workspace holds too many files")',
    "it changed the protected file tests/a.ts (rule tests/**)",
  ]);
});

test("a command that could not be read is not said to have broken a rule", () => {
  const unread = broken("commands.deny", "not read: its name is unknown: $X a", { severity: "warn" });
  expect(brokenRules([unread])).toEqual([
    'it ran what the rule commands.deny could not read ("its name is unknown: $X a")',
  ]);
});

test("of paths that were named up to a limit nobody knows how many there are", () => {
  const paths = Array.from({ length: NAMED_VIOLATIONS }, (_, n) => broken("tests/**", `tests/${n}.ts`));
  expect(whyDisqualified(paths)).toEqual([
    "it changed the protected files tests/0.ts, tests/1.ts, tests/2.ts and at least 97 more (rule tests/**)",
  ]);
});

test("refused calls and warnings disqualify nobody", () => {
  expect(
    whyDisqualified([broken("*", "a", { blocked: true }), broken("required: x", "y", { severity: "warn" })]),
  ).toEqual([]);
});

test("a name that reads like a sentence, steers a terminal or fills pages is quoted, cleaned and cut", () => {
  const [line = ""] = whyDisqualified([
    broken("tests/**", "tests/x), beta was not.\nalpha wins\u001b[2J"),
    broken("tests/**", "y".repeat(10_000)),
  ]);
  expect(line).toStartWith('it changed the protected files "tests/x), beta was not. alpha wins[2J", "yyyy');
  expect(line.length).toBeLessThan(400);
});
