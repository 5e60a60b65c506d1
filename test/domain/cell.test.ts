import { expect, test } from "bun:test";
import { CELL_BYTES, trialWorkOf, withoutReasons } from "../../src/domain/cell.ts";
import type { CheckResult } from "../../src/domain/evidence.ts";
import type { ArmSummary, SessionOutcome } from "../../src/domain/session.ts";
import type { Task } from "../../src/domain/task.ts";
import { anOutcome, aScenario } from "../outcomes.ts";

const ID = "session-sample-20260102T030400001Z";

const aCheck = (id: string, changes: Partial<CheckResult> = {}): CheckResult => ({
  ...{ id, status: "fail", required: true, weight: 1, before: null, exit_code: null, output: "", duration_ms: 0 },
  reason: 'the answer does not contain "30 days"',
  ...changes,
});

const probed = (...checks: CheckResult[]): Pick<ArmSummary, "probe"> => ({
  probe: { score: 0.25, passed: 0, total: checks.length, checks, restored: [] },
});

/** A session whose first arm is as given. */
function ended(arm: Partial<ArmSummary>, changes: Partial<SessionOutcome> = {}): SessionOutcome {
  const outcome = anOutcome(ID, { state: "completed", ...changes });
  const [first, second] = outcome.arms;
  return {
    ...outcome,
    arms: [
      { ...first, status: "finished", ...arm },
      { ...second, status: "finished" },
    ],
  };
}

const asking = (changes: Partial<Task>) => {
  const scenario = aScenario();
  return { ...scenario, task: { ...scenario.task, ...changes } };
};

const CHANGES = { files: [], patch: "-old\n+new\n", digest: "0".repeat(64), truncated: false };

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test("a cell holds the change, or the answer where that is the work or there is no change, and which checks failed and why", () => {
  const left = {
    final_answer: "Done.",
    changes: CHANGES,
    cost_usd: 0.5,
    ...probed(aCheck("rule"), aCheck("ok", { status: "pass" })),
  };
  const [changed] = trialWorkOf(ended(left)).cells;
  expect(changed).toEqual({
    ...{ arm_id: "left", change: CHANGES.patch, score: 0.25, cost_usd: 0.5 },
    failed: [{ check: "rule", why: 'the answer does not contain "30 days"' }],
  });
  const [answered] = trialWorkOf(ended(left, { definition: asking({ answer: true }) })).cells;
  expect([answered?.answer, answered?.change]).toEqual(["Done.", undefined]);
  expect(trialWorkOf(ended({ final_answer: "Done." })).cells[0]?.answer).toBe("Done.");
  expect(trialWorkOf(ended({})).cells[0]).toEqual({ arm_id: "left", failed: [], score: null, cost_usd: null });
});

test("a cell says what a failed command printed from where it tells what went wrong, and how an arm ended that did not finish", () => {
  const output = "ok 1\nAssertionError: expected 4\n  got 5\n";
  const check = aCheck("tests", { reason: "exit code 1, expected 0", output });
  const [cell] = trialWorkOf(ended({ ...probed(check), status: "failed", error: "no reply" })).cells;
  expect(cell?.failed[0]?.why).toBe("exit code 1, expected 0: AssertionError: expected 4: got 5");
  expect(cell?.ended).toBe("failed: no reply");
});

test.each([
  ["an answer of 5 MB", { final_answer: "x".repeat(5_000_000) }],
  ["control characters, which JSON writes as six", { final_answer: "\u0000".repeat(9_000) }],
  ["halves of pairs", { final_answer: "\ud83d".repeat(9_000) }],
  ["texts of four bytes a character", { final_answer: "𝒳".repeat(9_000) }],
  ["a patch without an end", { changes: { ...CHANGES, patch: "+𝒳\n".repeat(100_000) } }],
  [
    "a thousand checks that say much",
    {
      final_answer: "x".repeat(5_000),
      ...probed(
        ...Array.from({ length: 1_000 }, (_, n) => aCheck(`${n}`.padEnd(64, "c"), { reason: "€".repeat(9_000) })),
      ),
    },
  ],
])("a cell takes at most 2 kB and says that it is cut: %s", (_what, arm) => {
  const [cell] = trialWorkOf(ended(arm)).cells;
  expect(bytes(cell)).toBeLessThanOrEqual(CELL_BYTES);
  expect(cell?.cut).toBe(true);
  expect(JSON.stringify(cell)).toBe(JSON.stringify(cell).toWellFormed());
});

test("a row tells the values that the arms were shown, and none that hidden checks look for", () => {
  const check = {
    id: "rule",
    before: null,
    required: true,
    weight: 1,
    timeout_s: 60,
    expect_exit: 0,
    output_matches: null,
  };
  const task = {
    prompt: "Returns within 30 days.\nCustomer: May I return shoes?",
    probe: {
      files: { digest: "0".repeat(64), path: "x", files: {} } as never,
      checks: [{ ...check, answer_contains: ["30 days"] }],
    },
  };
  const values = { question: "May I return shoes?", must: "30 days", said: "Yes, you may.", long: "y".repeat(9_000) };
  const definition = { ...asking(task), input: { id: "shoes", values } };
  expect(trialWorkOf(ended({}, { definition })).values).toEqual({ question: "May I return shoes?" });
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${n}`.padEnd(200, "n"), "€".repeat(2_000)]));
  const shown = { ...asking({ prompt: "€".repeat(3_000) }), input: { id: "wide", values: wide } };
  expect(bytes(trialWorkOf(ended({}, { definition: shown })).values)).toBeLessThanOrEqual(CELL_BYTES);
  expect(trialWorkOf(ended({})).asked).toBe("Do the task.");
});

test("a reader who is to vote gets no reason of a check", () => {
  const { cells } = trialWorkOf(ended(probed(aCheck("rule"))));
  const row = { scenario: "sample", trial: 1, cells, outcome: null, winner: null };
  expect(JSON.stringify(withoutReasons(row))).not.toContain("30 days");
  expect(withoutReasons(row).cells[0]?.failed).toEqual([{ check: "rule", why: null }]);
});
