import { expect, test } from "bun:test";
import { SERIES_STATES } from "../../src/domain/series-record.ts";
import { preferredSide, statusText, trialResult } from "../../src/domain/series-status.ts";
import { CONCLUSIONS } from "../../src/domain/series-summary.ts";

const ARMS = { a: "one", b: "other" };

test.each([
  ["one is preferred", "a_preferred"],
  ["other is preferred", "b_preferred"],
  ["No difference above the margin", "no_difference_above_margin"],
] as const)("a series in any state says: %s", (text, conclusion) => {
  for (const state of SERIES_STATES) expect(statusText({ conclusion, state }, ARMS)).toBe(text);
});

test.each([
  ["Undecided: still running", "running", "Undecided: still running"],
  ["Undecided", "completed", "Undecided: identical trials"],
  ["Undecided: cancelled", "cancelled", "Undecided: identical trials"],
  ["Undecided: failed", "failed", "Undecided: identical trials"],
  ["Undecided: interrupted", "interrupted", "Undecided: identical trials"],
] as const)("without a conclusion it says why: %s", (text, state, identical) => {
  const undecided = { conclusion: "undecided", state } as const;
  expect(statusText(undecided, ARMS)).toBe(text);
  expect(statusText({ ...undecided, undecided_by: "identical_trials" }, ARMS)).toBe(identical);
});

test("only a preferred arm lends its colour", () => {
  expect(CONCLUSIONS.map(preferredSide)).toEqual(["a", "b", undefined, undefined]);
});

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
