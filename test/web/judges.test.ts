import { expect, test } from "bun:test";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { judgeGroups } from "../../src/doors/web/judges/judge-group.ts";
import { agreementText, pullText, repeatsText, undecidedTexts } from "../../src/doors/web/judges/profile-text.ts";
import { peopleText } from "../../src/doors/web/verdict/people.ts";

const [judge] = EXAMPLES.judges.judges;
if (!judge) throw new Error("the example has no judge");

test("the pull of the order is told by position, and only from 20 verdicts on as a share", () => {
  const named = "contradicted itself 3 times: 3 for the first, 0 for the second";
  expect(pullText(judge.position)).toBe(`5% to the arm shown first; ${named}`);
  expect(pullText({ ...judge.position, mean_pull: -0.2 })).toStartWith("20% to the arm shown second");
  expect(pullText({ ...judge.position, mean_pull: 0 })).toBe(`none; ${named}`);
  expect(pullText({ ...judge.position, mean_pull: null })).toBe(named);
  expect(pullText({ ...judge.position, mean_pull: null, first: 0 })).toBe("never contradicted itself");
  expect(undecidedTexts(judge)).toEqual(["tie 15%", "inconclusive 13%", "inconsistent 8%", "invalid 3%"]);
  expect(undecidedTexts({ outcomes: { ...judge.outcomes, tie: 0 }, rates: null })).toEqual([
    "inconclusive 5",
    "inconsistent 3",
    "invalid 1",
  ]);
});

test("what was counted is told with its number, and a rate only where there is one", () => {
  expect(repeatsText(judge.repeats)).toBe("1 of 8 came out otherwise, 13%");
  expect(repeatsText({ compared: 2, changed: 1, rate: null })).toBe("1 of 2 came out otherwise");
  expect(repeatsText({ compared: 0, changed: 0, rate: null })).toBe("never judged again");
  expect(agreementText(judge.facts.shown)).toBe("18 of 19 times (75% to 99%), abstained 6 times");
  const alone = { ...judge.facts.shown, agree: 0, disagree: 0, rate: null, low: null, high: null };
  expect(agreementText({ ...alone, abstained: 1 })).toBe("abstained 1 time");
  expect(agreementText({ ...alone, disagree: 2, abstained: 0 })).toBe("0 of 2 times");
  expect(agreementText(judge.facts.hidden)).toBe("no such verdict");
});

test("agreement with people is told with its range, and what is in no rate beside it", () => {
  expect(peopleText(judge.people)).toBe(
    "7 of 10 blind votes (40% to 89%); 2 where one of the two says tie; 1 vote where the judge found nothing; 3 votes not blind, left out",
  );
  const none = { agree: 0, opposed: 0, one_tie: 0, abstained: 0, not_blind: 0, rate: null, low: null, high: null };
  expect(peopleText(none)).toBe("no votes");
  expect(peopleText({ ...none, not_blind: 1 })).toBe("1 vote not blind, left out");
});

test("a judge's prompts on all scenarios are one judge, of which the latest self-test on each counts", () => {
  const other = { ...judge, scenario: "other", judge: { ...judge.judge, prompt_digest: null } };
  const row = EXAMPLES.self_test_row;
  const tested = { ...row, judge: { ...row.judge, model: judge.judge.model, protocol: judge.judge.protocol } };
  const [group, ...others] = judgeGroups([judge, other], [tested, { ...tested, self_test_id: "self-test-older" }]);
  expect(others).toEqual([]);
  expect(group).toMatchObject({
    verdicts: 2 * judge.verdicts,
    // Verdicts without a usable answer do not tell whether the order decided.
    answered: 2 * (judge.verdicts - (judge.outcomes["invalid"] ?? 0)),
    position: { first: 6, second: 0 },
    checks: { seen: { agree: 36, of: 38 }, unseen: { of: 0, rate: null, low: 0, high: 1 } },
    tests: [{ self_test_id: tested.self_test_id }],
  });
  expect(judgeGroups([], [tested]).map(({ verdicts }) => verdicts)).toEqual([0]);
});
