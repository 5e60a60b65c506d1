import { expect, test } from "bun:test";
import { abridged } from "../../src/doors/operation/series.ts";
import { everyMember, memberLines, memberRows } from "../../src/doors/web/series/members.ts";
import { failedShown, whatFailed } from "../../src/statistics/what-failed.ts";
import { longTable } from "./long-table.ts";

const TABLE = longTable(12);

const names = (lines: ReturnType<typeof memberLines>) =>
  lines.map((line) =>
    line.kind === "group" ? `${line.value}: ${line.rows}` : line.name.slice("sums[row-".length, -1),
  );

test("rows in which the arms differ come first, and equal ones stay in the order of the plan", async () => {
  const series = await TABLE;
  expect(names(memberLines(memberRows(series), series.columns, { order: "differs", by: null, only: null }))).toEqual(
    "5 10 0 1 2 3 4 6 7 8 9 11".split(" "),
  );
  expect(
    names(memberLines(memberRows(series), series.columns, { order: "missing", by: null, only: null })).slice(0, 3),
  ).toEqual("0 7 1".split(" "));
});

test("rows are grouped by a column of the table, each group with its sums and its own order", async () => {
  const series = await TABLE;
  const lines = memberLines(memberRows(series), series.columns, { order: "differs", by: "language", only: null });
  expect(names(lines)).toEqual("de: 4|0|3|6|9|en: 4|10|1|4|7|fr: 4|5|2|8|11".split("|"));
  expect(lines[5]).toEqual({ kind: "group", value: "en", rows: 4, won: { a: 0, none: 2, b: 1 } });
});

test("a table shows only the rows in which something failed", async () => {
  const series = await TABLE;
  const [only = null] = whatFailed(series);
  expect(names(memberLines(memberRows(series), series.columns, { order: "plan", by: null, only }))).toEqual([
    "5",
    "10",
  ]);
});

test("failures are told by check and by reason, what failed in most rows first", async () => {
  const series = await longTable(40);
  expect(whatFailed(series).map(({ rows, ...failed }) => ({ ...failed, rows: rows.length }))).toEqual([
    { what: "names-it", is_check: true, by_arm: { a: 6, b: 0 }, rows: 6 },
    { what: "no answer", is_check: false, by_arm: null, rows: 5 },
    { what: "no such command", is_check: false, by_arm: null, rows: 1 },
  ]);
});

test("reasons that differ in a number, an id or a quoted word are one; cancelled trials are no failure", async () => {
  const series = await longTable(20);
  const reasons = ['file "a.txt" is gone in 12 s', 'file "b.txt" is gone in 3 s', "another reason"];
  const trials = series.trials
    .filter(({ state }) => state === "failed")
    .map((trial, index) => ({ ...trial, failure: reasons[index] ?? null }));
  const cancelled = { ...trials[0], state: "cancelled", failure: "The series was cancelled." };
  const failed = whatFailed({ ...series, trials: [...trials, cancelled] as typeof trials });
  expect(failed.filter(({ is_check }) => !is_check)).toEqual([
    { what: 'file "a.txt" is gone in 12 s', is_check: false, by_arm: null, rows: ["sums[row-0]", "sums[row-7]"] },
    { what: "another reason", is_check: false, by_arm: null, rows: ["sums[row-14]"] },
  ]);
});

test("rows that an answer leaves out are counted", async () => {
  const short = abridged(await longTable(501));
  expect([short.scenarios.length, everyMember(short)]).toEqual([500, 501]);
});

test("rows that a line of failures does not name are counted with a comma", () => {
  const rows = Array.from({ length: 2_000 }, (_, index) => `row-${index}`);
  expect(failedShown(rows)).toEqual({ named: ["row-0", "row-1", "row-2"], more: " and 1,997 more" });
});
