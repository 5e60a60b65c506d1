import { describe, expect, test } from "bun:test";
import type { TrialRow } from "../../src/domain/trial.ts";
import {
  deletedOf,
  failuresIn,
  missingBy,
  roundsToStart,
  tallyByScenario,
  tallyOf,
} from "../../src/statistics/claim/tally.ts";
import { results, rowOf, rowsOf } from "./series.ts";

const told = (letters: string) => {
  const { counted, waiting, running, missing } = tallyOf(rowsOf(results(letters)));
  return { d: counted.map(({ d }) => d), waiting, running, ...missing };
};

const KILLED = { class: "infra", code: "killed_from_outside", message: "killed" } as const;

const NONE = { waiting: 0, running: 0, invalid: 0, failed: 0, cancelled: 0 };

test("a winner counts for its side, everything else that a judge can say as no winner", () => {
  expect(told("+-=~?")).toEqual({ ...NONE, d: [1, -1, 0, 0, 0] });
});

test("who won counts whatever decided it", () => {
  const rows = rowsOf(results("+-"), { decided_by: "probe" });
  expect(tallyOf(rows).counted.map(({ d }) => d)).toEqual([1, -1]);
});

test("what gave nothing is missing and never a trial without a winner", () => {
  expect(told("+!xuic=")).toEqual({ ...NONE, d: [1, 0], invalid: 1, failed: 3, cancelled: 1 });
});

test("a run that is complete without a verdict of its own is missing", () => {
  const rows = rowsOf(results("+"), { outcome: null, winner_side: null });
  expect(tallyOf(rows)).toMatchObject({ counted: [], missing: { failed: 1 } });
});

test("what ended behind one that runs waits for it", () => {
  expect(told("+r-!+")).toEqual({ ...NONE, d: [1], waiting: 2, running: 1, invalid: 1 });
});

test("each counted trial knows what was lost before it", () => {
  expect(tallyOf(rowsOf(results("x+!=c"))).counted.map(({ missing_before }) => missing_before)).toEqual([1, 2]);
  expect(tallyOf(rowsOf(results("c+"))).counted.map(({ missing_before }) => missing_before)).toEqual([1]);
});

test("a trial that failed while it was judged once more has failed, whatever the first judging gave", () => {
  const rows = rowsOf(results("x"), { outcome: "invalid", decided_by: "none" });
  expect(tallyOf(rows).missing).toEqual({ invalid: 0, failed: 1, cancelled: 0 });
});

test("rows come to their scenario by number, whatever order they are in", () => {
  const rows = [3, 1, 4, 2].map((trial) => rowOf({ trial, round: 1, scenario: trial % 2 ? "S" : "R" }, "a"));
  const tallies = tallyByScenario([{ scenario: "S" }, { scenario: "R" }], rows, 6);
  expect(tallies.map((tally) => tally.rows.map(({ place }) => place?.trial))).toEqual([
    [1, 3],
    [2, 4],
  ]);
});

test("numbers that nobody has are deleted trials", () => {
  expect(deletedOf(rowsOf(results("++++")).filter((_, place) => place % 2 === 1))).toBe(2);
  expect(deletedOf([])).toBe(0);
});

test("blame goes to the arm whose run broke, and to nobody for what a person cancelled", () => {
  const [lost] = rowsOf(results("x"));
  if (!lost) throw new Error("there is one");
  const broken = (a: boolean, b: boolean) => ({
    ...lost,
    arms: { a: { ...lost.arms.a, broken: a }, b: { ...lost.arms.b, broken: b } },
  });
  const rows = [broken(true, false), broken(false, true), broken(true, true), broken(false, false)];
  expect(missingBy([tallyOf([...rows, ...rowsOf(results("c!"))])])).toEqual({ a: 1, b: 1, both: 1, judge: 2 });
});

test("rounds to start are the lost ones and those that nobody began, within the plan as it is now", () => {
  expect(roundsToStart(tallyOf(rowsOf(results("+x!c"))), 6)).toEqual([2, 5, 6]);
  expect(roundsToStart(tallyOf(rowsOf(results("+xx"))), 2)).toEqual([2]);
});

describe("trials that were killed from outside", () => {
  const killed = { state: "interrupted", killed: 1, failure: KILLED } as const;
  const tries = (count: number, round: number, parts: Partial<TrialRow> = killed) =>
    Array.from({ length: count }, (_, index) =>
      rowOf({ trial: 10 * round + index, round, scenario: "S" }, "failed", parts),
    );

  test("are begun again twice, and are missing then", () => {
    expect(roundsToStart(tallyOf(tries(1, 1)), 1)).toEqual([1]);
    expect(roundsToStart(tallyOf(tries(2, 1)), 1)).toEqual([1]);
    expect(roundsToStart(tallyOf(tries(3, 1)), 2)).toEqual([2]);
    expect(tallyOf([...tries(3, 1), rowOf({ trial: 20, round: 2, scenario: "S" }, "a")])).toMatchObject({
      counted: [{ missing_before: 3 }],
      missing: { failed: 3 },
    });
  });

  test("count as often as a worker has begun them", () => {
    expect(roundsToStart(tallyOf(tries(1, 1, { ...killed, killed: 3 })), 2)).toEqual([2]);
  });

  test("do not end a series in which others get through, and end one in which none does", () => {
    const rows = [1, 2, 3, 4, 5].flatMap((round) => tries(2, round));
    expect(failuresIn(rows)).toBe(10);
    expect(failuresIn([...rows, rowOf({ trial: 90, round: 9, scenario: "S" }, "b")])).toBe(0);
    expect(failuresIn([...rowsOf(results("x+x")), ...rows])).toBe(2);
  });
});
