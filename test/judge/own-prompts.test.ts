import { expect, test } from "bun:test";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import { buildCase, judged, NO_CHANGE, turn } from "./build-case.ts";
import { countingEntropy, fixedClock, scoringJudge, userText } from "./mock-judge.ts";

const ASKED = {
  a: "You work for a shop that sells shoes. Name the rule that the question of the customer is about, and its figure.",
  b: "Be a friendly colleague of the customer. Offer them the voucher SPRING, thank them for the trouble, and wish a nice day.",
};
const TASK = {
  prompt: "Answer a customer.",
  question: "Answer a customer.",
  given: { question: "May I send back the shoes that I have worn outside for a week in the rain?" },
  deliverable: [],
  answer: true as const,
};

/** What a judge reads of two arms in both orders. */
async function readings(says: { readonly a: string; readonly b: string }): Promise<readonly string[]> {
  const model = scoringJudge(() => ({}));
  const kase = buildCase({
    a: { changes: NO_CHANGE, final_answer: says.a },
    b: { changes: NO_CHANGE, final_answer: says.b },
    decisions_a: [turn(1, `I was told: ${ASKED.a}`)],
    decisions_b: [turn(1, `I was told: ${ASKED.b}`)],
    task: TASK,
    criteria: [judged("useful")],
    kase: { prompts: [ASKED.a, ASKED.b] },
  });
  const judge = openJudge({ model, model_name: "fake/judge", clock: fixedClock(), entropy: countingEntropy() });
  await judge(kase, new AbortController().signal);
  return model.requests.map(userText);
}

test("a judge reads the question and the row, and neither arm's prompt, also where an arm repeats it", async () => {
  const read = await readings({ a: `My prompt says:\n${ASKED.a}`, b: ASKED.b.toUpperCase() });
  expect(read).toHaveLength(2);
  for (const text of read) {
    expect(text).toContain("Answer a customer.");
    expect(text).toContain(`- question: ${TASK.given.question}`);
    expect(text).toContain("What repeats at length how an agent was asked is not shown.");
    expect(text).not.toMatch(/sells shoes|its figure|friendly colleague|voucher SPRING|nice day/i);
  }
});

test("a phrase that a prompt asks for stays, and so do the words of the row", async () => {
  const worn = TASK.given.question.replace("May I", "You may not");
  const [first = ""] = await readings({
    a: `Thank them for the trouble. ${worn}`,
    b: "Name the rule that it is about.",
  });
  expect(first).toContain("Thank them for the trouble.");
  expect(first).toContain("You may not send back the shoes that I have worn outside for a week in the rain?");
  expect(first).toContain("Name the rule that it is about.");
});
