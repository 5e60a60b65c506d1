import { expect, test } from "bun:test";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import type { CheckResult, ProbeResult } from "../../src/domain/evidence.ts";
import { buildCase, judged, probe } from "./build-case.ts";
import { countingEntropy, fixedClock, scoringJudge } from "./mock-judge.ts";

/** A probe whose required check did not come to a result. */
function stopped(change: Partial<CheckResult>): ProbeResult {
  const result = probe("fail", 0);
  return { ...result, checks: result.checks.map((check) => (check.required ? { ...check, ...change } : check)) };
}

const ABSENT = stopped({ exit_code: 127, could_not_run: "bun is not found" });
const LATE = stopped({ status: "error", exit_code: null, reason: "timed out after 30 s" });

async function verdictOn(a: ProbeResult, b: ProbeResult, status = "warn" as "warn" | "disqualify") {
  const model = scoringJudge(({ evidence }) => ({ style: evidence.includes("slice.plain") ? 4 : 1 }));
  const violations = [{ rule: "protected_path", severity: status, subject: "pager.test.ts", blocked: false }];
  const criteria = [judged("style", 1), { id: "checks", kind: "measured", weight: 1, measure: "probe_score" } as const];
  const kase = buildCase({ criteria, a: { probe: a, violations }, b: { probe: b } });
  const options = { model, model_name: "mock/judge", clock: fixedClock(), entropy: countingEntropy() };
  const verdict = await openJudge(options)(kase, new AbortController().signal);
  return { verdict, calls: model.requests.length };
}

test.each(["warn", "disqualify"] as const)(
  "a check that could run on neither arm decides nothing (%s)",
  async (rule) => {
    const { verdict, calls } = await verdictOn(ABSENT, ABSENT, rule);
    expect(verdict).toMatchObject({
      ...{ outcome: "invalid", winner: null, lean: null, decided_by: "none", confidence: "none" },
      flags: ["check_could_not_run", "single_trial"],
    });
    expect(verdict.statement).toStartWith(
      "In this one run of pager-last-page, hidden checks could not run on either arm (last-page: bun is not found); nothing was judged, and this is not a tie.",
    );
    expect(calls).toBe(0);
    expect([verdict.score_a, verdict.score_b, verdict.score_gap]).toEqual([null, null, null]);
    expect(verdict.criteria.map(({ score_a, score_b, supported }) => [score_a, score_b, supported])).toEqual([
      [null, null, false],
      [null, null, false],
    ]);
  },
);

test("a check that could not run on one arm alone is that arm's failure, and the statement names the program", async () => {
  const { verdict } = await verdictOn(ABSENT, probe("pass", 10));
  expect(verdict).toMatchObject({ outcome: "winner", winner: "tdd", decided_by: "probe" });
  expect(verdict.flags).not.toContain("check_could_not_run");
  expect(verdict.statement).toContain("plain did not pass 1 of 1 required hidden checks, tdd passed all; decided by");
  expect(verdict.scope).toContain("; on plain, check last-page could not run: bun is not found; one run per arm");
});

test("a check that this machine did not finish on one arm is nobody's loss", async () => {
  const why = "looking for /a+/ in the answer took more than 10 s on this machine";
  const unfinished = stopped({ status: "error", exit_code: null, could_not_run: why });
  for (const pair of [[unfinished, probe("pass", 10)] as const, [probe("pass", 10), unfinished] as const]) {
    const { verdict, calls } = await verdictOn(...pair);
    expect(verdict).toMatchObject({ outcome: "invalid", winner: null, flags: ["check_could_not_run", "single_trial"] });
    expect(verdict.statement).toContain(`hidden checks could not be finished (last-page: ${why}); nothing was judged`);
    expect(calls).toBe(0);
  }
});

test("a check that timed out is told as that", async () => {
  const { verdict } = await verdictOn(LATE, probe("pass", 10));
  expect(verdict.statement).toContain("plain did not pass 1 of 1 required hidden checks, tdd passed all; decided by");
  expect(verdict.scope).toContain("; on plain, check last-page: timed out after 30 s; one run per arm");
});

test("what is required and was not done stands in the statement", async () => {
  const required = [{ id: "ran-tests", tool: "run_command", count: 0, min: 1, met: false }];
  const options = { model: undefined, model_name: "builtin/evidence", clock: fixedClock(), entropy: countingEntropy() };
  const kase = buildCase({ a: { required } });
  const { scope } = await openJudge(options)(kase, new AbortController().signal);
  expect(scope).toContain("; plain did not do what is required: ran-tests (run_command: 0 of 1 call); one run per arm");
});
