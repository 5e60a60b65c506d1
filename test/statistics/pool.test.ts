import { describe, expect, test } from "bun:test";
import type { TrialRow } from "../../src/domain/trial.ts";
import { advance } from "../../src/statistics/advance.ts";
import { reportOf, storedSeries } from "../../src/statistics/report.ts";
import { conclusionsAhead, standingOf, summaryOf } from "../../src/statistics/standing.ts";
import { comparisonOf, FREE, type Planned, results, rowOf, rowsOf, seriesOf } from "./series.ts";

const OTHER = "series-20250101T000000000Z-00000000";

/** Trials of another series. */
const others = (letters: string, parts: Partial<TrialRow> = {}, series_id = OTHER) =>
  rowsOf(results(letters)).map((row, index) => ({
    ...row,
    session_id: `${row.session_id}-of-${series_id}-${index}`,
    place: { series_id, trial: index + 1, round: index + 1 },
    conduct: `${index}`.padStart(64, "f"),
    ...parts,
  }));

const own = (letters: string) => rowsOf(results(letters));

const report = (rows: readonly TrialRow[], stored: readonly TrialRow[], planned: Planned = {}) =>
  reportOf(seriesOf(planned), rows, { stored, judge_unaudited: false });

const WON = own("+".repeat(9));

describe("a claim of a series is stated", () => {
  const concluded = async (stored: readonly TrialRow[], rows = WON) => (await report(rows, stored)).conclusion;

  test("where nobody else ran the comparison, and where all trials together claim the same", async () => {
    expect(await concluded([])).toBe("a_preferred");
    expect(await concluded(WON)).toBe("a_preferred");
    expect(await concluded([...others("+-+"), ...WON])).toBe("a_preferred");
    expect(await concluded([...others("==!x"), ...WON])).toBe("a_preferred");
  });

  test("not where trials before it, between its own, or of any other series outweigh it", async () => {
    expect(await concluded([...others("----"), ...WON])).toBe("undecided");
    expect(await concluded([...WON.slice(0, 1), ...others("----"), ...WON.slice(1)])).toBe("undecided");
    expect(await concluded([...others("--"), ...others("--", {}, `${OTHER.slice(0, -1)}1`), ...WON])).toBe("undecided");
    expect(await concluded([...others("----", { place: null }), ...WON])).toBe("undecided");
  });

  test("not where all trials together claim the other side", async () => {
    const { conclusion, statement, gate } = await report(WON, [...others("-".repeat(40)), ...WON]);
    expect([conclusion, gate]).toEqual(["undecided", { candidate: null, baseline: null }]);
    expect(statement).toContain("They establish a preference for baseline.");
  });

  test("not by what others established before it and later trials took back", async () => {
    const before = others("+".repeat(9) + "-".repeat(9));
    expect(await concluded([...before, ...WON])).toBe("undecided");
    const long = own("+".repeat(16));
    const { conclusion, statement } = await report(long, [
      ...before,
      ...long,
      ...others("--------", {}, `${OTHER.slice(0, -1)}1`),
    ]);
    expect(conclusion).toBe("undecided");
    expect(statement).toContain(
      "In those candidate won 25, baseline 17, and 0 had no winner: evidence 0.6 (20 needed). They establish a preference for candidate.",
    );
  });

  test("while all trials together show it: those that come after it take it back", async () => {
    expect(await concluded([...WON, ...others("-")])).toBe("undecided");
    expect(await concluded([...WON, ...others("++-")])).toBe("a_preferred");
    expect(await concluded([...WON, ...others("-".repeat(40))])).toBe("undecided");
  });

  test("by what is bet on it anew, where the trials before it were of another kind", async () => {
    const before = others("-".repeat(20));
    expect(await concluded([...before, ...WON])).toBe("undecided");
    const clear = own("+".repeat(16));
    expect(await concluded([...before, ...clear], clear)).toBe("a_preferred");
  });

  test("not while a trial of others that was begun before has not ended", async () => {
    const { conclusion, statement } = await report(WON, [...others("r"), ...WON]);
    expect(conclusion).toBe("undecided");
    expect(statement).toContain(
      "the 0 stored trials of this comparison that count so far together do not. A trial counts only when those that began before it have ended: 1 still runs.",
    );
    expect(await concluded([...WON, ...others("r")])).toBe("a_preferred");
  });

  test("not where others cancelled trials that could take it back; what failed by itself chose nothing", async () => {
    expect(await concluded([...others("c"), ...WON])).toBe("undecided");
    expect(await concluded([...others("i"), ...WON])).toBe("undecided");
    expect(await concluded([...others("xxx!!"), ...WON])).toBe("a_preferred");
    expect(await concluded([...others("c"), ...own("+".repeat(12))], own("+".repeat(12)))).toBe("a_preferred");
  });
});

test("that the arms are alike is concluded only where all trials together show it", async () => {
  const alike = own("=".repeat(17));
  expect((await report(alike, [...others("=="), ...alike])).conclusion).toBe("no_difference_above_margin");
  const { conclusion, gate, statement } = await report(alike, [...others("+++"), ...alike]);
  expect([conclusion, gate]).toEqual(["undecided", { candidate: "not_worse", baseline: null }]);
  expect(statement).toContain(
    "). Nothing is concluded: this series alone would show no difference above the margin of 30 points, but all 20 stored trials of this comparison together do not.",
  );
});

test("the statement says what the series alone would show, and what all trials show", async () => {
  const { statement, headline, forecast, scenarios } = await report(WON, [...others("----"), ...WON]);
  expect(statement).toContain(
    "). Nothing is concluded: this series alone would establish a preference for candidate, but all 13 stored trials of this comparison together do not. " +
      "In those candidate won 9, baseline 4, and 0 had no winner: evidence 4.0 (20 needed).",
  );
  expect(headline.claim).toMatchObject({ side: "a", at_trial: 9 });
  expect([forecast.chance_of_claim, forecast.more_trials]).toEqual([null, null]);
  expect(scenarios[0]?.conclusion).toBe("undecided");
});

test("a row that others read before or after the series was read is the series' own", async () => {
  const running = WON.map((row) => ({ ...row, state: "running" as const, outcome: null, winner_side: null }));
  expect((await report(WON, [...others("+"), ...running])).conclusion).toBe("a_preferred");
  expect((await report(WON, others("+"))).conclusion).toBe("a_preferred");
});

describe("a copy counts once among all stored trials", () => {
  const seed = (letters: string, series_id = OTHER) =>
    others(letters, {}, series_id).map((row, index) => ({ ...row, draw: `${index}`.padStart(64, "d") }));
  const copiesOf = (letters: string) =>
    [0, 1, 2, 3, 4].flatMap((again) => seed(letters, `${OTHER.slice(0, -1)}${again}`));

  const stored = (rows: readonly TrialRow[]) =>
    storedSeries(
      {
        ...{ comparison: comparisonOf("S"), scenario: "S", judge_model: "J", scripted: true },
        ...{ arms: { a: "candidate", b: "baseline" }, rows },
      },
      { judge_unaudited: false },
    );

  test("the same seed five times is one series", async () => {
    const { conclusion, counts, trials, statement, scenarios } = await stored(copiesOf("+++++++-"));
    expect([conclusion, scenarios[0]?.distinct_runs]).toEqual(["undecided", 8]);
    expect(counts).toMatchObject({ trials: 8, wins: 7, losses: 1, copies: 32, running: 0, held: 0 });
    expect(trials.map(({ copy, counted }) => [copy === true, counted])).toEqual([
      ...Array(8).fill([false, true]),
      ...Array(32).fill([true, false]),
    ]);
    expect(statement).toContain(
      "Among all stored trials 32 repeat another one, by its seed or its recording; such copies count once.",
    );
  });

  test("a replay repeats the run that was recorded, and that is none of its copies", async () => {
    const [live] = others("+", { conduct: "a".repeat(64) });
    const replay = (n: number) =>
      others("+", { conduct: "a".repeat(64), draw: "a".repeat(64) }, `${OTHER.slice(0, -1)}${n}`);
    const again = others("+", { conduct: "a".repeat(64) }, `${OTHER.slice(0, -1)}7`);
    expect((await stored([...(live ? [live] : []), ...replay(1), ...replay(2), ...again])).counts).toMatchObject({
      trials: 2,
      copies: 2,
    });
  });

  test("one that gave nothing is no copy, and its draw is still to be counted", async () => {
    const [lost, won] = [seed("x"), seed("+", `${OTHER.slice(0, -1)}1`)];
    expect((await stored([...lost, ...won])).counts).toMatchObject({ trials: 1, failed: 1 });
    expect((await stored(won)).counts).not.toHaveProperty("copies");
  });

  test("also in what a series must hold with, and only within a comparison", async () => {
    const rows = own("+".repeat(9)).map((row, index) => ({ ...row, draw: `${index}`.padStart(64, "d") }));
    const { statement, conclusion, earlier } = await report(rows, [...copiesOf("+++++++-"), ...rows]);
    expect([conclusion, earlier?.trials]).toEqual(["undecided", 8]);
    expect(statement).toContain("all 9 stored trials of this comparison together do not");
    expect(statement).toContain("Among all stored trials 40 repeat another one");
    const elsewhere = copiesOf("---").map((row) => ({ ...row, comparison: comparisonOf("R") }));
    expect((await report(rows, [...elsewhere, ...rows])).conclusion).toBe("a_preferred");
  });
});

describe("a suite must hold with all trials of its scenarios", () => {
  const suite = (letters: Readonly<Record<string, string>>) => {
    const names = Object.keys(letters);
    return names.flatMap((scenario, place) =>
      results(letters[scenario] ?? "").map((result, at) =>
        rowOf({ scenario, trial: at * names.length + place + 1, round: at + 1 }, result),
      ),
    );
  };
  const planned = { scenarios: ["S", "R"] };
  const rows = suite({ S: "++++++", R: "++++++" });

  test("in rounds: those of one scenario alone make none", async () => {
    expect((await report(rows, rows, planned)).conclusion).toBe("a_preferred");
    const before = [...others("------"), ...rows];
    const { conclusion, statement, scenarios } = await report(rows, before, planned);
    expect(conclusion).toBe("undecided");
    expect(statement).toContain(
      "all 12 stored trials of these comparisons, in complete rounds, together do not. In those candidate won 6, baseline 6",
    );
    expect(scenarios.map(({ earlier }) => earlier?.trials)).toEqual([6, undefined]);
  });

  test("and so must each of its rows, at its own bar", async () => {
    const long = suite({ S: "+".repeat(10), R: "=".repeat(10) });
    const conclusions = async (stored: readonly TrialRow[]) =>
      (await report(long, stored, planned)).scenarios.map(({ conclusion }) => conclusion);
    expect(await conclusions([])).toEqual(["a_preferred", "undecided"]);
    expect(await conclusions([...others("---"), ...long])).toEqual(["undecided", "undecided"]);
  });

  const ofTwins = async (before: string) => {
    const series = seriesOf(planned);
    const comparison = comparisonOf("S");
    const scenarios = series.plan.scenarios.map((scenario) => ({ ...scenario, comparison }));
    const twins = suite({ S: "+++++", R: "+++++" }).map((row) => ({ ...row, comparison }));
    const stored = [...others(before), ...twins];
    return await reportOf({ ...series, plan: { ...series.plan, scenarios } }, twins, {
      stored,
      judge_unaudited: false,
    });
  };

  test("where two scenarios are one comparison, no trial counts twice", async () => {
    const { scenarios: told, conclusion } = await ofTwins("++");
    expect(told.map(({ earlier }) => earlier?.trials)).toEqual([1, 1]);
    expect(conclusion).toBe("a_preferred");
  });

  test("and its trials are dealt to them in turn, as they were begun", async () => {
    const [alone] = (await report(rows, [...others("++++"), ...rows], planned)).scenarios;
    const { scenarios: told } = await ofTwins("+-+-+-+-");
    expect(alone?.earlier?.e).toBeGreaterThan(1);
    expect(told.map(({ earlier }) => earlier?.e)).toEqual([alone?.earlier?.e, alone?.earlier?.e]);
  });
});

test("what is told while it runs is what the report says: lists, verdicts, and when it stops", async () => {
  const stored = [...others("----"), ...WON];
  const series = seriesOf({ stop_when_sure: true });
  const better = seriesOf({ stop_when_sure: true, stop_at: "better" });
  expect(standingOf(series, WON, stored).conclusion).toBe("undecided");
  const last = WON.at(-1);
  if (!last) throw new Error("there are nine");
  const summary = summaryOf(series, WON, { own: last, stored });
  expect(summary.conclusion).toBe("undecided");
  expect(summary.statement).toContain("). Nothing is concluded: this series alone would");
  expect(await advance(better, WON, FREE)).toMatchObject({ stop: "sure" });
  expect(await advance(better, WON, { ...FREE, stored })).toMatchObject({ stop: null, start: [{ trial: 10 }] });
  const alike = own("=".repeat(17));
  expect(await advance(series, alike, { ...FREE, stored: [...others("---"), ...alike] })).toMatchObject({ stop: null });
});

test("others are asked when the trials that run can bring a conclusion", () => {
  const series = seriesOf();
  expect([...conclusionsAhead(series, own("++++++++"))]).toEqual(["undecided"]);
  expect([...conclusionsAhead(series, own("++++++++r"))]).toContain("a_preferred");
  expect([...conclusionsAhead(series, own("--------r"))]).toContain("b_preferred");
  expect([...conclusionsAhead(series, own(`${"=".repeat(16)}r`))]).toContain("no_difference_above_margin");
  const ending = seriesOf({ stop_when_sure: true });
  expect([...conclusionsAhead(ending, own(`${"=".repeat(14)}r`))]).toContain("not_worse");
});

test("trials that mostly repeat each other are told", async () => {
  const rows = WON.map((row, index) => ({ ...row, conduct: `${index % 2}`.repeat(64) }));
  const told = "Few trials differ in what the models said and called (2 of 9); the others repeat one of these.";
  expect((await report(rows, [])).statement).toContain(told);
  expect((await report(WON, [])).statement).not.toContain("differ in what");
});
