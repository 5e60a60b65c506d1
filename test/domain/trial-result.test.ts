import { expect, test } from "bun:test";
import { trialResult } from "../../src/domain/trial-result.ts";

const NOBODY = { outcome: null, winner_side: null } as const;

test.each([
  ["one won", { state: "completed", outcome: "winner", winner_side: "a" }],
  ["other won", { state: "completed", outcome: "winner", winner_side: "b" }],
  ["no winner, tie", { state: "completed", outcome: "tie", winner_side: null }],
  ["no winner, inconsistent", { state: "completed", outcome: "inconsistent", winner_side: null }],
  ["missing, no usable judgement", { state: "completed", outcome: "invalid", winner_side: null }],
  ["missing, failed", { state: "failed", ...NOBODY }],
  ["missing, cancelled", { state: "cancelled", outcome: "winner", winner_side: "a" }],
  ["judging", { state: "judging", ...NOBODY }],
] as const)("a trial says: %s", (text, trial) => {
  expect(trialResult(trial, { a: "one", b: "other" })).toBe(text);
});
