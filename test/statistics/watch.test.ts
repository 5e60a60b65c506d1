import { expect, test } from "bun:test";
import type { SeriesRecord } from "../../src/domain/series-record.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { ONE_IN } from "../../src/domain/watch.ts";
import { watchStates } from "../../src/statistics/claim/watch-states.ts";
import { armsOf, type Night, watchedIn, watchReach, watchReport } from "../../src/statistics/watch.ts";
import { type Result, rowOf, rowsOf, seriesOf, times } from "./series.ts";
import { simulateWatches } from "./watch.ts";

const within = (first: readonly number[], nights: number) => first.filter((night) => night <= nights).length;

test("quiet years have no alarm, a fall is told in a few nights, an improvement never alarms", () => {
  expect(simulateWatches({ reference: 0.8, now: 0.8 }, 5, 1).alarms).toBe(0);
  expect(simulateWatches({ reference: 0.6, now: 0.9 }, 5, 1).alarms).toBe(0);
  const { first } = simulateWatches({ reference: 0.8, now: 0.3, nights: 20 }, 60, 1);
  expect(first[30]).toBeLessThanOrEqual(4);
  expect(within(first, 4)).toBeGreaterThan(40);
  expect(within(first, 20)).toBe(60);
});

test("an arm as bad as the lower end of its range alarms no more often than was asked for", () => {
  const { alarms, nights } = simulateWatches({ reference: 0.8, now: "low", one_in: 50 }, 15, 4);
  expect(alarms).toBeGreaterThan(0);
  expect(alarms).toBeLessThanOrEqual(nights / 50);
});

const values = (share: number, tasks = 10) =>
  Array.from({ length: tasks }, (_, task) => (task < share * tasks ? 1 : 0));
const seen = (share: number) => ({ values: { solved: values(share), difference: [] }, missing: 0 });
const HELD = [{ by: "solved", mean: 0.8, low: 0.65 }] as const;
const alarmsIn = (shares: readonly number[]) =>
  watchStates(HELD, shares.map(seen), ONE_IN).map(({ alarm, since }) => (alarm ? since : 0));

test("an alarm stands while the fall lasts, goes with it, and the next one is counted anew", () => {
  const fall = [0.3, 0.3, 0.3, 0.3];
  expect(alarmsIn(fall)).toEqual([0, 0, 1, 1]);
  // A night with luck ends no alarm for good.
  expect(alarmsIn([...fall, 0.6, 0.3])).toEqual([0, 0, 1, 1, 0, 1]);
  const healthy = [0.8, 0.9, 0.8, 0.8];
  expect(alarmsIn([...fall, ...healthy, ...fall])).toEqual([
    0,
    0,
    1,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    expect.any(Number),
    expect.any(Number),
  ]);
  expect(alarmsIn([...fall, ...healthy, ...fall]).at(-1)).toBeGreaterThan(4);
});

/** 10 rounds of a scenario that the candidate, arm b, solves in `solved` of them. */
const REFERENCE = seriesOf({ trials: 10, arms: ["baseline", "candidate"], measure: "solved", state: "completed" });

const solvedRows = (
  solved: readonly boolean[],
  parts: (index: number) => Partial<TrialRow["arms"]["b"]> = () => ({}),
) =>
  rowsOf(times(solved.length, "tie")).map((row, index) => ({
    ...row,
    arms: {
      a: { ...row.arms.a, solved: false },
      b: { ...row.arms.b, solved: solved[index] ?? false, ...parts(index) },
    },
  }));

const ROWS = solvedRows([true, true, true, true, true, true, true, true, true, true]);

const nightOf = (night: number, rows: readonly TrialRow[], changes: Partial<SeriesRecord> = {}): Night => {
  const record = { ...seriesOf({ ...REFERENCE.plan, scenarios: ["S"], trials: 1, state: "completed" }), ...changes };
  return { record: { ...record, watch: { reference: REFERENCE.series_id, arm: "candidate", night } }, rows };
};

const reportOf = (nights: readonly Night[], one_in = 20) => {
  const watched = watchedIn(REFERENCE, ROWS, "candidate");
  if (!watched) throw new Error("the reference has no round");
  return watchReport({ reference: REFERENCE, rows: ROWS, arm: "candidate", watched, nights }, one_in);
};

const FAILED = solvedRows([false]);

test("an alarm says which model replied where another did before, or that what changed cannot be told", () => {
  const many = (rows: readonly TrialRow[]) => Array.from({ length: 9 }, (_, at) => nightOf(at + 1, rows));
  const told = reportOf(many(solvedRows([false], () => ({ model_served: "m-2" }))));
  expect(told).toMatchObject({ alarm: true, changed: [{ what: "model_served", from: ["m-1"], to: ["m-2"] }] });
  expect(told.statement).toContain("Alarm: candidate is worse than in");
  expect(told.statement).toContain("Another model replied: m-2, where it was m-1 in the reference.");
  const same = reportOf(many(FAILED));
  expect(same.changed).toEqual([{ what: "cannot_tell" }]);
  expect(same.statement).toContain("What changed cannot be told");
});

test("a night that was stopped does not count, and a trial that gave nothing counts as won", () => {
  const nights = Array.from({ length: 9 }, (_, at) => nightOf(at + 1, FAILED));
  const before = reportOf(nights.slice(0, 4));
  const stopped = reportOf([...nights.slice(0, 4), nightOf(5, FAILED, { state: "cancelled" })]);
  expect(stopped).toMatchObject({ night: 5, nights: 4, alarm: false, evidence: before.evidence, missing: 1 });
  expect(stopped.statement).toBe("Night 5 does not count: its series is cancelled. It says nothing of candidate.");
  const lost = reportOf([...nights.slice(0, 4), nightOf(5, rowsOf(["failed"]))]);
  expect(lost).toMatchObject({ nights: 4, missing: 1, alarm: false });
  expect(lost.statement).toContain("none of its trials gave a result");
  // Even where an alarm stood the night before.
  expect(reportOf([...nights, nightOf(10, FAILED, { state: "interrupted" })]).alarm).toBe(false);
});

test("where a judge's preference is measured, the arm is held to how far it was ahead of the other's stored runs", () => {
  const plan = { trials: 40, arms: ["baseline", "candidate"], state: "completed" as const };
  const judged = (results: readonly Result[]) =>
    rowsOf(results).map((row) => ({
      ...row,
      arms: { a: { ...row.arms.a, solved: null }, b: { ...row.arms.b, solved: null } },
    }));
  const reference = seriesOf(plan);
  const rows = judged([...times(30, "b"), ...times(10, "tie")]);
  const watched = watchedIn(reference, rows, "candidate");
  expect(watched?.held_to).toEqual([{ by: "difference", mean: 0.875, low: expect.any(Number) }]);
  expect(watched?.held_to[0]?.low).toBeLessThan(0.875);
  if (!watched) throw new Error("no round");
  const nights = Array.from({ length: 9 }, (_, at) => nightOf(at + 1, judged(["a"])));
  const of = { reference, rows, arm: "candidate", watched };
  const report = watchReport({ ...of, nights: nights.map((n) => withoutMeasure(n)) }, 20);
  expect(report).toMatchObject({ alarm: true, detectors: [{ by: "difference", tonight: 0 }] });
});

const withoutMeasure = ({ record, rows }: Night): Night => {
  const { measure: _, ...plan } = record.plan;
  return { record: { ...record, plan }, rows };
};

test("a reference that says too little is known before a night is paid for", () => {
  const few = watchedIn(REFERENCE, ROWS.slice(0, 2), "candidate");
  expect(few && watchReach(few, ONE_IN)).toBeNull();
  expect(watchedIn(REFERENCE, [rowOf({ scenario: "S", trial: 1, round: 1 }, "failed")], "candidate")).toBeUndefined();
  const watched = watchedIn(REFERENCE, ROWS, "candidate");
  expect(watched && watchReach(watched, 20)).toMatch(
    /^1 task a night, held to 10 rounds of 100%: a fall to 0 is told in \d+ nights, /,
  );
  expect(armsOf(REFERENCE)).toMatchObject({ control: "baseline", candidate: "candidate" });
});
