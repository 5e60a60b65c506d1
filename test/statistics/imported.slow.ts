import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import type { ImportedResults } from "../../src/domain/results.ts";
import { Series } from "../../src/domain/series.ts";
import { seriesMarkdown } from "../../src/doors/report/markdown.ts";
import { seriesHtml } from "../../src/doors/report/series-html.ts";
import { importedSeries, reportOf } from "../../src/statistics/report.ts";
import { BARRED } from "../barred-words.ts";
import { results as resultsOfLetters, rowsOf, seriesOf } from "./series.ts";

type Trials = ImportedResults["scenarios"][number]["trials"];

/** `+`: a passed and b did not. `-`: the other way round. `=`: both did. `x`, `y`, `?`: a, b, both have no result. */
const RESULTS: Readonly<Record<string, readonly [number | null, number | null]>> = {
  ...{ "+": [1, 0], "-": [0, 1], "=": [1, 1], x: [null, 1], y: [0, null], "?": [null, null] },
};

const trialsOf = (letters: string): Trials =>
  [...letters].map((letter, index) => [index + 1, ...(RESULTS[letter] ?? [0, 0])] as Trials[number]); // a pair of results

const importedOf = (scenarios: Readonly<Record<string, string>>): ImportedResults => ({
  ...{ measure: "passed", tie_margin: 0.05, arms: { a: "new", b: "old" }, levels: { alpha: 0.05, margin: 0.15 } },
  scenarios: Object.entries(scenarios).map(([scenario, letters]) => ({ scenario, trials: trialsOf(letters) })),
});

const ID = { series_id: `results-${"0".repeat(64)}` };

const told = (scenarios: Readonly<Record<string, string>>) => importedSeries(importedOf(scenarios), ID);

describe("imported results", () => {
  test("give what a planned series of the same wins, ties and losses gives, and say that nobody saw the runs", async () => {
    const letters = "++=++-+=++=+++++";
    const planned = await reportOf(seriesOf({ trials: 16, state: "completed" }), rowsOf(resultsOfLetters(letters)), {
      ...{ stored: [], judge_unaudited: false },
    });
    const series = await told({ S: letters });
    expect({ ...series.headline, counts: series.counts }).toEqual({ ...planned.headline, counts: planned.counts });
    expect(series.conclusion).toBe(planned.conclusion);
    expect(series).toMatchObject({
      ...{
        kind: "results",
        judge: { model: null },
        flags: ["few_tasks", "results_imported"],
        plan: null,
        limits: null,
      },
      arms: { a: { arm_id: "new", wall_ms_median: null, solved: { solved: 15, trials: 16 } } },
    });
    expect(series.statement).toStartWith("new solved 15 of 16, old 4 of 16: 69 points more (");
    expect(series.statement).toContain("abeval saw none of the runs");
    expect(series.trials[5]).toMatchObject({ trial: 6, results: { a: 0, b: 1 }, winner_side: "b" });
    expect(series.trials[5]).not.toHaveProperty("session_id");
  });

  test("of any table are what the interface promises, in every report", async () => {
    const letters = fc.string({ unit: fc.constantFrom("+", "-", "=", "x", "y", "?"), minLength: 1, maxLength: 12 });
    const table = fc.dictionary(fc.stringMatching(/^[a-h]{1,8}$/), letters, { minKeys: 1, maxKeys: 6 });
    const whole = table.filter((all) => Object.values(all).some((one) => /[+\-=]/.test(one)));
    await fc.assert(
      fc.asyncProperty(whole, async (scenarios) => {
        const series = await told(scenarios);
        expect([...Value.Errors(Series, series)].map(({ path, message }) => `${path}: ${message}`)).toEqual([]);
        expect(series.statement).not.toMatch(BARRED);
        expect(series.statement).not.toMatch(/undefined|NaN|null|\$\{| {2}|\.\.|judge|\b1 (trials|scenarios)\b/i);
        const { wins, ties, losses, trials, held } = series.counts;
        expect(wins + ties + losses).toBe(trials);
        const copies = series.trials.filter(({ copy, results }) => copy && results?.a !== null && results?.b !== null);
        expect(trials + held + copies.length).toBe(
          [...Object.values(scenarios).join("")].filter((one) => "+-=".includes(one)).length,
        );
        expect((await seriesHtml(series)) + seriesMarkdown(series)).not.toMatch(/undefined|NaN|>null</);
      }),
      { numRuns: 100 },
    );
  });

  test("a missing result counts against whoever is ahead", async () => {
    expect((await told({ S: "=+++++++++" })).conclusion).toBe("a_preferred");
    const lacking = await told({ S: "x=+++++++++" });
    expect(lacking.undecided_by).toBe("missing_trials");
    expect(lacking.missing_by).toEqual({ a: 1, b: 0, both: 0, judge: 0 });
    expect(lacking.statement).toContain("In 1 trial a result is missing (1 of new).");
    expect(lacking.statement).toContain("it would not stand if the 1 missing trial had gone to old");
    // It is not worse even so: a lost trial of it would not undo that.
    expect(lacking.gate).toEqual({ new: "not_worse", old: null });
    // What comes after a claim cannot take it back: it was made without it.
    expect((await told({ S: "=+++++++++y" })).conclusion).toBe("a_preferred");
    expect((await told({ S: "x=+++++++++++" })).conclusion).toBe("a_preferred");
  });

  test("a trial that lacks a result leaves the others of its round, and of its scenario, in the average", async () => {
    const series = await told({ one: "+x+", two: "+++", three: "+=+" });
    expect(series.rounds).toBe(3);
    expect(series.counts).toMatchObject({ trials: 8, wins: 7, ties: 1, failed: 1, held: 0 });
    expect(series.trials.map(({ scenario, round, counted }) => `${scenario} ${round} ${counted}`).slice(3, 6)).toEqual([
      ...["one 2 false", "two 2 true", "three 2 true"],
    ]);
  });

  test("a scenario that one arm never ran is given up: rounds are complete without it, and it is missing in each", async () => {
    const nine = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`s${index}`, "+"]));
    expect((await told(nine)).conclusion).toBe("a_preferred");
    const series = await told({ ...nine, never: "y" });
    expect(series).toMatchObject({ rounds: 1, conclusion: "undecided", undecided_by: "missing_trials" });
    expect(series.scenarios.map(({ given_up }) => given_up).slice(-2)).toEqual([undefined, true]);
    expect(series.statement).toContain("1 scenario without a pair of results (never) is left out of the average.");
    const more = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`s${index}`, "+"]));
    expect((await told({ ...more, never: "y" })).conclusion).toBe("a_preferred");
    // It was never run, but a round of it is missing all the same.
    const rounds = Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`s${index}`, "+++"]));
    const [missing, none] = [await told({ ...rounds, never: "y" }), await told({ ...rounds, never: "?" })];
    expect(missing.headline.worst_case_e).toBeLessThan(none.headline.e);
  });

  test("no scenario counts more often than another", async () => {
    const series = await told({ short: "--", long: "++=+++++++++" });
    expect(series.counts).toMatchObject({ trials: 4, wins: 2, losses: 2, held: 10 });
    expect(series.statement).toContain("10 trials beyond 2 rounds are not used: some scenario has no more trials");
  });

  test("of scores any difference counts, and those that differ by the margin or less are told as level", async () => {
    const trials = [
      [1, 0.8, 0.75],
      [2, 0.8, 0.74],
      [3, 0.3, 0.1 + 0.2],
      [4, 0, 1],
    ] as Trials;
    const series = await importedSeries(
      { ...importedOf({}), measure: "score", scenarios: [{ scenario: "S", trials }] },
      ID,
    );
    expect(series.counts).toMatchObject({ wins: 2, ties: 1, losses: 1 });
    expect(series.result).toMatchObject({ n: 4, ahead: 1, behind: 1 });
    expect(series.arms.a).toMatchObject({ solved: null });
    expect(series.arms.a.mean_score).toBeCloseTo(0.475);
    expect(seriesMarkdown(series)).toContain("| mean score | 0.475 | 0.698 |");
  });
});
