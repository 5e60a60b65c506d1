import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { Contest, isContest } from "../../src/domain/contest.ts";
import { pairMatrix } from "../../src/domain/contest-bars.ts";
import type { ImportedResults } from "../../src/domain/results.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { wordsText } from "../../src/domain/words.ts";
import { rejectedByRate, rejectedTogether } from "../../src/statistics/contest/holm.ts";
import { KnownPairs, playedPairs } from "../../src/statistics/contest/played.ts";
import { cyclesIn, ranksOf } from "../../src/statistics/contest/ranks.ts";
import {
  advanceContest,
  contestReport,
  contestStanding,
  importedContest,
  pairView,
} from "../../src/statistics/contest.ts";
import { contestAnswerOf, contestLines, contestTable } from "../../src/statistics/contest-words.ts";
import { importedSeries } from "../../src/statistics/report.ts";
import { chanceOf } from "../judge/simulation/pairs.ts";
import { contestRows, contestSeries } from "./contest.ts";

const BESIDE = { stored: [], judge_unaudited: false };
const log = (values: readonly number[]) => values.map(Math.log);

/** By the definition: every set with it has a mean that is enough. */
function byDefinition(evidence: readonly number[], alpha: number): readonly boolean[] {
  return evidence.map((own, place) => {
    const others = evidence.filter((_, other) => other !== place);
    return Array.from({ length: 2 ** others.length }, (_, set) => [
      own,
      ...others.filter((_, bit) => (set >> bit) % 2 === 1),
    ]).every((all) => all.reduce((sum, one) => sum + one, 0) / all.length >= 1 / alpha);
  });
}

test("hypotheses fall together as every set with each of them does", () => {
  const chance = chanceOf(7);
  const next = () => Math.exp(7 * chance() - 1);
  for (let round = 0; round < 500; round += 1) {
    const evidence = Array.from({ length: 1 + (round % 6) }, next);
    expect(rejectedTogether(log(evidence), 0.05)).toEqual([...byDefinition(evidence, 0.05)]);
  }
});

test("a share of false claims needs less than none at all", () => {
  const evidence = log([100, 50, 40, 25, 1]);
  expect(rejectedByRate(evidence, 0.05)).toEqual([true, true, true, true, false]);
  expect(rejectedTogether(evidence, 0.05)).toEqual([true, true, true, false, false]);
  expect(rejectedByRate(log([99, 1, 1, 1, 1]), 0.05)).toEqual([false, false, false, false, false]);
});

test("ranks are what claims leave open, and claims that go round are told", () => {
  const beats = [
    ["a", "b"],
    ["a", "c"],
    ["b", "c"],
  ] as const;
  expect([...ranksOf(["a", "b", "c", "d"], beats)]).toEqual([
    ["a", [1, 2]],
    ["b", [2, 3]],
    ["c", [3, 4]],
    ["d", [1, 4]],
  ]);
  expect(cyclesIn(["a", "b", "c"], beats)).toEqual([]);
  const round = [
    ["a", "b"],
    ["b", "c"],
    ["c", "a"],
  ] as const;
  expect(cyclesIn(["a", "b", "c", "d"], round)).toEqual([["a", "b", "c"]]);
});

/** Of five arms one solves all, one nothing, the others every second task. */
const SOLVES = (arm: string, scenario: string, round: number) =>
  arm === "best" || (arm !== "worst" && (Number(scenario.slice(1)) + round) % 2 === 0);
const NAMES = ["control", "best", "same", "alike", "worst"];
const SCENARIOS = ["S0", "S1", "S2", "S3", "S4"];

test("against a control each candidate is told what holds together with the others", async () => {
  const series = contestSeries({ names: NAMES, scenarios: SCENARIOS, trials: 12 });
  const contest = await contestReport(series, contestRows(series, 12, SOLVES), BESIDE);
  expect([...Value.Errors(Contest, contest)]).toEqual([]);
  expect(contest.gate).toEqual({ control: null, best: "better", same: "not_worse", alike: "not_worse", worst: null });
  expect(contest.gate_reasons).toEqual({
    control: { because: "control", needs: null },
    worst: { because: "worse", needs: null },
  });
  expect(contest.contest.arms.map(({ arm_id, status, claim, rank }) => [arm_id, status, claim, rank])).toEqual([
    ["best", "candidate", "better", [1, 3]],
    ["control", "control", null, [2, 4]],
    ["same", "candidate", "not_worse", [1, 5]],
    ["alike", "candidate", "not_worse", [1, 5]],
    ["worst", "candidate", "worse", [3, 5]],
  ]);
  const { first } = contestLines(contest);
  expect(wordsText(first)).toBe(
    "Against control: best is better; same and alike are not worse by 10 points or more; worst is worse",
  );
});

test("an arm about which enough is known runs no more, and rows that it gives afterwards change nothing", async () => {
  const series = contestSeries({ names: NAMES, scenarios: SCENARIOS, trials: 12 });
  const rows = contestRows(series, 12, SOLVES);
  const standing = await contestStanding(series, rows);
  const at = standing.arms.find(({ arm_id }) => arm_id === "best")?.out_at_round ?? 0;
  expect(standing.arms.map(({ settled }) => settled)).toEqual([false, true, false, false, true]);
  expect(at).toBeGreaterThan(1);
  // Later it would fail always, and its evidence would be gone.
  const later = contestRows(series, 12, (arm, scenario, round) =>
    arm === "best" && round > at ? false : SOLVES(arm, scenario, round),
  );
  expect(await contestStanding(series, later)).toEqual(standing);
  expect(await contestStanding(series, rows.toReversed())).toEqual(standing);
  const left = contestRows(series, 12, SOLVES, (arm, round) => arm !== "best" || round <= at);
  expect(await contestStanding(series, left)).toEqual(standing);
});

test("with keep_running nobody is settled", async () => {
  const series = contestSeries({ names: NAMES, scenarios: SCENARIOS, trials: 12, keep_running: true });
  const { arms } = await contestStanding(series, contestRows(series, 12, SOLVES));
  expect(arms.map(({ settled, out_at_round }) => [settled, out_at_round])).toEqual(NAMES.map(() => [false, null]));
});

test("the best is who is left alone", async () => {
  const series = contestSeries({ names: NAMES, mode: "best", scenarios: SCENARIOS, trials: 12 });
  const contest = await contestReport(series, contestRows(series, 12, SOLVES), BESIDE);
  expect([...Value.Errors(Contest, contest)]).toEqual([]);
  expect(contest.contest.arms.filter(({ status }) => status === "best_set").map(({ arm_id }) => arm_id)).toEqual([
    "best",
  ]);
  expect(contest.gate["best"]).toBe("better");
  expect(wordsText(contestLines(contest).first)).toBe("best is best: each of the other 4 is out");
  expect(contest.contest.arms[0]?.rank).toEqual([1, 1]);
  expect(contestTable(contest).rows[0]?.slice(0, 2)).toEqual(["best", "best"]);
});

test("of many arms the first line names the better ones, and counts the others", async () => {
  const names = ["control", ...Array.from({ length: 10 }, (_, place) => `arm${place}`)];
  const series = contestSeries({ names, scenarios: SCENARIOS, trials: 40, keep_running: true });
  const solves = (arm: string, scenario: string, round: number) =>
    /[0-5]$/.test(arm) || (arm !== "arm9" && SOLVES("same", scenario, round));
  const contest = await contestReport(series, contestRows(series, 40, solves), BESIDE);
  expect(wordsText(contestLines(contest).first)).toBe(
    "Against control: arm0, arm1, arm2, arm3 and 2 more are better; 3 are not worse by 10 points or more; 1 is worse",
  );
});

test("where nobody passes the gate is named, and each pair is seen from either arm", async () => {
  const series = contestSeries({ names: ["x", "y", "z"], mode: "best", scenarios: SCENARIOS, trials: 12 });
  const rows = contestRows(series, 12, (arm, scenario, round) => arm !== "z" && SOLVES("same", scenario, round));
  const matrix = pairMatrix(await contestReport(series, rows, BESIDE));
  expect(matrix.map((cells) => cells.map(({ claim }) => claim))).toEqual([
    [null, null, "better"],
    [null, null, "better"],
    ["worse", "worse", null],
  ]);
  const [x, z] = [matrix[0]?.[2], matrix[2]?.[0]];
  expect(z?.points).toBe(-(x?.points ?? Number.NaN));
  expect(z?.range).toEqual([-(x?.range?.[1] ?? 0), -(x?.range?.[0] ?? 0)]);
  const against = contestSeries({ names: ["x", "y", "z"], scenarios: SCENARIOS, trials: 1 });
  const shut = contestLines(
    await contestReport(
      against,
      contestRows(against, 1, () => true),
      BESIDE,
    ),
  ).lines[0];
  expect(wordsText(shut?.words ?? [])).toMatch(/^The gate stays shut for y, because .*; it stays shut for z, because /);
});

test("two that differ in nothing are both left, and the gate stays shut", async () => {
  const names = ["x", "y", "z"];
  const series = contestSeries({ names, mode: "best", scenarios: SCENARIOS, trials: 12 });
  const solves = (arm: string, scenario: string, round: number) => arm !== "z" && SOLVES("same", scenario, round);
  const contest = await contestReport(series, contestRows(series, 12, solves), BESIDE);
  expect(wordsText(contestLines(contest).first)).toBe("One of these 2 is best: x and y");
  expect(contest.gate).toEqual({ x: null, y: null, z: null });
  expect(contestTable(contest).rows.map(([arm, status, rank]) => [arm, status, rank])).toEqual([
    ["x", "may be best", "1 to 2"],
    ["y", "may be best", "1 to 2"],
    ["z", "out after 4", "3"],
  ]);
});

test("a round that some pair lacks is not looked at", async () => {
  const series = contestSeries({ names: ["x", "y", "z"], mode: "best", scenarios: SCENARIOS, trials: 12 });
  const rows = contestRows(series, 12, SOLVES).filter(({ pair, place }) => pair !== 2 || (place?.round ?? 0) <= 3);
  expect((await contestStanding(series, rows)).rounds).toBe(3);
});

test("a pair is a series of two arms with trials from 1 on", () => {
  const series = contestSeries({ names: NAMES, scenarios: SCENARIOS, trials: 2 });
  const view = pairView(series, contestRows(series, 2, SOLVES), 1);
  expect(view.series.plan.arms).toEqual(["control", "same"]);
  expect(view.series.plan.contest).toBeUndefined();
  expect(view.series.plan.scenarios.map(({ comparison }) => comparison)).toEqual(
    series.plan.contest?.pairs[1]?.comparisons ?? [],
  );
  expect(view.rows.map(({ place }) => place?.trial)).toEqual(view.rows.map((_, index) => index + 1));
});

/** The second arm scores better in each of the rows, the third is level with the first. */
const TABLE: ImportedResults = {
  ...{ measure: "score", tie_margin: 0.05, levels: { alpha: 0.05, margin: 0.15 } },
  arms: { a: "old", b: "new" },
  contest: {
    ...{ arms: ["old", "new", "copy"], mode: "against", control: "old" },
    pairs: [{ arms: ["old", "new"] }, { arms: ["old", "copy"] }],
  },
  scenarios: Array.from({ length: 30 }, (_, row) => ({
    scenario: `row ${row}`,
    trials: [[1, row / 60, row / 60 + 0.25]],
    others: [[row === 7 ? null : row / 60]],
    used: { cost_usd: [[0.5, 0.25]] },
    used_by_others: { cost_usd: [[0.75]] },
  })),
};

test("a table of three arms is a contest, whose pairs are the tables of two", async () => {
  const known = { series_id: `results-${"0".repeat(64)}` };
  const { contest: plan, ...table } = TABLE;
  if (!plan) throw new Error("the table has no contest");
  const contest = await importedContest(TABLE, plan, known);
  expect([...Value.Errors(Contest, contest)]).toEqual([]);
  expect(isContest(contest)).toBe(true);
  const two = { ...table, scenarios: table.scenarios.map(({ others: _, used_by_others: __, ...row }) => row) };
  const alone = await importedSeries(two, known);
  const [best] = contest.contest.arms;
  expect(best?.arm_id).toBe("new");
  expect(best?.result).toEqual(alone.result);
  expect(contest.gate).toEqual({ old: null, new: "better", copy: null });
  expect(contest.contest.arms.map(({ arm_id, cost }) => [arm_id, cost])).toEqual([
    ["new", { mean: 0.25, total: null }],
    ["old", { mean: 0.5, total: null }],
    ["copy", { mean: 0.75, total: null }],
  ]);
  expect(contest.trials[7]?.results).toEqual({ old: 7 / 60, new: 7 / 60 + 0.25, copy: null });
  expect(contestAnswerOf(contest)).toBe("better");
  expect(contestTable(contest).rows.map(([arm, answer, , value]) => [arm, answer, value])).toEqual([
    ["new", "better", ".492"],
    ["old", "control", ".242"],
    ["copy", "not known yet", ".246"],
  ]);
});

test("what is lost of a round is tried again when the round is over, and not within it", async () => {
  const series = contestSeries({ names: ["control", "one", "two"], trials: 3, scenarios: ["s"] });
  const limits = { ...series.limits, trials: 3, parallel: 2, stop_when_sure: false };
  const [failed, going] = contestRows(series, 1, () => true).map(
    (row, place): TrialRow => ({
      ...{ ...row, outcome: null, winner_side: null },
      state: place === 0 ? "failed" : "judging",
    }),
  );
  if (!failed || !going) throw new Error("a round has two pairs");
  const startedOf = async (rows: readonly TrialRow[]) => {
    const running = { ...series, limits, stop: null };
    const { start } = await advanceContest(running, rows, { spent_usd: 0, estimate_usd: 0 });
    return start.map(({ round, pair }) => [round, pair]);
  };
  expect(await startedOf([failed, going])).toEqual([
    [2, 0],
    [2, 1],
  ]);
  expect((await startedOf([failed, { ...going, state: "completed", outcome: "tie" }]))[0]).toEqual([1, 0]);
});

test("a run of the control that a retry shows again costs once", async () => {
  const series = contestSeries({ names: ["control", "one", "two"], trials: 3, scenarios: ["s"] });
  const paid = contestRows(series, 3, () => true).map((row) => ({
    ...row,
    arms: { a: { ...row.arms.a, cost_usd: 1 }, b: { ...row.arms.b, cost_usd: 1 } },
  }));
  const [first] = paid;
  if (!first) throw new Error("there are rows");
  const lost = { ...first, state: "failed" as const, outcome: null, winner_side: null };
  const again = {
    ...first,
    session_id: "session-again-20260102T030405000Z",
    place: first.place && { ...first.place, trial: 99 },
    stored_runs: { a: first.session_id },
  };
  const shown = paid.map((row) => {
    const ran = paid.find((one) => one.pair === 0 && one.place?.round === row.place?.round)?.session_id;
    return row.pair === 1 && ran !== undefined ? { ...row, stored_runs: { a: ran } } : row;
  });
  const { contest } = await contestReport(series, [lost, ...shown.slice(1), again], BESIDE);
  expect(contest.arms.find(({ arm_id }) => arm_id === "control")?.cost.total).toBe(3);
});

test("a pair whose rows are the same is not looked at again, and one that moved is", async () => {
  const series = contestSeries({ names: ["x", "y", "z"], mode: "best", scenarios: SCENARIOS, trials: 12 });
  const rows = contestRows(series, 12, SOLVES);
  const known = new KnownPairs();
  const first = await playedPairs(series, rows, { known });
  const again = await playedPairs(series, [...rows], { known });
  expect(again.every((pair, place) => pair === first[place])).toBe(true);
  const fewer = rows.filter((row) => row !== rows.findLast(({ pair }) => pair === 1));
  const moved = await playedPairs(series, fewer, { known });
  expect(moved.map((pair, place) => pair === first[place])).toEqual([true, false, true]);
  expect(moved[1]?.findings.rows).toHaveLength((first[1]?.findings.rows.length ?? 0) - 1);
});
