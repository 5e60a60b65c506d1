import { expect, test } from "bun:test";
import { seriesFlagText } from "../../src/domain/series-flags.ts";
import { statusText } from "../../src/domain/series-status.ts";
import { failureLines } from "../../src/domain/telling-lines.ts";
import type { CriterionScore, JudgeCall, Verdict } from "../../src/domain/verdict.ts";
import { flagText } from "../../src/domain/verdict-flags.ts";
import { wordsText } from "../../src/domain/words.ts";
import { headlineWords } from "../../src/doors/web/verdict/comparison.ts";
import { readWeights, writeWeights } from "../../src/doors/web/verdict/moved-weights.ts";
import { measuredFigures, notesOf } from "../../src/doors/web/verdict/notes.ts";
import { contributionsOf, leaderOf, sumText } from "../../src/doors/web/verdict/sum-text.ts";

const rubric = new Map([
  ["tests", 2],
  ["style", 1],
]);

test("moved weights survive an address, and those of the rubric are not written", () => {
  const moved = new Map([
    ["tests", 0],
    ["style", 1],
  ]);
  expect(writeWeights(moved, rubric)).toBe("tests:0");
  expect([...readWeights("tests:0,style:0.5", rubric)]).toEqual([
    ["tests", 0],
    ["style", 0.5],
  ]);
  expect(writeWeights(new Map(), rubric)).toBeNull();
});

test("what an address holds besides weights of the rubric is left out", () => {
  for (const text of [
    null,
    "",
    "nonesuch:1",
    "tests",
    "tests:",
    "tests:-1",
    "tests:11",
    "tests:1e99",
    "tests:NaN",
    ":,:",
  ])
    expect([...readWeights(text, rubric)]).toEqual([]);
});

const scored = (id: string, score_a: number, score_b: number, supported = true): CriterionScore => ({
  ...{ id, kind: "judged", weight: 1, score_a, score_b, gap: score_a - score_b },
  ...{ position_gap: 0, supported, note: "", evidence: [] },
});

test("what criteria add to the leads is the gap of the scores, and those without support add nothing", () => {
  const criteria = [scored("one", 1, 0.25), scored("two", 0.5, 1), scored("three", 1, 0, false), scored("four", 1, 1)];
  const contributions = contributionsOf(
    criteria,
    new Map([
      ["one", 2],
      ["two", 1],
      ["three", 9],
      ["four", 1],
    ]),
  );
  expect(contributions).toEqual([
    { id: "one", share: 0.5, side: "a", lead: 0.375 },
    { id: "two", share: 0.25, side: "b", lead: 0.125 },
    { id: "four", share: 0.25, side: null, lead: 0 },
  ]);
  expect(contributionsOf(criteria, new Map()).map(({ side, lead }) => [side, lead])).toEqual([
    [null, 0],
    [null, 0],
    [null, 0],
  ]);
});

test("a lead has a side instead of a sign, and is none where two digits show none", () => {
  expect([0.53, -0.53, 0.004, null].map(leaderOf)).toEqual([
    { side: "a", lead: 0.53 },
    { side: "b", lead: 0.53 },
    null,
    null,
  ]);
});

test("a failed check is told from the line that says what went wrong, by what differs", () => {
  const bun =
    'bun test v1\n\nhidden.test.ts:\n 5 | const a = 1;\nerror: expect(received).toEqual(expected)\n\n  {\n-   "status": 404,\n+   "status": 200,\n  }\n\n- Expected  - 1\n+ Received  + 1\n';
  expect(failureLines(bun)).toEqual([
    "error: expect(received).toEqual(expected)",
    '-   "status": 404,',
    '+   "status": 200,',
  ]);
  expect(failureLines('cause: "checkout-api" is not right\n')).toEqual(['cause: "checkout-api" is not right']);
  expect(failureLines(" \n")).toEqual([]);
  expect(failureLines(`AssertionError: ${"x".repeat(9_000)}`)[0]?.length).toBeLessThan(300);
  expect(failureLines("line\n".repeat(900)).length).toBeLessThan(10);
});

const call = (note_a: string, note_b: string, masked = false) =>
  ({ masked, scores: [{ id: "one", note_a, note_b }] }) as unknown as JudgeCall; // only what is read of it

test("the notes of both arms stand apart, each once, without those of a masked repetition", () => {
  const calls = [call("Right.", "Wrong."), call("Right.", "Quite wrong."), call("masked", "masked", true)];
  expect([notesOf(calls, "one", "a"), notesOf(calls, "one", "b"), notesOf(calls, "two", "a")]).toEqual([
    ["Right."],
    ["Wrong.", "Quite wrong."],
    [],
  ]);
  expect(measuredFigures("changed_lines: 8800 against 3")).toEqual({ a: "8800", b: "3" });
  expect(measuredFigures("left: Right. right: Wrong.")).toBeNull();
});

test("the headline names the winner, or says in a few words why there is none", () => {
  const told = (verdict: Partial<Verdict>) =>
    wordsText(
      headlineWords({
        verdict: { outcome: "inconclusive", winner_side: null, lean_side: null, flags: [], ...verdict },
        a: { name: "candidate" },
        b: { name: "baseline" },
      } as never), // only what is read of it
    );
  expect(told({ outcome: "winner", winner_side: "b" })).toBe("baseline won");
  expect(told({ outcome: "tie" })).toBe("A tie within the margin");
  expect(told({ outcome: "inconsistent" })).toBe("No winner: the orders disagree");
  expect(told({ flags: ["single_trial", "judge_probe_conflict"] })).toBe("No winner: scores contradict the checks");
  expect(told({ lean_side: "a" })).toBe("No winner, but a lean");
  expect(told({})).toBe("No winner: too little to tell");
});

test("a sum of scores says what it is, and that the result goes by something else where they favour different arms", () => {
  const [shown, masked] = [{ masked: false }, { masked: true }];
  const told = (
    calls: readonly object[],
    members: readonly object[] | undefined,
    now: object,
    leader: "a" | "b" | null,
  ) =>
    sumText(
      { verdict: { calls, judge: { members } }, a: { name: "x" }, b: { name: "y" } } as never, // only what is read of it
      { outcome: "inconclusive", winner_side: null, lean_side: null, decided_by: "none", ...now } as never,
      leader && { side: leader, lead: 0.3 },
    );
  const three = [{}, {}, {}];
  expect(told([shown], undefined, {}, "a")).toBeNull();
  expect(told([shown], three, { lean_side: "b" }, "a")).toBe(
    "The mean of 3 judges' scores. The result goes by the judges' votes and leans to y.",
  );
  expect(told([shown], three, { lean_side: "a" }, "a")).toBe("The mean of 3 judges' scores.");
  expect(told([shown, masked], undefined, {}, "a")).toBe(
    "The judge's scores, given with the arms' own words in sight. The result goes by what holds without the arms' own words and names nobody.",
  );
  expect(told([shown, masked], three, { winner_side: "b", outcome: "winner", decided_by: "probe" }, "a")).toBe(
    "The mean of 3 judges' scores, given with the arms' own words in sight.",
  );
});

test("words that a newer server says are shown as they are", () => {
  const newer = (word: string) => word as never;
  const verdict = { outcome: "split_vote", winner_side: null, lean_side: null, flags: [] };
  expect(headlineWords({ verdict, a: { name: "x" }, b: { name: "y" } } as never)).toEqual(["split vote"]);
  expect(flagText(newer("moon_phase"))).toMatchObject({ tone: "warn", title: "moon phase" });
  expect(seriesFlagText(newer("moon_phase"), { counts: { trials: 0 } as never })).toMatchObject({
    tone: "warn",
    title: "moon phase",
  });
  const series = { conclusion: newer("a_ahead_for_now"), state: "completed" } as const;
  expect(statusText(series, { a: "x", b: "y" })).toBe("a ahead for now");
});
