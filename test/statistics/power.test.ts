import { describe, expect, test } from "bun:test";
import { powerOf, seriesEstimate } from "../../src/statistics/power.ts";
import { pageNamed, tableBelow } from "../docs/pages.ts";
import { contestRates } from "./contests.ts";
import { exactly } from "./exact.ts";
import { gateRates } from "./gates.ts";

describe("what a plan promises", () => {
  test.each([
    [1, 0.9, 0],
    [9, 0.9, 0.2],
    [30, 0.8, 0.2],
    [30, 0.5, 0],
    [47, 0.6, 0.3],
  ])(
    "with %p trials, %p of the decided ones won and %p without a winner, is what all sequentials come to",
    async (trials, win, tie) => {
      const { a, b, trials: mean } = exactly(trials, win, tie);
      const { chance, wrong, mean_trials } = await powerOf(trials, { win, tie });
      expect(chance).toBeCloseTo(a, 9);
      expect(wrong).toBeCloseTo(b, 9);
      expect(mean_trials).toBeCloseTo(mean, 9);
    },
  );

  test("is what the table of docs/series.md says", async () => {
    const rows = tableBelow(await pageNamed("docs/series.md"), "number of trials in brackets");
    expect(rows.length).toBeGreaterThan(3);
    for (const [told = "", ...cells] of rows) {
      const trials = Number(told);
      const ahead: string[] = [];
      for (const win of [0.6, 0.7, 0.8, 0.9]) {
        const { chance, mean_trials } = await powerOf(trials, { win, tie: 0.2 });
        ahead.push(`${percent(chance)} (${mean_trials.toFixed(1)})`);
      }
      const { chance, wrong } = await powerOf(trials, { win: 0.5, tie: 0.2 });
      expect([trials, ...cells]).toEqual([trials, ...ahead, `${(100 * (chance + wrong)).toFixed(1)}%`]);
    }
  });
});

/** With a digit more where a whole number would say 100 and it is not. */
function percent(chance: number): string {
  const whole = (100 * chance).toFixed(0);
  return whole === "100" && chance < 0.9995 ? `${(100 * chance).toFixed(1)}%` : `${whole}%`;
}

test("an estimate is that of one run times the trials; unknown stays unknown", async () => {
  const one = { low_usd: 0.1, high_usd: null, low_tokens: 10, high_tokens: 20, note: "" };
  const { trials, low_usd, high_usd, chances } = await seriesEstimate([one], 30);
  expect({ trials, low_usd, high_usd }).toEqual({ trials: 30, low_usd: 3, high_usd: null });
  expect(chances.map(({ win_share }) => win_share)).toEqual([0.7, 0.8, 0.9]);
});

test("an estimate counts the rows of a table and all files, in money and in chances", async () => {
  const one = { low_usd: 0.1, high_usd: 0.5, low_tokens: 10, high_tokens: 20, note: "", measure: "solved" as const };
  const table = { ...one, rows: 9 };
  const alone = await seriesEstimate([one], 40);
  const both = await seriesEstimate([one, table], 4);
  expect(both).toMatchObject({ trials: 40, members: 10, chances: alone.chances });
  expect([both.likely_usd, both.bound_usd]).toEqual([expect.closeTo(4, 9), expect.closeTo(20, 9)]);
  expect(both.chance_better).toBe(alone.chances[1]?.chance_of_claim ?? 0);
  expect((await seriesEstimate([{ ...table, rows: 2_000 }], 30)).chance_better).toBeCloseTo(1, 3);
});

test("in clusters chances are those of as many rows as there are clusters, and money is that of all rows", async () => {
  const table = { low_usd: 0.1, high_usd: 0.5, low_tokens: 10, high_tokens: 20, note: "", rows: 40 };
  const { trials, clusters, likely_usd, ...together } = await seriesEstimate([table], 3, { clusters: 10 });
  expect([trials, clusters, likely_usd]).toEqual([120, 10, expect.closeTo(12, 9)]);
  const few = await seriesEstimate([{ ...table, rows: 10 }], 3);
  expect(together).toMatchObject({ chances: few.chances, chance_equal_passes: few.chance_equal_passes });
});

test("what was asked for changes the chance that equal arms pass", async () => {
  const one = { low_usd: 0, high_usd: 0, low_tokens: 0, high_tokens: 0, note: "", measure: "solved" as const };
  const passing = async (asked: Parameters<typeof seriesEstimate>[2]) =>
    (await seriesEstimate([one], 60, asked)).chance_equal_passes ?? 0;
  expect(await passing({ not_worse_by: 0.2 })).toBeGreaterThan(await passing({}));
  expect(await passing({ measure: "preferred" })).not.toBe(await passing({}));
});

test("a plan says how often a candidate that is equal passes its gate, as simulated series do", async () => {
  const one = { low_usd: 0, high_usd: 0, low_tokens: 0, high_tokens: 0, note: "", measure: "solved" as const };
  const passing = async (trials: number, rows: number) =>
    (await seriesEstimate([{ ...one, rows }], trials)).chance_equal_passes ?? 0;
  const simulated = (trials: number, scenarios: number) =>
    gateRates({ scenarios, trials, control: 0.9, candidate: 0.9, not_worse_by: 0.1 }, { repetitions: 100, seed: 1 });
  expect(Math.abs((await passing(30, 3)) - simulated(30, 3).passes)).toBeLessThan(0.15);
  expect(await passing(20, 1)).toBeLessThan(await passing(100, 1));
});

test("of a contest each arm is told for itself, and chances are those that hold whatever the others show", async () => {
  const spent = (usd: number) => ({ likely_usd: usd, bound_usd: 10 * usd });
  const round = {
    arms: ["x", "y", "z"].map((arm_id, place) => ({ arm_id, ...spent(place + 1) })),
    judging: spent(0.5),
  };
  const file = {
    low_usd: 7,
    high_usd: 70,
    low_tokens: 10,
    high_tokens: 20,
    note: "",
    measure: "solved",
    round,
  } as const;
  const contest = { arms: ["x", "y", "z"], mode: "against", control: "x", pairs: [1, 2] } as const;
  const told = await seriesEstimate([{ ...file, rows: 2 }], 30, { contest });
  expect(told).toMatchObject({ trials: 60, members: 2, likely_usd: 60 * 7, bound_usd: 60 * 70 });
  const { chance_better, chance_equal_passes } = told;
  const { chance } = await powerOf(60, { win: 0.8, tie: 0.2, alpha: 0.025 });
  expect(chance_better).toBe(chance);
  const alone = await seriesEstimate([{ ...file, rows: 2 }], 30);
  expect(chance_better).toBeLessThan(alone.chance_better);
  expect(chance_equal_passes ?? 1).toBeLessThan(alone.chance_equal_passes ?? 0);
  const chances = { chance_better, chance_equal_passes };
  const none = { chance_better: null, chance_equal_passes: null };
  expect(told.contest).toEqual({
    ...{ mode: "against", control: "x", pairs: 2 },
    arms: [
      { arm_id: "x", trials: 60, likely_usd: 60, bound_usd: 600, ...none },
      { arm_id: "y", trials: 60, likely_usd: 120, bound_usd: 1_200, ...chances },
      { arm_id: "z", trials: 60, likely_usd: 180, bound_usd: 1_800, ...chances },
    ],
  });
  const best = await seriesEstimate([file], 60, {
    contest: { ...contest, mode: "best", control: null, pairs: [1, 2, 3] },
  });
  expect(best).toMatchObject({ likely_usd: 60 * 7.5, chance_equal_passes: null });
  expect(best.chance_better).toBe((await powerOf(60, { win: 0.8, tie: 0.2, alpha: 0.05 / 6 })).chance);
});

test.each([3, 4])(
  "in simulated contests of %p arms a weak one is told out at least as often as an estimate says",
  async (count) => {
    const [trials, repetitions] = [60, 300];
    // Of the decided trials the best one wins 4 of 5 against each; half are undecided.
    const { chance } = await powerOf(trials, { win: 0.8, tie: 0.5, alpha: 0.05 / (count * (count - 1)) });
    const chances = [...Array<number>(count - 1).fill(0.5), 0.8];
    const rates = contestRates({ mode: "best", tasks: 1, rounds: trials, chances, repetitions, seed: 6 });
    expect(chance).toBeGreaterThan(0.2);
    expect(rates.first).toBeGreaterThan(chance - 2 * Math.sqrt((chance * (1 - chance)) / repetitions));
  },
);

test("in simulated contests a better candidate is told at least as often as an estimate says", async () => {
  const [trials, repetitions] = [60, 300];
  // Of the decided trials it wins 4 of 5; half are undecided.
  const { chance } = await powerOf(trials, { win: 0.8, tie: 0.5, alpha: 0.05 / 3 });
  const rates = contestRates({
    mode: "against",
    tasks: 1,
    rounds: trials,
    chances: [0.5, 0.5, 0.5, 0.8],
    repetitions,
    seed: 5,
  });
  expect(rates.last).toBeGreaterThan(chance - 2 * Math.sqrt((chance * (1 - chance)) / repetitions));
});
