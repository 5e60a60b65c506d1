import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { Series } from "../../src/domain/series.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { wordsText } from "../../src/domain/words.ts";
import { evidenceText } from "../../src/statistics/figure-text.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { armFigures } from "../../src/statistics/series-words.ts";
import { sixLines } from "../../src/statistics/six-lines.ts";
import { type Planned, results, rowOf, rowsOf, seriesOf } from "./series.ts";

const statement = async (rows: readonly TrialRow[], planned: Planned = {}) =>
  (await reportOf(seriesOf(planned), rows, { stored: [], judge_unaudited: false })).statement;

const FREE = { cost_usd: 0 };

/** Without costs, which have a sentence of their own. */
const rowsFree = (letters: string, parts: Partial<TrialRow> = {}) =>
  rowsOf(results(letters), parts).map((row) => ({
    ...row,
    arms: { a: { ...row.arms.a, ...FREE }, b: { ...row.arms.b, ...FREE } },
  }));

const RELY = "Series that stop early tend to show too large a preference: rely on the range.";

const ENDED = { state: "completed", stop: "exhausted" } as const;
const SURE = { state: "completed", stop_when_sure: true } as const;

test.each([
  ["~".repeat(24), "In 24 of 24 trials judge J followed the order in which the runs were shown;"],
  ["++~~~-", "In 3 of 6 trials judge J followed the order in which the runs were shown;"],
  ["========", null],
])("a series says in how many trials the judge followed the order: %s", async (letters, said) => {
  const told = await statement(rowsFree(letters));
  if (said === null) expect(told).not.toContain("followed the order");
  else expect(told).toContain(said);
});

test("a series says in how many trials an arm's agent crashed", async () => {
  const rows = rowsFree("++-=x").map((row, index) =>
    index < 2 ? { ...row, arms: { ...row.arms, b: { ...row.arms.b, crashed: true as const } } } : row,
  );
  const report = await reportOf(seriesOf(), rows, { stored: [], judge_unaudited: false });
  expect(report.statement).toContain("The agent of baseline crashed in 2 of 4 trials.");
  expect([report.arms.a.crashed, report.arms.b.crashed]).toEqual([undefined, { crashed: 2, trials: 4 }]);
  expect(Value.Check(Series, report)).toBe(true);
  expect(armFigures(report)).toContainEqual(["crashed", "never", "2 of 4"]);
  expect(
    armFigures(await reportOf(seriesOf(), rowsFree("++"), { stored: [], judge_unaudited: false })).flat(),
  ).not.toContain("crashed");
});

test("a series says in how many trials a skill was read, and what became of these and of the others", async () => {
  const solved = [true, true, false, true];
  const rows = rowsFree("++-=").map((row, index) => ({
    ...row,
    skills: { a: { "iso-dates": index < 2, unread: false }, b: {} },
    arms: { ...row.arms, a: { ...row.arms.a, solved: solved[index] ?? null, ...(index === 3 && { tokens: null }) } },
  }));
  const report = await reportOf(seriesOf(), rows, { stored: [], judge_unaudited: false });
  expect(report.statement).toContain(
    "candidate read the skill iso-dates in 2 of 4 trials; required checks passed with it 2 of 2, without it 1 of 2.",
  );
  expect(report.statement).toContain(
    "candidate read the skill unread in none of 4 trials; required checks passed without it 3 of 4.",
  );
  expect(report.flags).toContain("skill_never_fired");
  expect(Value.Check(Series, report)).toBe(true);
  expect(armFigures(report)).toContainEqual(["skill iso-dates", "2 of 4 (solved 2 of 2, else 1 of 2)", "–"]);
  expect(armFigures(report)).toContainEqual(["usage not known", "1 of 4", "never"]);
});

const SITUATIONS: [what: string, letters: string, planned: Planned, says: string[]][] = [
  [
    "a claim",
    "+++++++++++-",
    { ...SURE, stop: "sure" },
    [
      "Evidence 28.5 (20 needed).",
      RELY,
      "Stopped early, after 12 of 30 planned trials, once the preference was established.",
    ],
  ],
  [
    "a claim for the other arm, in a series that could not stop early",
    "---------=",
    { ...ENDED, trials: 10 },
    ["Evidence 29.1 (20 needed)."],
  ],
  [
    "a claim that later trials no longer bear",
    "+++++++++----",
    { ...ENDED, trials: 13 },
    [
      "A preference for candidate was established at trial 9 (candidate 9, baseline 0); with the 4 trials since, the range includes 50%.",
      "Evidence 0.9 (20 needed).",
    ],
  ],
  [
    "two claims",
    `+++++++++${"-".repeat(27)}`,
    { ...ENDED, trials: 36 },
    [
      "The trials contradict each other: they established a preference for candidate at trial 9 (candidate 9, baseline 0), and later one for baseline. No preference can be stated; something may have changed between the trials.",
    ],
  ],
  [
    "no conclusion yet",
    "+++-+++-++-",
    {},
    [
      "After 11 trials of S (candidate won 8, baseline 3, no winner 0) no preference can be stated.",
      "Evidence 1.3 (20 needed).",
      "If further trials split the same way, about 33 more would be needed; this plan has only 19 left.",
      "By the trials so far, the chance that these establish a preference is 18%.",
      "Still running, after 11 of 30 planned trials.",
    ],
  ],
  [
    "no conclusion at the end",
    "+++-+++-++-",
    { ...ENDED, trials: 11 },
    [
      "After 11 trials of S (candidate won 8, baseline 3, no winner 0) no preference can be stated.",
      "Evidence 1.3 (20 needed).",
      "If further trials split the same way, about 33 more would be enough; where arms do not differ, such a forecast seldom comes true.",
    ],
  ],
  [
    "a forecast that ended it",
    "+-+-+-+-+-+-",
    { ...SURE, stop: "unlikely" },
    [
      "After 12 trials of S (candidate won 6, baseline 6, no winner 0) no preference can be stated.",
      "Evidence 0.3 (20 needed).",
      "Stopped early: by a forecast from these trials, the chance of reaching a conclusion by trial 30 was below 2%. This does not show that the arms are alike.",
    ],
  ],
  [
    "nothing left to reach",
    "c",
    { ...SURE, stop: "out_of_reach", trials: 8 },
    [
      "Stopped early, after 0 of 8 planned trials: the remaining trials could not lead to a conclusion. This does not show that the arms are alike.",
      "1 trial gave no result (cancelled).",
    ],
  ],
  [
    "equivalence",
    "=".repeat(17),
    { ...SURE, stop: "equivalent" },
    [
      "With 95% confidence candidate and baseline differ by less than the margin of 30 points as judged by J.",
      "Stopped early, after 17 of 30 planned trials, once this was established.",
    ],
  ],
  [
    "equivalence that the last trials alone would not bear",
    `${"=".repeat(17)}+++++`,
    { ...ENDED, trials: 22 },
    ["With 95% confidence candidate and baseline differ by less than the margin of 30 points as judged by J."],
  ],
  [
    "a fragile claim",
    "!x+++++++++",
    {},
    [
      "Evidence 29.1 (20 needed).",
      "Still running, after 9 of 30 planned trials.",
      "2 trials gave no result (1 failed or interrupted, 1 without a usable judgement).",
      "No preference is stated: it would not stand if the 2 missing trials had gone to baseline.",
    ],
  ],
  [
    "a cost limit, and scripts",
    "+++",
    { state: "completed", stop: "budget", max_cost_usd: 3, scripted: true },
    [
      "After 3 trials of S (candidate won 3, baseline 0, no winner 0) no preference can be stated.",
      "Evidence 1.9 (20 needed).",
      "Stopped by the cost limit of $3, after 3 of 30 planned trials.",
      "These trials replay scripts; they say nothing about a model.",
    ],
  ],
  [
    "a person who cancelled it",
    "+cc",
    { state: "cancelled", stop: "cancelled" },
    [
      "After 1 trial of S (candidate won 1, baseline 0, no winner 0) no preference can be stated.",
      "Evidence 1.0 (20 needed).",
      "Cancelled after 1 of 30 planned trials.",
      "2 trials gave no result (cancelled).",
    ],
  ],
  [
    "a failure",
    "u",
    { state: "failed", stop: "failed" },
    ["The series failed after 0 of 30 planned trials.", "1 trial gave no result (failed or interrupted)."],
  ],
  ["an interruption", "", { state: "interrupted" }, ["Interrupted after 0 of 30 planned trials; it can be continued."]],
  ["a beginning", "", {}, ["Still running, after 0 of 30 planned trials."]],
  ["one run", "-", { ...ENDED, trials: 1 }, ["One run per arm says nothing about how often this would happen."]],
  [
    "one run without a winner",
    "~",
    { ...ENDED, trials: 1 },
    ["One run per arm says nothing about how often this would happen."],
  ],
  ["another alpha", "+++++++", { ...ENDED, trials: 7, alpha: 0.1 }, ["Evidence 11.2 (10 needed)."]],
];

describe("a statement tells", () => {
  for (const [what, letters, planned, says] of SITUATIONS)
    test(what, async () => {
      const series = await reportOf(seriesOf(planned), rowsFree(letters), { stored: [], judge_unaudited: false });
      expect(series.statement).toBe([`${wordsText(sixLines(series).first)}.`, ...says].join(" "));
    });

  test("who decided", async () => {
    const rows = rowsFree("++++++++=").map((row, place) =>
      place < 3 ? { ...row, decided_by: "probe" as const } : row,
    );
    expect(await statement(rows)).toStartWith(
      "candidate was preferred in 8 of 9 trials and baseline in 0 (3 by hidden checks, 5 by the judge): net +89 points",
    );
    expect(await statement(rowsFree("++++++++", { decided_by: "measured" }))).toContain("(all by measured criteria)");
    const one = rowsFree("-", { decided_by: "gate" });
    expect(await statement(one, { ...ENDED, trials: 1 })).toStartWith(
      "candidate was preferred in 0 of 1 trial and baseline in 1 (by rules): net -100 points",
    );
  });

  test("that copies show nothing, without figures that look like evidence", async () => {
    const rows = rowsFree("++++++++", { conduct: "0".repeat(64) });
    expect(await statement(rows, { ...SURE, stop: "out_of_reach" })).toEndWith(
      "valid at every look). All trials are identical in what the models said and called: copies count as one observation, so nothing is concluded from them. Stopped early, after 8 of 30 planned trials: more copies of these trials would show nothing new. This does not show that the arms are alike.",
    );
  });

  test("what a trial cost, where it is known", async () => {
    expect(await statement(rowsOf(results("+++")))).toEndWith(
      "One trial cost $0.2500 (candidate) and $0.2500 (baseline).",
    );
  });

  test("whose runs ended the missing trials", async () => {
    const [lost, ...others] = rowsFree("x+++");
    if (!lost) throw new Error("there are four");
    const broken = { ...lost, arms: { a: { ...lost.arms.a, broken: true }, b: lost.arms.b } };
    expect(await statement([broken, ...others])).toContain(
      "1 trial gave no result (failed or interrupted, ended by candidate's run).",
    );
  });

  test("from which trial on another model served", async () => {
    const rows = rowsFree("+++").map((row, place) =>
      place < 2 ? row : { ...row, judge: { ...row.judge, model_served: "j-2" } },
    );
    expect(await statement(rows)).toContain(
      "From trial 3 of S, another model served the judge: the trials are not all comparable.",
    );
  });
});

describe("a suite's statement tells", () => {
  const suite = (letters: readonly string[], planned: Planned = {}) => {
    const scenarios = letters.map((_, place) => `S${place + 1}`);
    let trial = 0;
    const rows = letters.flatMap((given, place) =>
      results(given).map((result, index) => {
        trial += 1;
        return rowOf({ scenario: scenarios[place] ?? "", trial, round: index + 1 }, result);
      }),
    );
    return statement(rows, { scenarios, ...planned });
  };

  test("that a claim is about the mean of these scenarios", async () => {
    const told = await suite(["++++", "+++=", "+-++", "++++", "=+-+"], { ...SURE, stop: "sure" });
    expect(told).toStartWith("candidate was preferred in 16 of 20 trials and baseline in 2 (all by the judge)");
    expect(told).toContain(
      "This is the average over these 5 scenarios; candidate is ahead in 5 of them, baseline in 0. It says nothing about others.",
    );
  });

  test("that single scenarios may differ more than their mean", async () => {
    expect(await suite(["=", "=", "=", "=", "="].map((letter) => letter.repeat(4)))).toContain(
      "With 95% confidence candidate and baseline, on average over these 5 scenarios, differ by less than the margin of 30 points as judged by J. Single scenarios may differ more.",
    );
  });

  test("which scenario gives nothing", async () => {
    expect(await suite(["+-+", "!!!", "c!", "+"], ENDED)).toStartWith(
      "candidate against baseline: no pair of trials counts. No round of these 4 scenarios is complete: no trial of S2 and of 1 other scenario counts.",
    );
  });
});

test.each([
  [19.99, 0.05, "just below 20"],
  [20.01, 0.05, "20.0"],
  [9.99, 0.1, "just below 10"],
  [33.33, 0.05, "33.3"],
  [0.001, 0.05, "below 0.1"],
  [1e40, 0.05, "over 1,000"],
])("evidence of %p at alpha %p reads %p", (e, alpha, text) => {
  expect(evidenceText(e, alpha)).toBe(text);
});
