import { expect, test } from "bun:test";
import { agreementOf, choiceOn, findingOf, NO_VOTES, withVote } from "../../src/domain/people-agreement.ts";
import type { Vote } from "../../src/domain/vote.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";

type Choice = Vote["choice"];

const agreement = (...votes: readonly (readonly [choice: Choice, found: Choice | null, blind?: boolean])[]) =>
  agreementOf(
    votes.reduce((counts, [choice, found, blind = true]) => withVote(counts, { blind, choice }, found), NO_VOTES),
  );

test("without a vote nothing is known", () => {
  expect(agreement()).toEqual({ ...NO_VOTES, rate: null, low: null, high: null });
});

test("a tie agrees with a tie alone, and is told apart from a contradiction", () => {
  const found = agreement(["tie", "tie"], ["a", "a"], ["tie", "b"], ["a", "tie"], ["a", "b"]);
  expect(found).toMatchObject({ agree: 2, one_tie: 2, opposed: 1, rate: 0.4 });
  expect([found.low, found.high].map((end) => end?.toFixed(3))).toEqual(["0.118", "0.769"]);
});

test("where the judge found nothing, or the voter had seen something, a vote is in no rate", () => {
  expect(agreement(["a", null], ["tie", null], ["a", "a", false], ["b", "a", false])).toEqual({
    ...{ agree: 0, opposed: 0, one_tie: 0, abstained: 2, not_blind: 2 },
    ...{ rate: null, low: null, high: null },
  });
});

test("a vote is read with the sides of the verdict, and says nothing of other arms", () => {
  const { arm_a, arm_b } = EXAMPLES.verdict;
  const vote: Vote = { ...EXAMPLES.vote, arm_a, arm_b, choice: "a" };
  const turned = { arm_a: arm_b, arm_b: arm_a };
  expect(choiceOn(vote, { arm_a, arm_b })).toBe("a");
  expect(choiceOn(vote, turned)).toBe("b");
  expect(choiceOn({ ...vote, choice: "tie" }, turned)).toBe("tie");
  expect(choiceOn(vote, { arm_a, arm_b: { ...arm_b, arm_id: "other" } })).toBeUndefined();
});

test.each([
  ["winner", "b", "b"],
  ["tie", null, "tie"],
  ["inconclusive", null, null],
  ["inconsistent", null, null],
  ["invalid", null, null],
] as const)("%s with the side %p finds %p", (outcome, winner_side, finding) => {
  expect(findingOf({ outcome, winner_side })).toBe(finding);
});
