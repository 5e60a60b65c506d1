import { expect, test } from "bun:test";
import fc from "fast-check";
import type { TrialRow } from "../../src/domain/trial.ts";
import { idText } from "../../src/doors/web/format.ts";
import { chancesText, costText, timeText } from "../../src/doors/web/scenarios/series-estimate.ts";
import { aheadIn, missingWords, type SuiteSort, sortedRows, wonIn } from "../../src/doors/web/series/suite-rows.ts";
import { missingText, trialSentence } from "../../src/doors/web/series/trial-text.ts";
import { logAxis, tickText } from "../../src/statistics/evidence-curve.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { kindOf } from "../../src/statistics/trial-kind.ts";
import { type Result, rowOf, rowsOf, seriesOf } from "../statistics/series.ts";

const ALONE = { stored: [], judge_unaudited: false };

const reported = (results: readonly Result[]) => reportOf(seriesOf(), rowsOf(results), ALONE);

test("each trial has one kind; what ended behind a running one is held", async () => {
  const { trials } = await reported(["a", "b", "tie", "failed", "invalid", "running", "a"]);
  expect(trials.map(kindOf)).toEqual(["a", "b", "none", "missing", "missing", "running", "held"]);
});

test("a trial says what it gave, by the arm's name, and where the series stood then", async () => {
  const { trials } = await reported(["a", "inconsistent", "invalid", "cancelled", "running", "b"]);
  const texts = trials.map((trial) => trialSentence(trial, { a: "candidate", b: "baseline" }, 0.05));
  expect(texts).toEqual([
    "Trial 1 of S: candidate won; evidence then 1.0; $1.00",
    "Trial 2 of S: no winner, inconsistent; evidence then 1.0; $1.00",
    "Trial 3 of S: missing, no usable judgement; $1.00",
    "Trial 4 of S: missing, cancelled; $0.50",
    "Trial 5 of S: running",
    "Trial 6 of S: baseline won; not counted, in or behind an incomplete round; $1.00",
  ]);
});

const SUITE: Readonly<Record<string, readonly Result[]>> = {
  "case-10": ["a", "a", "tie"],
  "case-9": ["b", "invalid", "failed", "tie", "b"],
  "case-1": ["tie", "a", "b"],
  "case-none": ["cancelled", "cancelled", "cancelled", "tie", "tie", "tie"],
};

/** Nobody knows what this one solved. */
const withoutChecks = (row: TrialRow): TrialRow => {
  const { a, b } = row.arms;
  return row.scenario === "case-none"
    ? { ...row, arms: { a: { ...a, solved: null }, b: { ...b, solved: null } } }
    : row;
};

const suite = async () => {
  const scenarios = Object.keys(SUITE);
  const rows = Object.entries(SUITE).flatMap(([scenario, results], place) =>
    results.map((result, round) =>
      rowOf({ trial: round * scenarios.length + place + 1, round: round + 1, scenario }, result),
    ),
  );
  return (await reportOf(seriesOf({ scenarios }), rows.map(withoutChecks), ALONE)).scenarios;
};

test.each([
  ["plan", false, "10 9 1 none"],
  ["scenario", false, "1 9 10 none"],
  ["scenario", true, "none 10 9 1"],
  ["a", true, "10 1 9 none"],
  ["b", false, "10 none 1 9"],
  ["missing", true, "none 9 10 1"],
  ["rate", true, "10 1 none 9"],
  ["solved_a", true, "10 1 9 none"],
  ["solved_a", false, "9 1 10 none"],
] as const)(
  "the scenarios of a suite sorted by %s, descending %p; what is unknown stands last",
  async (by, descending, expected) => {
    const rows = sortedRows(await suite(), { by: by satisfies SuiteSort, descending });
    expect(rows.map(({ scenario }) => scenario.replace("case-", "")).join(" ")).toBe(expected);
  },
);

test("of a suite it is told where each arm is ahead, and why trials are missing", async () => {
  const rows = await suite();
  expect(aheadIn(rows.map(wonIn))).toEqual({ a: 1, b: 1, even: 2, none: 0 });
  const unknown = { a: 0, b: 0, none: 0 };
  expect(aheadIn([unknown, { ...unknown, none: 1 }])).toEqual({ a: 0, b: 0, even: 1, none: 1 });
  expect(rows.map(({ counts }) => missingWords(counts))).toEqual(["", "1 invalid, 1 failed", "", "3 cancelled"]);
});

test("missing trials are told by cause, those that were cancelled too", async () => {
  expect(missingText(await reported(["a", "cancelled", "invalid", "cancelled"]))).toBe(
    "1 outside both runs, 2 cancelled",
  );
  expect(missingText(await reported(["a", "cancelled"]))).toBe("1 cancelled");
});

test("a logarithmic axis keeps the order of values, holds them all, and names few powers of ten", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e308, noNaN: true }), { minLength: 1, maxLength: 50 }), (values) => {
      const { share, ticks } = logAxis(values);
      const shares = values.toSorted((one, other) => one - other).map(share);
      expect(shares).toEqual(shares.toSorted((one, other) => one - other));
      expect(shares.every((one) => one >= 0 && one <= 1)).toBe(true);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.every((tick) => share(tick) >= 0 && share(tick) <= 1)).toBe(true);
    }),
  );
  expect(logAxis([1, 20, 0.5]).ticks).toEqual([1, 10]);
  expect([0.01, 1000, 1e6, 1e244, 1e-60].map(tickText)).toEqual(["0.01", "1000", "10⁶", "10²⁴⁴", "10⁻⁶⁰"]);
});

const ESTIMATE = {
  ...{ low_usd: 0.5, high_usd: 2, low_tokens: 1_000, high_tokens: 9_000, note: "Nothing is spent." },
  series: {
    ...{ trials: 30, members: 1, low_usd: 15, high_usd: 60, likely_usd: 15, bound_usd: 60 },
    ...{ chance_better: 0.745, chance_equal_passes: 0.1 },
    chances: [{ win_share: 0.7, chance_of_claim: 0.346, mean_trials: 26 }],
  },
};

const KNOWN = { asked: false, earlier: [] };

test("before a series its cost is told, and what is not known is said to be unknown", () => {
  expect(costText(ESTIMATE, KNOWN)).toBe(
    "All 30 trials may take 30,000 to 270,000 tokens and cost $15.00 if each is short, up to $60.00 if every arm uses its whole budget; less when it stops early.",
  );
  expect(costText(ESTIMATE, { ...KNOWN, asked: true })).toStartWith(
    "What it may cost is not known: the estimate is for the models",
  );
  const unpriced = { ...ESTIMATE, series: { ...ESTIMATE.series, low_usd: null, high_usd: null } };
  expect(costText(unpriced, KNOWN)).toEndWith("tokens. What they cost is not known: some model has no price.");
  expect(costText({ ...ESTIMATE, high_tokens: 0 }, KNOWN)).toBe("Nothing is spent.");
  const told = costText(ESTIMATE, { asked: false, earlier: [0.5, 0.04, 0.03] });
  expect(told).toBe(
    "All 30 trials may cost $1.20, going by the median of 3 earlier runs at $0.04, and $60.00 if every arm uses its whole budget; less when it stops early.",
  );
  expect(costText(ESTIMATE, { asked: true, earlier: [0.04] })).toBe(
    "All 30 trials may cost $1.20, going by one earlier run at $0.04; less when it stops early.",
  );
  expect(chancesText(ESTIMATE.series)).toStartWith("Chance that 30 trials show the better arm: 35% if it wins 7 of 10");
});

test("before a series its time goes by earlier runs, and is unknown without one", () => {
  const size = { trials: 30, parallel: 4 };
  expect(timeText([], size)).toBe("How long it takes is not known: no such run has ended here yet.");
  expect(timeText([9_000], size)).toBe("It may take 1 min 12 s, going by one earlier run.");
  expect(timeText([60_000, 1_000, 3_000], size)).toBe("It may take 24.0 s, going by the median of 3 earlier runs.");
});

test("an id as long as a digest is cut, and that of a series stands whole", () => {
  expect(idText(`results-${"0123456789abcdef".repeat(4)}`)).toBe("results-0123456789ab…");
  const { series_id } = seriesOf();
  expect(idText(series_id)).toBe(series_id);
});
