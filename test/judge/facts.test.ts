import { expect, test } from "bun:test";
import { factsOf } from "../../src/comparison/judge/facts.ts";
import type { ArmSummary } from "../../src/domain/session.ts";
import { buildArm, buildCase, probe } from "./build-case.ts";

const { policies } = buildCase();
const facts = (parts: Partial<ArmSummary>, rules = policies) => factsOf(buildArm("plain", parts).summary, rules);
const violation = { rule: "protected_path", severity: "disqualify", subject: "pager.test.ts", blocked: false } as const;

test("an arm is disqualified by its status, or by what it did, never by a call that was refused", () => {
  expect([
    facts({}).disqualified,
    facts({ status: "disqualified" }).disqualified,
    facts({ violations: [violation] }).disqualified,
    facts({ violations: [{ ...violation, blocked: true }] }).disqualified,
    facts({ violations: [{ ...violation, severity: "warn" }] }).disqualified,
  ]).toEqual([false, true, true, false, false]);
});

test("a required behaviour that is missing disqualifies only where the scenario says so", () => {
  const required = [{ id: "ran-tests", tool: "run_command", count: 0, min: 1, met: false }] as const;
  const strict = { ...policies, severity: { ...policies.severity, required: "disqualify" } } as const;
  expect([
    facts({ required: [...required] }).disqualified,
    facts({ required: [...required] }, strict).disqualified,
  ]).toEqual([false, true]);
});

test("required checks are passed, failed, or not there", () => {
  const optional = { ...probe("fail", 5), checks: probe("fail", 5).checks.slice(1) };
  const broken = {
    ...probe("pass", 5),
    checks: probe("pass", 5).checks.map((check) => ({ ...check, status: "error" as const })),
  };
  expect(
    [probe("pass", 1), probe("fail", 9), broken, optional, null].map(
      (result) => facts({ probe: result }).required_checks,
    ),
  ).toEqual(["passed", "failed", "failed", null, null]);
});

test("lines and files of the whole change are counted", () => {
  const { changed_files, added, removed } = facts({});
  expect({ changed_files, added, removed }).toEqual({ changed_files: 1, added: 1, removed: 1 });
});
