import { expect, test } from "bun:test";
import fc from "fast-check";
import { percentText } from "../../src/domain/number-text.ts";
import type { Series } from "../../src/domain/series.ts";
import { preferredSide, statusWords } from "../../src/domain/series-status.ts";
import { type Words, wordsText } from "../../src/domain/words.ts";
import { evidenceText, limitText } from "../../src/statistics/figure-text.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { aheadWords, outlookWords, wonText } from "../../src/statistics/series-words.ts";
import { GENERATED } from "./generated.ts";

const NAMES = { a: "candidate", b: "baseline" };

const armsIn = (words: Words) => words.flatMap((word) => (typeof word === "object" && "arm" in word ? word.arm : []));

test("each sentence about a series is true of the fields beside it: figures, arms, direction and what is sure", async () => {
  await fc.assert(
    fc.asyncProperty(GENERATED, async ({ series: record, rows }) => {
      const series = await reportOf(record, rows, { stored: [], judge_unaudited: false });
      statusIsTrue(series);
      outlookIsTrue(series);
      statementIsTrue(series);
    }),
    { numRuns: 60 },
  );
});

function statusIsTrue(series: Series): void {
  const words = statusWords(series, NAMES);
  const side = preferredSide(series.conclusion);
  expect(armsIn(words)).toEqual(side ? [side] : []);
  expect(wordsText(words).includes("is preferred")).toBe(side !== undefined);
}

function outlookIsTrue(series: Series): void {
  const { trials_left, chance_of_claim, chance_of_conclusion, more_trials, cost_usd } = series.forecast;
  const text = outlookWords(series).map(wordsText).join(" ");
  const isOpen = series.conclusion === "undecided";
  if (trials_left) expect(text).toContain(`The plan has ${trials_left} trial`);
  if (trials_left === 0) expect(text).toContain("no trial left");
  expect(/about (\d+) more would be enough/.exec(text)?.[1]).toBe(isOpen ? more_trials?.toString() : undefined);
  const hasChances = isOpen && series.limits !== null && trials_left !== null && chance_of_claim !== null;
  if (hasChances && chance_of_conclusion !== null)
    expect(text).toContain(
      `The chance of a claim in them is ${percentText(chance_of_claim)}, of any conclusion ${percentText(chance_of_conclusion)}.`,
    );
  else expect(text).not.toContain("chance");
  expect(text.includes("for about $")).toBe(isOpen && more_trials !== null && Boolean(cost_usd));
}

/** The statement names the evidence, the limit and the end of the report it stands in. */
function statementIsTrue({ statement, conclusion, counts, headline, levels, stop, state, arms }: Series): void {
  const ahead = counts.wins > counts.losses ? arms.a.arm_id : arms.b.arm_id;
  const isEven = counts.wins === counts.losses;
  const side = preferredSide(conclusion);
  const said: readonly (readonly [sentence: RegExp, value: string | undefined])[] = [
    [/A preference for (\w+) was established/, side && arms[side].arm_id],
    [/preferred (\w+) in/, isEven ? undefined : ahead],
    [/Evidence ([^(]+) \(/, evidenceText(headline.e, levels.alpha)],
    [/\(([\d.]+) needed\)\./, limitText(levels.alpha)],
    [/(Still running)/, state === "running" && stop === null ? "Still running" : ""],
    [/(Cancelled) after/, stop === "cancelled" ? "Cancelled" : ""],
    [/(no preference can be stated)/, conclusion === "undecided" ? "no preference can be stated" : ""],
  ];
  for (const [sentence, value] of said) {
    const found = sentence.exec(statement)?.[1];
    if (found !== undefined && value !== undefined) expect(found).toBe(value);
  }
}

test("in how many rows each arm is ahead is counted, and all of them are told of", () => {
  fc.assert(
    fc.property(fc.record({ a: fc.nat(9), b: fc.nat(9), even: fc.nat(9), none: fc.nat(9) }), (ahead) => {
      expect(armsIn(aheadWords(ahead, NAMES))).toEqual(["a", "b"]);
      const numbers = [...wordsText(aheadWords(ahead, NAMES)).matchAll(/\d+/g)].map(Number);
      const { a, b, even, none } = ahead;
      expect(numbers).toEqual([a + b + even + none, a, b, ...[even, none].filter((count) => count > 0)]);
    }),
  );
  expect(wonText({ wins: 3, ties: 2, losses: 1 }, NAMES)).toBe("candidate won 3, baseline 1, no winner 2");
});
