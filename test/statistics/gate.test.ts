import { expect, test } from "bun:test";
import type { Levels } from "../../src/statistics/claim/conclusion.ts";
import { logEvidence, wagersAgainst, withRest } from "../../src/statistics/claim/e-process.ts";
import { leastEqualPairs, showsNotWorse } from "../../src/statistics/claim/not-worse.ts";
import { NOW } from "../../src/statistics/claim/rules.ts";
import { importedSeries, reportOf } from "../../src/statistics/report.ts";
import { chanceOf } from "../judge/simulation/pairs.ts";
import { type Planned, results, rowsOf, seriesOf } from "./series.ts";

const CERTAIN = { undecided: 0, missing: 0 };

const gateOf = async (letters: string, planned: Planned = {}) => {
  const { gate, gate_reasons } = await reportOf(seriesOf({ trials: 400, ...planned }), rowsOf(results(letters)), {
    stored: [],
    judge_unaudited: false,
  });
  return {
    gate,
    because: Object.fromEntries(Object.entries(gate_reasons ?? {}).map(([arm, why]) => [arm, why.because])),
  };
};

const LEVELS = { alpha: 0.05, margin: 0.15 };

test("Equality alone opens a gate for both arms, and only from enough pairs on", async () => {
  const least = leastEqualPairs({ ...LEVELS, not_worse_by: 0.3 });
  expect(await gateOf("=".repeat(least - 1))).toEqual({
    gate: { candidate: null, baseline: null },
    because: { candidate: "few_pairs", baseline: "few_pairs" },
  });
  expect(await gateOf("=".repeat(least))).toEqual({
    gate: { candidate: "not_worse", baseline: "not_worse" },
    because: {},
  });
});

test("A shut gate says how many pairs equal arms need: with so many, half of such series open it", async () => {
  const needsOf = async (letters: string, planned: Planned = {}) => {
    const beside = { stored: [], judge_unaudited: false };
    const { gate_reasons } = await reportOf(seriesOf({ trials: 400, ...planned }), rowsOf(results(letters)), beside);
    return gate_reasons?.["candidate"]?.needs;
  };
  const few = "+===-====+====-=====";
  const needs = (await needsOf(few, { not_worse_by: 0.2 })) ?? 0;
  const levels = { ...LEVELS, not_worse_by: 0.2 };
  const chance = chanceOf(7);
  const open = Array.from({ length: 250 }).filter(() => opensWithin(needs, levels, chance)).length;
  expect(needs).toBeGreaterThan(leastEqualPairs(levels));
  expect(Math.abs(open / 250 - 0.5)).toBeLessThan(0.09);
  expect(await needsOf("~".repeat(20))).toBeNull();
});

/** Of equal arms that win a tenth each. */
function opensWithin(pairs: number, levels: Levels, chance: () => number): boolean {
  const counts = { wins: 0, ties: 0, losses: 0 };
  for (let pair = 1; pair <= pairs; pair += 1) {
    const drawn = chance();
    counts[drawn < 0.1 ? "wins" : drawn < 0.2 ? "losses" : "ties"] += 1;
    if (pair > 20 && showsNotWorse("a", CERTAIN, levels)(counts)) return true;
  }
  return false;
}

test("An arm that is better is told so, and the other one is worse", async () => {
  expect(await gateOf("+".repeat(12))).toEqual({
    gate: { candidate: "better", baseline: null },
    because: { baseline: "worse" },
  });
});

test("No difference above the margin opens no gate", async () => {
  const told = await gateOf("=".repeat(40), { margin: 0.45, not_worse_by: 0.05 });
  expect(told).toMatchObject({ gate: { candidate: null, baseline: null }, because: { candidate: "few_pairs" } });
});

test("A claim that lapsed opens no gate and says so", async () => {
  expect(await gateOf(`${"+".repeat(10)}${"-".repeat(11)}`)).toMatchObject({
    gate: { candidate: null },
    because: { candidate: "lapsed" },
  });
});

test("A judge that cannot decide shows nothing, however often it is asked", async () => {
  const told = await gateOf("~".repeat(100));
  expect(told).toMatchObject({ gate: { candidate: null, baseline: null }, because: { candidate: "not_shown" } });
});

test("Missing trials count against the arm", async () => {
  expect((await gateOf("x".repeat(12) + "=".repeat(20))).gate).toEqual({ candidate: null, baseline: null });
});

test("Where neither arm ever solves anything, nothing opens", async () => {
  const rows = rowsOf(results("=".repeat(60))).map((row) => ({
    ...row,
    arms: { a: { ...row.arms.a, solved: false }, b: { ...row.arms.b, solved: false } },
  }));
  const { gate, gate_reasons } = await reportOf(seriesOf({ trials: 60 }), rows, { stored: [], judge_unaudited: false });
  expect(gate).toEqual({ candidate: null, baseline: null });
  expect(gate_reasons?.["candidate"]?.because).toBe("nothing_solved");
});

test("An arm that is not worse by less is not worse by more", () => {
  for (let losses = 0; losses <= 12; losses += 1) {
    const counts = { wins: 4, ties: 50, losses };
    const shown = [0.05, 0.1, 0.2, 0.3].map((not_worse_by) =>
      showsNotWorse("a", CERTAIN, { ...LEVELS, not_worse_by })(counts),
    );
    expect(shown).toEqual([...shown].sort());
  }
});

test("What shows it is the one-sided wealth on the scale of all evidence", () => {
  const counts = { wins: 5, ties: 60, losses: 5 };
  const e = Math.exp(withRest(logEvidence(counts, wagersAgainst(-0.1)).a, NOW.fresh));
  expect(showsNotWorse("a", CERTAIN, { ...LEVELS, not_worse_by: 0.1 })(counts)).toBe(e >= 20);
});

test("A mean score that is lower is never better, whatever the signs say", async () => {
  const pairs = Array.from({ length: 100 }, (_, row) => (row < 80 ? ([0.62, 0.6] as const) : ([0, 0.9] as const)));
  const told = await importedSeries(
    {
      ...{ measure: "score", tie_margin: 0, arms: { a: "new", b: "old" }, levels: LEVELS },
      scenarios: pairs.map(([a, b], row) => ({
        scenario: `row ${row}`,
        trials: [[1, a, b]] as [number, number, number][],
      })),
    },
    { series_id: `results-${"0".repeat(64)}` },
  );
  expect(told.conclusion).toBe("a_preferred");
  expect(told.gate).toEqual({ new: null, old: "not_worse" });
  expect(told.gate_reasons?.["new"]?.because).toBe("means_disagree");
});
