import { describe, expect, test } from "bun:test";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { caveatsOf } from "../../src/domain/caveat.ts";
import { Series } from "../../src/domain/series.ts";
import { MAX_TRIALS_IN_ALL, type SeriesRecord, SeriesStanding } from "../../src/domain/series-record.ts";
import { SeriesSummary } from "../../src/domain/series-summary.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { reportOf, storedSeries } from "../../src/statistics/report.ts";
import { costsText } from "../../src/statistics/series-words.ts";
import { standingOf, summaryOf } from "../../src/statistics/standing.ts";
import { BARRED } from "../barred-words.ts";
import { turnsDuring } from "../turns.ts";
import { GENERATED, mirrored } from "./generated.ts";
import { comparisonOf, type Planned, results, rowOf, rowsOf, seriesOf, times } from "./series.ts";

const SERIES = TypeCompiler.Compile(Series);

const ALONE = { stored: [], judge_unaudited: false };

const report = (series: SeriesRecord, rows: readonly TrialRow[]) => reportOf(series, rows, ALONE);

const reportOfLetters = (letters: string, planned: Planned = {}) => report(seriesOf(planned), rowsOf(results(letters)));

describe("a report", () => {
  test("of any series is what the interface promises, and claims nothing that is barred", async () => {
    await fc.assert(
      fc.asyncProperty(GENERATED, async ({ series, rows }) => {
        const told = await report(series, rows);
        expect([...SERIES.Errors(told)].map(({ path, message }) => `${path}: ${message}`)).toEqual([]);
        expect(told.statement).not.toMatch(BARRED);
        expect(told.statement).not.toMatch(/undefined|NaN|null|\$\{| {2}|\.\.|\b1 (trials|scenarios)\b/);
        expect(told.statement).toMatch(/^\S.*\.$/);
        if (told.conclusion !== "no_difference_above_margin")
          expect(told.statement).not.toContain("no difference above");
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["identical_trials", rowsOf(results("++++++++"), { conduct: comparisonOf("copies") }), []],
    ["results_changed", rowsOf(results("+".repeat(9) + "-".repeat(40))), []],
    ["missing_trials", rowsOf(results("xxxx+++++++++")), []],
    ["other_trials_disagree", rowsOf(results("+++++++++")), rowsOf(results("--------"), { place: null })],
    [undefined, rowsOf(results("+++++++++")), []],
    [undefined, rowsOf(results("+-")), []],
  ] as const)("says what keeps it from a conclusion: %p; so does its row in a list", async (doubt, rows, others) => {
    const stored = others.map((row) => ({ ...row, session_id: `${row.session_id}-of-others` }));
    for (const told of [await reportOf(seriesOf(), rows, { ...ALONE, stored }), standingOf(seriesOf(), rows, stored)]) {
      expect(told.undecided_by).toBe(doubt);
      if (doubt) expect(told.conclusion).toBe("undecided");
      else expect(told).not.toHaveProperty("undecided_by");
    }
  });

  test("holds together: counts, range and claim say the same", async () => {
    await fc.assert(
      fc.asyncProperty(GENERATED, async ({ series, rows }) => {
        const { counts, headline, trials, rounds, scenarios } = await report(series, rows);
        expect(counts.wins + counts.ties + counts.losses).toBe(counts.trials);
        expect(counts.trials).toBe(rounds * scenarios.length);
        expect(trials.filter(({ counted }) => counted)).toHaveLength(counts.trials);
        const { invalid, failed, cancelled, held, running } = counts;
        expect(counts.trials + invalid + failed + cancelled + held + running).toBe(trials.length);
        for (const field of ["trials", "wins", "ties", "losses", "held", "running", "inconsistent", "invalid"] as const)
          expect([field, scenarios.reduce((sum, row) => sum + row.counts[field], 0)]).toEqual([field, counts[field]]);
        expect(headline.low <= 0.5 && headline.high >= 0.5).toBe(headline.e < 1 / series.plan.alpha);
        expect(headline.worst_case_e).toBeLessThanOrEqual(headline.e + 1e-9);
        if (headline.claim) expect(headline.p_anytime).toBeLessThanOrEqual(series.plan.alpha);
      }),
      { numRuns: 300 },
    );
  });

  test.each(["", "=", "===="])(
    "of trials without a winner (%p) has no evidence at all, not even by rounding",
    async (letters) => {
      const { headline } = await reportOfLetters(letters);
      expect(headline).toMatchObject({ e: 1, p_anytime: 1 });
    },
  );

  test("names the scenarios whose trials all went the same way, three at most", async () => {
    const scenarios = ["one", "two", "three", "four", "five"];
    const rows = [1, 2].flatMap((round) =>
      scenarios.map((scenario, index) => ({
        ...rowOf({ trial: round * 10 + index, round, scenario }, "a"),
        conduct: (scenario === "three" ? String(round) : "0").repeat(64),
      })),
    );
    const { statement, flags } = await report(seriesOf({ scenarios }), rows);
    expect(flags).toContain("no_variation");
    expect(statement).toContain(
      "In 4 of 5 scenarios (one, two, four and 1 more) all trials are identical in what the models said and called.",
    );
  });

  test("forecasts a chance: 1 once there is a claim, none once two contradict each other", async () => {
    await fc.assert(
      fc.asyncProperty(GENERATED, async ({ series, rows }) => {
        const { headline, forecast, flags } = await report(series, rows);
        const { chance_of_claim, chance_of_conclusion } = forecast;
        if (headline.claim) expect(chance_of_conclusion).toBe(flags.includes("claim_reversed") ? null : 1);
        if (chance_of_claim === null || chance_of_conclusion === null) return;
        const inOrder = [0, chance_of_claim, chance_of_conclusion, 1 + 1e-12];
        expect(inOrder).toEqual([...inOrder].sort((one, other) => one - other));
      }),
      { numRuns: 200 },
    );
  });

  test("changes sides when the arms do", async () => {
    await fc.assert(
      fc.asyncProperty(GENERATED, async ({ series, rows }) => {
        const [one, other] = [await report(series, rows), await report(series, rows.map(mirrored))];
        expect(other.conclusion).toBe(MIRRORED[one.conclusion]);
        expect([other.counts.wins, other.counts.losses]).toEqual([one.counts.losses, one.counts.wins]);
        expect(other.headline.low).toBeCloseTo(1 - one.headline.high, 9);
        expect(other.headline.e).toBeCloseTo(one.headline.e, 6);
        expect(other.headline.fragile).toBe(one.headline.fragile);
        expect(other.flags).toEqual(one.flags);
        expect(other.forecast.chance_of_claim ?? 0).toBeCloseTo(one.forecast.chance_of_claim ?? 0, 9);
      }),
      { numRuns: 200 },
    );
  });

  test("of a series of one scenario is its scenario's row", async () => {
    const { conclusion, headline, counts, scenarios } = await reportOfLetters("++=!+++-++x+~");
    const { deleted: _, ...own } = counts;
    expect(scenarios).toMatchObject([{ conclusion, headline, counts: own }]);
  });

  test("does not depend on the order in which the rows come", async () => {
    const rows = rowsOf(results("++=!+++-++x+~"));
    expect(await report(seriesOf(), [...rows].reverse())).toEqual(await report(seriesOf(), rows));
  });
});

const MIRRORED = {
  a_preferred: "b_preferred",
  b_preferred: "a_preferred",
  no_difference_above_margin: "no_difference_above_margin",
  undecided: "undecided",
} as const;

describe("a suite", () => {
  const suite = (letters: Record<string, string>) => {
    let trial = 0;
    const rows = Object.entries(letters).flatMap(([scenario, given]) =>
      results(given).map((result, index) => rowOf({ scenario, trial: ++trial, round: index + 1 }, result)),
    );
    return report(seriesOf({ scenarios: Object.keys(letters) }), rows);
  };

  test("counts the rounds that every scenario has, in its rows as in its sum; what is beyond is held", async () => {
    const { rounds, counts, scenarios } = await suite({ S: "+++++", R: "+-=" });
    expect([rounds, counts.trials, counts.held]).toEqual([3, 6, 2]);
    expect(scenarios.map((row) => [row.counts.trials, row.counts.held, row.distinct_runs])).toEqual([
      [3, 2, 3],
      [3, 0, 3],
    ]);
  });

  test("with a scenario that gives nothing says nothing, but how many of the others wait and what they solved", async () => {
    const { conclusion, headline, scenarios } = await suite({ S: "+".repeat(12), R: "!!!" });
    expect([conclusion, headline.win_rate, headline.low, headline.high]).toEqual(["undecided", null, 0, 1]);
    const row = { conclusion: "undecided", headline: { win_rate: null }, counts: { wins: 0, held: 12 } };
    expect(scenarios[0]).toMatchObject({ ...row, solved: { a: { solved: 12, trials: 12 } } });
  });

  test("asks more of a single scenario than of a series of its own", async () => {
    const of = async (wins: number) =>
      (await suite({ S: "+".repeat(wins), R: "=".repeat(wins) })).scenarios[0]?.conclusion;
    expect([await of(9), await of(10)]).toEqual(["undecided", "a_preferred"]);
  });

  test("counts a deleted trial against each scenario, since nobody knows whose it was", async () => {
    const rows = ["S", "R"].flatMap((scenario, place) =>
      results("++++").map((result, at) => rowOf({ scenario, trial: 2 * at + place + 2, round: at + 1 }, result)),
    );
    const { counts, scenarios } = await report(seriesOf({ scenarios: ["S", "R"] }), rows);
    expect(counts.deleted).toBe(1);
    for (const { headline } of scenarios) expect(headline.worst_case_e).toBeLessThan(headline.e);
  });

  test("has earlier trials by scenario, and none of its own", async () => {
    const stored = rowsOf(results("+-"), { place: null });
    const rows = ["S", "R"].map((scenario, at) => rowOf({ scenario, trial: at + 1, round: 1 }, "a"));
    const { earlier, scenarios } = await reportOf(seriesOf({ scenarios: ["S", "R"] }), rows, { ...ALONE, stored });
    expect([earlier, scenarios.map((row) => row.earlier?.trials)]).toEqual([null, [2, undefined]]);
  });

  test("in which one scenario repeats itself is flagged", async () => {
    const rows = ["S", "R"].flatMap((scenario, place) =>
      results("+++").map((result, at) => {
        const row = rowOf({ scenario, trial: 2 * at + place + 1, round: at + 1 }, result);
        return scenario === "S" ? { ...row, conduct: "0".repeat(64) } : row;
      }),
    );
    expect((await report(seriesOf({ scenarios: ["S", "R"] }), rows)).flags).toEqual(["no_variation", "few_tasks"]);
  });

  test("in which scenarios claim different arms is mixed", async () => {
    const { mixed, flags, conclusion, statement } = await suite({ S: "+".repeat(12), R: "-".repeat(12) });
    expect([mixed, flags, conclusion]).toEqual([true, ["mixed", "few_tasks"], "undecided"]);
    expect(statement).toContain("Single scenarios disagree");
  });
});

describe("a flag says", () => {
  const flagsOf = async (rows: readonly TrialRow[], planned: Planned = {}, beside = ALONE) =>
    (await reportOf(seriesOf(planned), rows, beside)).flags;

  test("that a model changed, and the report from which trial on", async () => {
    const rows = rowsOf(results("++++")).map((row, place) =>
      place < 2 ? row : { ...row, arms: { ...row.arms, b: { ...row.arms.b, model_served: "m-2" } } },
    );
    const { flags, model_changes } = await report(seriesOf(), rows);
    expect(flags).toEqual(["served_model_changed", "few_tasks"]);
    expect(model_changes).toEqual([{ scenario: "S", trial: 3, who: "b", from: "m-1", to: "m-2" }]);
    const unsaid = rows.map((row, place) =>
      place === 1 ? { ...row, arms: { ...row.arms, b: { ...row.arms.b, model_served: null } } } : row,
    );
    expect((await report(seriesOf(), unsaid)).model_changes).toEqual(model_changes);
  });

  test("what the plan and the caller know", async () => {
    const flags = await flagsOf([], { scripted: true, arms_differ: true }, { ...ALONE, judge_unaudited: true });
    expect(flags).toEqual(["arms_differ", "few_tasks", "judge_unaudited", "scripted"]);
  });

  test("that trials repeat each other, and the row how many differ", async () => {
    const rows = rowsOf(results("++++"), { conduct: "0".repeat(64) });
    const copies = rowsOf(results("+".repeat(12)), { conduct: "0".repeat(64) });
    expect((await report(seriesOf(), copies)).forecast).toEqual({
      ...{ trials_left: 18, chance_of_claim: null, chance_of_conclusion: null, more_trials: null, cost_usd: null },
    });
    const { flags, scenarios } = await report(seriesOf(), rows);
    expect([flags, scenarios[0]?.distinct_runs]).toEqual([["no_variation", "few_tasks"], 1]);
  });

  test("that a claim is fragile, or was taken back", async () => {
    expect(await flagsOf(rowsOf(results("!+++++++++")))).toEqual(["fragile", "few_tasks"]);
    expect(await flagsOf(rowsOf(results(`${"+".repeat(9)}${"-".repeat(27)}`)))).toEqual([
      "claim_reversed",
      "few_tasks",
    ]);
  });
});

test("all other runs of the comparison are counted beside the series, whenever they were stored", async () => {
  const place = null;
  const other = { series_id: "series-20250101T000000000Z-00000000", trial: 1, round: 1 };
  const own = rowsOf(results("++++"));
  const stored = [
    ...rowsOf(results("+-!"), { place }),
    ...rowsOf(results("+"), { place: other }),
    ...rowsOf(results("+"), { place, comparison: comparisonOf("R") }),
    ...own,
    ...rowsOf(results("-----"), { place }),
  ];
  const { earlier, flags, statement } = await reportOf(seriesOf(), own, { ...ALONE, stored });
  const e = async (letters: string) => (await reportOfLetters(letters)).headline.e;
  expect(earlier).toEqual({
    trials: 8,
    e: expect.closeTo(await e("+-+-----"), 9),
    e_with_this: expect.closeTo(await e("+-+++++-----"), 9),
  });
  expect(flags).toEqual(["few_tasks", "earlier_trials"]);
  expect(statement).toContain("With the 8 other trials of this comparison, the evidence is");
});

test("a claim was made with the trials up to it, and has cost what was lost among them too", async () => {
  const { trials, cost_usd, headline } = await reportOfLetters("+x++!++++++++");
  expect(headline.claim?.at_trial).toBe(9);
  expect(trials.map(({ used_for_claim }) => used_for_claim).lastIndexOf(true)).toBe(10);
  // Nine that count, one that failed without a verdict, one that could not be judged.
  expect(cost_usd.to_claim).toBe(10.5);
});

test("nothing is forecast where nothing can follow: no difference was shown", async () => {
  const { conclusion, forecast } = await reportOfLetters("=".repeat(17));
  expect(conclusion).toBe("no_difference_above_margin");
  expect([forecast.chance_of_claim, forecast.chance_of_conclusion]).toEqual([null, null]);
});

test("money is that of all trials that ended; unknown is null", async () => {
  const { cost_usd, arms, judge, cost_ratio } = await reportOfLetters("+++++++++=xr");
  // Two arms of 0.25 USD; a verdict costs 0.50.
  expect(cost_usd).toEqual({ total: 10.5, per_trial: 1, to_claim: 9 });
  expect([arms.a.cost_usd, judge.cost_usd, cost_ratio]).toEqual([{ mean: 0.25, total: 2.75 }, 5, 1]);
  const [first, ...others] = rowsOf(results("+++"));
  if (!first) throw new Error("there are three");
  const unknown = { ...first, arms: { ...first.arms, a: { ...first.arms.a, cost_usd: null, least_cost_usd: 0.1 } } };
  const told = await report(seriesOf(), [unknown, ...others]);
  expect(told.cost_usd.at_least).toEqual({ cost_usd: 2.85, why: "not all that 1 of 3 trials cost is known" });
  expect(costsText(told)).toEndWith("total at least $2.8500 (not all that 1 of 3 trials cost is known)");
  expect([told.cost_usd.total, told.arms.a.cost_usd, told.arms.b.cost_usd.total]).toEqual([
    null,
    { mean: 0.25, total: null },
    0.75,
  ]);
});

test("what is right only when nobody looked stands only in a series that could not stop early and ran to its end", async () => {
  const planned = { trials: 10, stop: "exhausted", state: "completed" } as const;
  const { descriptive } = await reportOfLetters("++++++++--", planned);
  expect(descriptive.sign_p).toBeCloseTo(112 / 1024, 12);
  expect(descriptive.wilson?.share).toBe(0.8);
  const NONE = { sign_p: null, wilson: null, by_scenario: null };
  for (const other of [{ stop_when_sure: true }, { stop: null }, { stop: "budget" }] as const)
    expect((await reportOfLetters("++++++++--", { ...planned, ...other })).descriptive).toEqual(NONE);
  const series = seriesOf(planned);
  const changed = { ...series, changes: [{ at: series.created_at, limits: { ...series.limits, trials: 5 } }] };
  expect((await report(changed, rowsOf(results("++++++++--")))).descriptive).toEqual(NONE);
});

describe("the summary in a verdict", () => {
  test("is what the report says, of the trials as they are with this one", async () => {
    await fc.assert(
      fc.asyncProperty(GENERATED, async ({ series, rows }) => {
        const own = rows.findLast(({ outcome }) => outcome !== null);
        if (!own?.place) return;
        const before = rows.map((row) => (row === own ? { ...row, state: "judging" as const, outcome: null } : row));
        const summary = summaryOf(series, before, { own: { ...own, state: "judging" } });
        const { counts, headline, conclusion } = await report(series, rows);
        const { trials, wins, ties, losses, inconsistent, inconclusive } = counts;
        const { win_rate, low, high, e } = headline;
        expect(Value.Check(SeriesSummary, summary)).toBe(true);
        expect(summary).toEqual({
          ...{ series_id: series.series_id, trial: own.place.trial, held: summary.held, statement: summary.statement },
          ...{ trials, wins, ties, losses, inconsistent, inconclusive, win_rate, low, high, e, conclusion },
          missing: counts.invalid + counts.failed + counts.cancelled + counts.deleted,
        });
      }),
      { numRuns: 200 },
    );
  });

  test("says that a trial is held while one before it runs", () => {
    const rows = rowsOf(results("r+"));
    const [first, second] = rows;
    if (!first || !second) throw new Error("there are two");
    expect(summaryOf(seriesOf(), rows, { own: second })).toMatchObject({ trial: 2, held: true, trials: 0 });
    const ended = rowOf({ trial: 1, round: 1, scenario: "S" }, "tie");
    expect(summaryOf(seriesOf(), rows, { own: ended })).toMatchObject({ trial: 1, held: false, trials: 2, wins: 1 });
    const invalid = rowOf({ trial: 1, round: 1, scenario: "S" }, "invalid");
    expect(summaryOf(seriesOf(), rows, { own: invalid })).toMatchObject({ held: false, missing: 1 });
  });
});

test("a list shows where a series stands, and what can overturn it as its report does", async () => {
  const could_not_check = "check a lacks pytest";
  for (const rows of [
    rowsOf(results("x+++++++++")),
    rowsOf(times(9, "a"), { conduct: sha256("one") }),
    [...rowsOf(results("+++")), rowOf({ trial: 4, round: 4, scenario: "S" }, "invalid", { could_not_check })],
    rowsOf(results("+++++++++------------------------------------")),
  ]) {
    const series = seriesOf({ trials: 60 });
    const { flags } = await reportOf(series, rows, ALONE);
    const told = caveatsOf(standingOf(series, rows).flags ?? []);
    expect(told).not.toEqual([]);
    expect(told).toEqual(caveatsOf(flags));
  }
  expect(standingOf(seriesOf(), rowsOf(results("+++++++++++-")))).not.toHaveProperty("flags");
  const standing = standingOf(seriesOf(), rowsOf(results("+++++++++++-")));
  expect(Value.Check(SeriesStanding, standing)).toBe(true);
  expect(standing).toMatchObject({ conclusion: "a_preferred", win_rate: 11 / 12, counted: 12 });
});

test("stored runs of a comparison are a series that nobody planned", async () => {
  const rows = rowsOf(results("+++++++++=")).reverse();
  const series = await storedSeries(
    {
      ...{ comparison: comparisonOf("S"), scenario: "S", judge_model: "J", scripted: false },
      ...{ arms: { a: "candidate", b: "baseline" }, rows },
    },
    { judge_unaudited: true },
  );
  expect([...SERIES.Errors(series)]).toEqual([]);
  expect(series).toMatchObject({
    ...{ kind: "stored", series_id: `cmp-${comparisonOf("S")}`, state: "completed", plan: null, limits: null },
    ...{
      conclusion: "a_preferred",
      flags: ["few_tasks", "judge_unaudited"],
      counts: { trials: 10, wins: 9, deleted: 0 },
    },
  });
  const gap = await storedSeries(
    {
      ...{ comparison: comparisonOf("S"), scenario: "S", judge_model: "J", scripted: false },
      ...{ arms: { a: "candidate", b: "baseline" }, rows: rows.slice(0, 3) },
    },
    { judge_unaudited: true },
  );
  expect(gap.counts.deleted).toBe(0);
  // In the order that the store gives, whatever numbers the runs had in other series.
  expect(series.trials.map(({ trial, d }) => [trial, d]).slice(0, 2)).toEqual([
    [1, 0],
    [2, 1],
  ]);
});

test("of more stored runs than a series holds a report says that it has the first", async () => {
  const told = async (count: number) => {
    const { statement } = await storedSeries(
      {
        ...{ comparison: comparisonOf("S"), scenario: "S", judge_model: "J", scripted: false },
        ...{
          arms: { a: "candidate", b: "baseline" },
          rows: Array.from({ length: count }, () => rowsOf(["tie"])).flat(),
        },
      },
      { judge_unaudited: true },
    );
    return statement;
  };
  expect(await told(3)).toContain("These are all stored runs of this comparison");
  expect(await told(MAX_TRIALS_IN_ALL)).toContain(
    `These are the first ${MAX_TRIALS_IN_ALL} stored runs of this comparison`,
  );
});

test("others have their turn while the report of a long series is made", async () => {
  const scenarios = Array.from({ length: 500 }, (_, index) => `s${index}`);
  const rows = [1, 2, 3, 4].flatMap((round) =>
    scenarios.map((scenario, index) => rowOf({ trial: (round - 1) * 500 + index + 1, round, scenario }, "a")),
  );
  expect(await turnsDuring(() => report(seriesOf({ scenarios, trials: 4 }), rows))).toBeGreaterThan(6);
});
