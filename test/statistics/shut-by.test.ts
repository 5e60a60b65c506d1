import { expect, test } from "bun:test";
import { seriesAnswerOf } from "../../src/domain/series-answer.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { wordsText } from "../../src/domain/words.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { sixLines } from "../../src/statistics/six-lines.ts";
import { standingOf } from "../../src/statistics/standing.ts";
import { type Planned, type Result, rowsOf, seriesOf, times } from "./series.ts";

const BESIDE = { stored: [], judge_unaudited: false };

type Judged = Pick<Partial<TrialRow>, "doubts" | "decided_by"> & { readonly kin_of?: TrialRow["judge"]["kin_of"] };

/** A candidate that wins all of 20 trials, with what each verdict says besides. */
const WON = times(20, "a");

function rowsWith({ kin_of, ...parts }: Judged, results: readonly Result[] = WON): readonly TrialRow[] {
  const judge = { model_served: "j-1", cost_usd: 0.5, ...(kin_of && { kin_of }) };
  return rowsOf(results, { judge, ...parts });
}

const told = async (rows: readonly TrialRow[], planned: Planned = {}) =>
  await reportOf(seriesOf({ trials: rows.length, state: "completed", ...planned }), rows, BESIDE);

const opened = async (rows: readonly TrialRow[]) => {
  const { gate, gate_reasons } = await told(rows);
  return [gate["candidate"], gate_reasons?.["candidate"]?.because];
};

test("the preference of a judge that is kin of the arm that is ahead opens no gate", async () => {
  expect(await opened(rowsWith({}))).toEqual(["better", undefined]);
  expect(await opened(rowsWith({ kin_of: "a" }))).toEqual([null, "judge_kin"]);
  expect(await opened(rowsWith({ kin_of: "b" }))).toEqual(["better", undefined]);
  expect(await opened(rowsWith({ kin_of: "both" }))).toEqual(["better", undefined]);
  expect(await opened(rowsWith({ kin_of: "a", decided_by: "probe" }))).toEqual(["better", undefined]);
});

test("a judge that is kin of the arm that is ahead opens no gate that checks alone would leave shut", async () => {
  const byChecks = (count: number) =>
    rowsWith({ kin_of: "a" }).map((row, index): TrialRow => (index < count ? { ...row, decided_by: "probe" } : row));
  expect(await opened(byChecks(4))).toEqual([null, "judge_kin"]);
  expect(await opened(byChecks(18))).toEqual(["better", undefined]);
});

test("arms that do not differ in any trial open no gate", async () => {
  const rows = rowsWith({ doubts: ["no_contrast"] });
  expect(await opened(rows)).toEqual([null, "no_contrast"]);
  const [first, ...others] = rows;
  const { doubts: _, ...differing } = first ?? {};
  expect(await opened([{ ...differing } as TrialRow, ...others])).toEqual(["better", undefined]);
});

test("whichever of two equal arms wins, no report and no list calls it better or worse", async () => {
  for (const result of ["a", "b"] as const) {
    const rows = rowsWith({ doubts: ["no_contrast"] }, times(20, result));
    const series = await told(rows);
    const [so] = sixLines(series).lines;
    expect(wordsText(so?.words ?? [])).toMatch(/^Not known yet: the gate stays shut, because both arms are the same/);
    expect([seriesAnswerOf(series), standingOf(seriesOf({ trials: 20 }), rows).answer]).toEqual([
      ...(["not_known", "not_known"] as const),
    ]);
    const next = sixLines(series).lines.find(({ label }) => label === "Next");
    expect(wordsText(next?.words ?? [])).toStartWith("Change one arm");
  }
});

test("most verdicts with low confidence are told, and open or shut no gate", async () => {
  const rows = rowsWith({ doubts: ["low_confidence"] });
  expect(await opened(rows)).toEqual(["better", undefined]);
  expect((await told(rows)).flags).toContain("low_confidence");
  const half = rows.map((row, index) => (index % 2 === 0 ? row : rowsWith({})[index])) as TrialRow[];
  expect((await told(half)).flags).not.toContain("low_confidence");
});

test("a series counts the trials that raise what it tells of its judge and its arms", async () => {
  const crashed = (row: TrialRow): TrialRow => ({ ...row, arms: { ...row.arms, b: { ...row.arms.b, crashed: true } } });
  const rows = [
    ...rowsWith({ kin_of: "both", doubts: ["panel_one_family", "no_contrast"] }, times(2, "a")).map(crashed),
    ...rowsWith({ doubts: ["low_confidence"] }, times(4, "a")),
    ...rowsWith({}, ["inconsistent"]),
  ].map((row, index) => ({ ...row, place: { series_id: "series-1", trial: index + 1, round: index + 1 } }) as TrialRow);
  const { flags, flag_counts } = await told(rows);
  const counted = {
    ...{ no_contrast: 2, self_family: 2, panel_one_family: 2 },
    ...{ judge_follows_order: 1, arm_crashed: 2, low_confidence: 4 },
  };
  expect(flag_counts).toEqual(counted);
  const own = flags.filter((flag) => Object.hasOwn(counted, flag));
  expect(own).toEqual(Object.keys(counted) as typeof own);
  expect(standingOf(seriesOf({ trials: 7 }), rows).flags).toEqual(own);
});

test("rows of earlier versions, which say nothing of it, raise nothing", async () => {
  const series = await told(rowsOf(times(12, "a")));
  expect([series.flags, series.flag_counts]).toEqual([["few_tasks"], undefined]);
});

test("what a kin judge decided is taken away as the tests of a series would have it: undecided and missing trials count for the other arm", async () => {
  const mixed = (letters: readonly Result[], byProbe: number) =>
    rowsOf(letters).map(
      (row, index): TrialRow => ({
        ...row,
        judge: { ...row.judge, kin_of: "a" },
        decided_by: row.winner_side !== null && index < byProbe ? "probe" : row.decided_by,
      }),
    );
  const unclear = [...times(60, "a"), ...times(60, "b"), ...times(240, "tie"), ...times(60, "inconclusive")];
  const turned = unclear.map((_, index) => unclear[(index * 37) % unclear.length] as Result);
  expect((await opened(mixed(turned, 0)))[0]).toBe(null);
  const lacking: readonly Result[] = [...times(4, "failed"), ...times(50, "a")];
  expect(await opened(mixed(lacking, 14))).toEqual([null, "judge_kin"]);
});

test("a gate that the trials leave shut is shut for their reason, whoever judged", async () => {
  const behind = rowsWith({ kin_of: "a" }, [...times(2, "a"), ...times(30, "b")]);
  expect((await opened(behind))[1]).not.toBe("judge_kin");
});

test("whoever could have made up one trial opens no gate", async () => {
  const [first, ...others] = rowsWith({});
  const made = [{ ...first, from_checkout: true } as TrialRow, ...others];
  expect(await opened(made)).toEqual([null, "inputs_from_checkout"]);
});

test("copies of one trial open no gate", async () => {
  const copies = rowsWith({}).map((row) => ({ ...row, conduct: "one" }));
  expect(await opened(copies)).toEqual([null, "no_variation"]);
});
