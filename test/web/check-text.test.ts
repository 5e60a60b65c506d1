import { expect, test } from "bun:test";
import type { Changes } from "../../src/domain/evidence.ts";
import type { ProbeCheck } from "../../src/domain/task.ts";
import { checkText } from "../../src/doors/web/evidence/check-text.ts";
import { areChangesNews, isAnswerTheWork, shownArmsOf } from "../../src/doors/web/evidence/shown-arm.ts";
import { anOutcome } from "../outcomes.ts";

const told = (kind: Partial<ProbeCheck>) =>
  checkText({
    id: "x",
    before: null,
    required: false,
    weight: 1,
    timeout_s: 1,
    expect_exit: 0,
    output_matches: null,
    ...kind,
  });

test("each kind of hidden check is told by what it asks for", () => {
  expect(told({ run: "bun test" })).toBe("runs: bun test");
  expect(told({ run: "false", expect_exit: 3, output_matches: "/ok/" })).toBe(
    "runs: false; exit code 3; output matches /ok/",
  );
  expect(told({ answer_contains: ["yes", "42"], ignore_case: true })).toBe(
    "answer contains “yes” and “42” in any letter case",
  );
  expect(told({ answer_lacks: ["no", "sorry"] })).toBe("answer contains neither “no” nor “sorry”");
  expect(told({ answer_lacks: ["no"] })).toBe("answer does not contain “no”");
  expect(told({ answer_matches: "/a+/" })).toBe("answer matches /a+/");
  expect(told({ answer_matches: "a+" })).toBe("answer contains “a+”");
  expect(told({ answer_json: true })).toBe("answer is JSON");
  expect(told({ answer_json: { type: "object" } })).toBe('answer is JSON that fits {"type":"object"}');
  expect(told({ called: { tool: "bash", match: "git *", min: 1, max: 2 } })).toBe("calls bash git * 1 to 2 times");
  expect(told({ called: { tool: "bash", match: null, min: 0, max: 0 } })).toBe("never calls bash");
  const posted = { url: "http://127.0.0.1:9100/polite" };
  expect(told({ posted })).toBe("posted to http://127.0.0.1:9100/polite: passes");
  expect(told({ posted, score: true })).toEndWith("/polite: scores");
  expect(told({ posted, score: true, min_score: 0.5 })).toEndWith("/polite: scores at least 0.5");
  expect(told({ changed: { paths: ["src/**"], min: 1 } })).toBe("changes at least 1 file of src/**");
  expect(told({ changed: { paths: ["a", "b"], min: 0, max: 0 } })).toBe("changes no file of a, b");
});

test("where the answer is the work, no changed file is no news, and an unknown change is", () => {
  const none = { files: [], patch: "", digest: "0".repeat(64), truncated: false };
  const armsOf = (answer: boolean, changes: Changes) => {
    const outcome = anOutcome("s");
    const task = { ...outcome.definition.task, ...(answer && { answer: true as const }) };
    const [a, b] = outcome.arms;
    return shownArmsOf({
      ...outcome,
      definition: { ...outcome.definition, task },
      arms: [
        { ...a, changes: none },
        { ...b, changes },
      ],
    });
  };
  expect([true, false].map((answer) => isAnswerTheWork(armsOf(answer, none)))).toEqual([true, false]);
  expect([true, false].map((answer) => areChangesNews(armsOf(answer, none)))).toEqual([false, true]);
  expect(areChangesNews(armsOf(true, { ...none, unknown: "too many files" }))).toBe(true);
  expect(areChangesNews(armsOf(true, { ...none, mode_changed: ["run.sh"] }))).toBe(true);
});
