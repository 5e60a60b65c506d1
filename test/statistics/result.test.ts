import { expect, test } from "bun:test";
import type { ImportedResults } from "../../src/domain/results.ts";
import { ANSWER_TEXTS, seriesAnswerOf } from "../../src/domain/series-answer.ts";
import { importedSeries, reportOf } from "../../src/statistics/report.ts";
import { type Planned, results, rowsOf, seriesOf } from "./series.ts";

const reported = (letters: string, planned: Planned = {}) =>
  reportOf(seriesOf(planned), rowsOf(results(letters)), { stored: [], judge_unaudited: false });

const TABLE: Omit<ImportedResults, "scenarios" | "measure"> = {
  ...{ tie_margin: 0.05, arms: { a: "new", b: "old" }, levels: { alpha: 0.05, margin: 0.15 } },
};

const importedAs = (measure: "passed" | "score", pairs: readonly (readonly [number, number])[]) =>
  importedSeries(
    {
      ...{ ...TABLE, measure },
      scenarios: pairs.map(([a, b], row) => ({
        scenario: `row ${row}`,
        trials: [[1, a, b]] as [number, number, number][],
      })),
    },
    { series_id: `results-${"0".repeat(64)}` },
  );

test("A series without a trial has no result", async () => {
  expect((await reported("")).result).toBeNull();
});

test("The result speaks of the candidate, whichever arm it is", async () => {
  const first = await reported("++=+-+++");
  expect(first).toMatchObject({ control: "baseline", result: { candidate: "candidate", ahead: 6, behind: 1, n: 8 } });
  const second = await reported("++=+-+++", { arms: ["baseline", "candidate"] });
  expect(second).toMatchObject({ control: "baseline", result: { candidate: "candidate", ahead: 1, behind: 6 } });
  expect(second.result?.difference).toBe(-(first.result?.difference ?? 0));
  expect(second.result?.low).toBeCloseTo(-(first.result?.high ?? 0), 12);
});

test.each([
  [["a", "b"], "a"],
  [["new", "old"], "old"],
  [["current", "previous"], "previous"],
  [["control", "baseline"], "baseline"],
] as const)("Of the arms %p the control is %p", async (arms, control) => {
  expect((await reported("+", { arms: [...arms] })).control).toBe(control);
});

test("A table of passed runs is told by what each arm solved, in points", async () => {
  const { result } = await importedAs("passed", [
    [1, 0],
    [1, 1],
    [0, 0],
    [1, 0],
  ]);
  expect(result).toMatchObject({ measure: "solved", value: { candidate: 0.75, control: 0.25 }, difference: 0.5, n: 4 });
});

test("A table of scores is told by the mean, with a range that holds it", async () => {
  const { result } = await importedAs(
    "score",
    Array.from({ length: 60 }, (_, row) => [0.7 + (row % 3) / 10, 0.6] as const),
  );
  expect(result?.measure).toBe("score");
  expect(result?.value?.candidate).toBeCloseTo(0.8, 12);
  expect(result?.difference).toBeCloseTo(0.2, 12);
  expect(result?.low).toBeGreaterThan(0);
  expect(result?.low).toBeLessThan(0.2);
  expect(result?.high).toBeGreaterThan(0.2);
  expect(result?.high).toBeLessThan(0.5);
});

test("The answer is given for the candidate", async () => {
  const letters = "+".repeat(12);
  expect(ANSWER_TEXTS[seriesAnswerOf(await reported(letters))]).toBe("Better");
  expect(seriesAnswerOf(await reported(letters, { arms: ["baseline", "candidate"] }))).toBe("worse");
  expect(seriesAnswerOf(await reported("+-"))).toBe("not_known");
});
