import { describe, expect, test } from "bun:test";
import type { ImportedResults } from "../../src/domain/results.ts";
import { wordsText } from "../../src/domain/words.ts";
import { claimedSide } from "../../src/statistics/claim/conclusion.ts";
import { countsOfMeans, logEvidence, wagersAgainst } from "../../src/statistics/claim/e-process.ts";
import { findingsOf } from "../../src/statistics/claim/findings.ts";
import { winRateRange } from "../../src/statistics/claim/interval.ts";
import { MeanProcess } from "../../src/statistics/claim/mean-process.ts";
import { openingOf } from "../../src/statistics/claim/opening.ts";
import { NOW } from "../../src/statistics/claim/rules.ts";
import { importedSeries } from "../../src/statistics/report.ts";
import { sixLines } from "../../src/statistics/six-lines.ts";
import { plannedSubject } from "../../src/statistics/words/subject.ts";
import { type Result, rowOf, seriesOf } from "./series.ts";

const ROUNDS = [
  [0.5, -0.25, 1],
  [0, 0.75, -0.5],
  [1, 1 / 3, 0.2],
  [0.9, -0.1, 0.6],
];
const BARE = { ...NOW, fresh: 1, clustered: true };

describe("the evidence of clusters", () => {
  test("is that of bets on their means that predict nothing", () => {
    const counts = countsOfMeans(ROUNDS.flat());
    const process = new MeanProcess(
      3,
      ROUNDS.map((round) => round.map((d, place) => ({ place, d }))),
      false,
    );
    for (const mean of [-0.9, -0.1, 0, 0.4]) {
      const told = logEvidence(counts, wagersAgainst(mean, BARE), BARE);
      const known = process.logEvidence(mean);
      for (const side of ["a", "b", "both"] as const) expect(told[side]).toBeCloseTo(known[side], 12);
    }
    // Computed apart from this code.
    const { a, b, both } = logEvidence(counts, undefined, BARE);
    expect([a, b, both].map((log) => log.toFixed(6))).toEqual(["1.903020", "-2.111688", "1.227761"]);
    const { low, high } = winRateRange(counts, 0.05, BARE);
    expect([2 * low - 1, 2 * high - 1].map((end) => end.toFixed(6))).toEqual(["-0.203782", "0.762702"]);
  });

  test("says as much however often the rows of a cluster are pasted", async () => {
    const once = await importedSeries(pasted(1), KNOWN);
    const often = await importedSeries(pasted(10), KNOWN);
    expect(often.headline.e).toBeCloseTo(once.headline.e, 9);
    expect(often.result).toEqual({
      ...{ measure: "solved", candidate: "candidate", control: "baseline" },
      value: { candidate: expect.closeTo(0.6, 12), control: expect.closeTo(0.35, 12) },
      ...{ difference: expect.closeTo(0.25, 12), low: expect.any(Number), high: expect.any(Number) },
      ...{ n: 20, ahead: 8, behind: 3, clusters: { field: "question", count: 20 } },
    });
    expect(often.headline.claim).toBeNull();
    const { cluster: _, ...apart } = pasted(10);
    expect((await importedSeries(apart, KNOWN)).headline.e).toBeGreaterThan(1_000);
  });

  test("of rows that disagree is the mean of each round", () => {
    const { sequential } = findingsOf(plannedSubject(PLANNED), rowsOf(["aab", "a-b", "-bb"]));
    const means = [(1 + 1) / 2, -1, (1 + 0) / 2, -1, (0 - 1) / 2, -1];
    expect(sequential.log_e.at(-1)).toBeCloseTo(logEvidence(countsOfMeans(means), undefined, RULES).both, 12);
    expect(sequential.counts).toEqual({ wins: 3, ties: 2, losses: 4 });
  });

  test("claims, and opens a gate, with clusters that all point to one arm", () => {
    const subject = plannedSubject(PLANNED);
    const until = (rounds: number) => findingsOf(subject, rowsOf(Array.from({ length: rounds }, () => "aaa")));
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
    const isClaim = (means: number) =>
      claimedSide(countsOfMeans(Array.from({ length: means }, () => 1)), {
        alpha: 0.05,
        ...(RULES && { rules: RULES }),
      });
    // Two clusters a round.
    const rounds = Math.ceil((numbers.find((means) => isClaim(means) === "a") ?? 0) / 2);
    expect(numbers.find((number) => until(number).conclusion === "a_preferred")).toBe(rounds);
    expect(openingOf(until(rounds), "a")).toBe("better");
    expect(openingOf(until(rounds), "b")).toBe("worse");
  });

  test("has its words, and no forecast that counts whole trials", async () => {
    const series = await importedSeries(pasted(10), KNOWN);
    const { first, lines } = sixLines(series);
    expect(wordsText(first)).toStartWith(
      "candidate solved 60% on average, baseline 35% in 20 clusters of `question`: 25 points more",
    );
    expect(lines.map(({ label, words }) => `${label} ${wordsText(words)}`)).toEqual(
      expect.arrayContaining([
        "Next Add rows with other values of `question` to the table, and read it again.",
        expect.stringContaining("For These 20 clusters of `question`, 1 trial of each."),
      ]),
    );
    expect(series.forecast).toMatchObject({ chance_of_claim: null, more_trials: null, unknown_because: "clusters" });
    expect(series.gate_reasons?.["candidate"]).toEqual({ because: "few_pairs", needs: null });
    expect(series.statement).toContain("This is the average over these 20 clusters of `question`");
  });

  test("of scores speaks of the mean score of a cluster", async () => {
    const series = await importedSeries(scored(), KNOWN);
    expect(series.result).toMatchObject({
      value: { candidate: expect.closeTo(0.7, 12), control: expect.closeTo(0.5, 12) },
      ...{ difference: expect.closeTo(0.2, 12), n: 30, ahead: 30, behind: 0 },
    });
    expect(series.gate).toEqual({ candidate: "better", baseline: null });
  });
});

const KNOWN = { series_id: `results-${"0".repeat(64)}` };
const TABLE = {
  ...{ arms: { a: "candidate", b: "baseline" }, tie_margin: 0.05 },
  levels: { alpha: 0.05, margin: 0.15 },
} as const;

/** 20 questions, each so often: of 8 the candidate alone solves them, of 3 the baseline, of 4 both. */
function pasted(copies: number): ImportedResults {
  const results = Array.from({ length: 20 }, (_, question): [number, number] => {
    if (question < 8) return [1, 0];
    return question < 11 ? [0, 1] : question < 15 ? [1, 1] : [0, 0];
  });
  const scenarios = results.flatMap(([a, b], question) =>
    Array.from({ length: copies }, (_, copy) => ({
      scenario: `q${question}-${copy}`,
      trials: [[1, a, b]] as [number, number, number][],
    })),
  );
  const of_row = scenarios.map((_, index) => Math.floor(index / copies));
  return { ...TABLE, measure: "passed", scenarios, cluster: { field: "question", of_row } };
}

/** 30 clusters of a row that is better by .3 and one that is better by .1. */
function scored(): ImportedResults {
  const scenarios = Array.from({ length: 60 }, (_, index) => ({
    scenario: `row ${index}`,
    trials: [[1, index % 2 === 0 ? 0.9 : 0.5, index % 2 === 0 ? 0.6 : 0.4]] as [number, number, number][],
  }));
  const of_row = scenarios.map((_, index) => Math.floor(index / 2));
  return { ...TABLE, measure: "score", scenarios, cluster: { field: "topic", of_row } };
}

const PLANNED = seriesOf({ scenarios: ["S", "T", "U"], cluster: { field: "topic", of_row: [0, 0, 1] } });
const RULES = plannedSubject(PLANNED).levels.rules;
const RESULTS: Readonly<Record<string, Result>> = { a: "a", b: "b", "-": "tie" };

/** A text for each round, with a letter for each scenario. */
const rowsOf = (rounds: readonly string[]) =>
  rounds.flatMap((round, index) =>
    [...round].map((letter, place) =>
      rowOf(
        { trial: 3 * index + place + 1, round: index + 1, scenario: ["S", "T", "U"][place] ?? "" },
        RESULTS[letter] ?? "tie",
      ),
    ),
  );

test("a table whose names differ in case and blanks alone says that rows repeat, unless they are one cluster", async () => {
  const table = pasted(1);
  const [first, ...others] = table.scenarios;
  if (!first) throw new Error("there are twenty");
  const { cluster: _, ...apart } = table;
  const twice = [{ ...first, scenario: "Task one" }, { ...first, scenario: "task  ONE" }, ...others];
  const of_row = [0, ...twice.slice(1).map((_, index) => index)];
  const flagsOf = async (results: ImportedResults) => (await importedSeries(results, KNOWN)).flags;
  expect(await flagsOf(apart)).not.toContain("rows_repeat");
  expect(await flagsOf({ ...apart, scenarios: twice })).toContain("rows_repeat");
  expect(await flagsOf({ ...apart, scenarios: twice, cluster: { field: "question", of_row } })).not.toContain(
    "rows_repeat",
  );
});
