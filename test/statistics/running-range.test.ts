import { expect, test } from "bun:test";
import { runningRange, winRateRange } from "../../src/statistics/claim/interval.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { results, rowsOf, seriesOf } from "./series.ts";

const reported = (letters: string) =>
  reportOf(seriesOf({ trials: 200 }), rowsOf(results(letters)), { stored: [], judge_unaudited: false });

const AT = { alpha: 0.05 };

const looksOf = (letters: string) =>
  Array.from(letters, (_, index) => {
    const count = (letter: string) => [...letters.slice(0, index + 1)].filter((one) => one === letter).length;
    return { wins: count("+"), ties: count("="), losses: count("-") };
  });

test("The range is what no look contradicted, and no wider than that of now", () => {
  const looks = looksOf("++=++-++=-+-+=--+--");
  const all = looks.map((counts) => winRateRange(counts, 0.05));
  const range = runningRange(looks, AT);
  expect(range?.low).toBeCloseTo(Math.max(...all.map(({ low }) => low)), 9);
  expect(range?.high).toBeCloseTo(Math.min(...all.map(({ high }) => high)), 9);
});

test("Looks of which no mean fits all leave none", () => {
  expect(runningRange(looksOf("+".repeat(12) + "-".repeat(60)), AT)).toBeNull();
  expect(runningRange(looksOf("+".repeat(40)), AT)?.high).toBe(1);
});

test("A claim that lapsed is no conclusion, says so, and shows the range of now", async () => {
  const told = await reported("+".repeat(10) + "-".repeat(12));
  expect(told).toMatchObject({ conclusion: "undecided", undecided_by: "lapsed", gate: { candidate: null } });
  expect(told.headline.claim).toMatchObject({ side: "a" });
  expect(told.headline.low).toBe(winRateRange(told.counts, 0.05).low);
  expect(told.headline.low).toBeLessThan(0.5);
});

test("Results that changed leave no conclusion", async () => {
  const told = await reported("+".repeat(12) + "-".repeat(100));
  expect(told).toMatchObject({ conclusion: "undecided", undecided_by: "results_changed" });
});
