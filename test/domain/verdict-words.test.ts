import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Merged, mergeOrders } from "../../src/comparison/judge/asking/masked-repetition.ts";
import { CONFIDENCES, type JudgeCall, type Order, type Verdict } from "../../src/domain/verdict.ts";
import { flagWords, toldFlags } from "../../src/domain/verdict-flags.ts";
import { decidedText } from "../../src/domain/verdict-text.ts";
import { verdictHeadline, verdictNotes } from "../../src/domain/verdict-words.ts";
import { say, wordsText } from "../../src/domain/words.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";

const SCORES = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 })), {
  minLength: 2,
  maxLength: 2,
});
/** Usually both orders have the same scores. */
const HEARING = fc
  .tuple(SCORES, SCORES, fc.boolean(), fc.integer({ min: 0, max: 3 }))
  .map(([ab, ba, alike, usable]) => ({ ab, ba: alike ? ab : ba, isUsable: usable > 0 }));

type Scores = readonly (readonly [a: number, b: number])[];

function labelOf(scores: Scores): "a" | "b" | "tie" {
  const gap = scores.reduce((sum, [a, b]) => sum + a - b, 0);
  return Math.abs(gap) < 2 ? "tie" : gap > 0 ? "a" : "b";
}

const callOf = (order: Order, scores: Scores, judge: string, valid: boolean) =>
  ({
    ...{ order, judge, valid, masked: false, label: valid ? labelOf(scores) : null },
    scores: scores.map(([score_a, score_b], index) => ({ id: `criterion-${index}`, score_a, score_b })),
  }) as unknown as JudgeCall; // only what is read of it

/** What judges answered, with the pull that the program computes of it. */
const JUDGED = fc.array(HEARING, { minLength: 1, maxLength: 3 }).map((hearings) => {
  const merged: Merged[] = hearings.map(({ ab, ba, isUsable }) =>
    mergeOrders(labelOf(ab), isUsable ? labelOf(ba) : null),
  );
  const pulls = merged.flatMap(({ position_pull }) => position_pull ?? []);
  const calls = hearings.flatMap(({ ab, ba, isUsable }, index) => [
    callOf("ab", ab, `judge-${index}`, true),
    callOf("ba", ba, `judge-${index}`, isUsable),
  ]);
  const position_pull = pulls.length === 0 ? null : pulls.reduce((sum, pull) => sum + pull, 0) / pulls.length;
  return { hearings: hearings.filter(({ isUsable }) => isUsable), verdict: { calls, position_pull } };
});

const notesText = (verdict: object) =>
  verdictNotes({ ...EXAMPLES.verdict, ...verdict })
    .map(wordsText)
    .join(" ");

test("what is said of the order is true of every score, of every choice and of the bias", () => {
  fc.assert(
    fc.property(JUDGED, ({ hearings, verdict }) => {
      const text = notesText(verdict);
      if (hearings.length === 0) return expect(text).not.toContain("order");
      const moved = hearings
        .flatMap(({ ab, ba }) => ab.flatMap((pair, index) => pair.map((score, side) => score !== ba[index]?.[side])))
        .filter(Boolean).length;
      const chosen = hearings.filter(({ ab, ba }) => labelOf(ab) !== labelOf(ba)).length;
      expect(/no score\b/.test(text)).toBe(moved === 0);
      expect(Number(/(\d+) scores?\b/.exec(text)?.[1] ?? 0)).toBe(moved);
      expect(/no choice\b/.test(text)).toBe(chosen === 0);
      const [, bias, towards] = /choice by (\S+) of 1 towards the arm shown (\w+)/.exec(text) ?? [];
      expect(Number(bias ?? 0)).toBeCloseTo(Math.abs(verdict.position_pull ?? 0), 2);
      if (verdict.position_pull !== 0) expect(towards).toBe((verdict.position_pull ?? 0) > 0 ? "first" : "second");
    }),
    { numRuns: 500 },
  );
});

test("nothing is said of the order where nobody was asked", () => {
  expect(notesText({ calls: [], position_pull: null })).not.toContain("order");
});

test("a verdict without a result is not told what a result would rest on, nor what every statement says", () => {
  expect(toldFlags(["single_trial", "no_objective_check", "unconfirmed"])).toEqual([
    "no_objective_check",
    "unconfirmed",
  ]);
  expect(toldFlags(["no_objective_check", "check_could_not_run"])).toEqual(["check_could_not_run"]);
});

test("the gravest flag is told first", () => {
  expect(toldFlags(["truncated", "self_family", "no_contrast", "judge_invalid"])).toEqual([
    ...(["no_contrast", "judge_invalid"] as const),
    ...(["self_family", "truncated"] as const),
  ]);
});

test("confidence is told in words that promise nothing beyond this run, and not at all without a winner", () => {
  const told = CONFIDENCES.map((confidence) => decidedText({ decided_by: "judge", confidence }));
  const by = "decided by the judge, in both orders";
  expect(told).toEqual([`(${by}, clear in this run)`, `(${by}, leaning)`, `(${by}, weak)`, `(${by})`]);
  expect(decidedText({ decided_by: "none", confidence: "none" })).toBe("");
});

test("an arm that won over an equal one is not told as if it were better", () => {
  const won = { outcome: "winner", winner_side: "a", lean_side: null, facts: {} } as const;
  const told = (flags: Verdict["flags"]) =>
    wordsText(verdictHeadline({ ...won, flags } as never, { a: "left", b: "right" }));
  expect([told([]), told(["no_contrast"])]).toEqual(["left won", "left won, though the arms are equal"]);
});

test("a flag about what a change could edit names it, once", () => {
  const inputs_from_checkout = [{ input: "results" as const, path: "evals/r.csv" }];
  const text = wordsText(flagWords("inputs_from_checkout", { inputs_from_checkout }));
  expect(text).toContain("evals/r.csv");
  expect(text).toMatch(/^[A-Z].*[.]$/);
  expect(wordsText(flagWords("inputs_from_checkout", {}))).toStartWith("Inputs that the change can edit.");
});

test("the headline names the arm that won as an arm, so that each door can colour it", () => {
  const verdict = { outcome: "winner", winner_side: "b", lean_side: null, flags: [] };
  expect(verdictHeadline(verdict as never, { a: "one", b: "other" })).toEqual([{ arm: "b", name: "other" }, " won"]);
});

test("a sentence takes words and other sentences, and reads as text", () => {
  const rate = say`${{ figure: "79%" }}, range 52% to 95%`;
  expect(wordsText(say`Win rate of ${{ arm: "a", name: "one" }}: ${rate}.`)).toBe(
    "Win rate of one: 79%, range 52% to 95%.",
  );
});
