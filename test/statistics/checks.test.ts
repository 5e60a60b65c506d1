import { expect, test } from "bun:test";
import { wilson } from "../../src/domain/binomial.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { checkRates } from "../../src/statistics/arm-rates.ts";
import { checksOf } from "../../src/statistics/summary/scenario-rows.ts";
import { results, rowsOf } from "./series.ts";

type Said = Record<string, boolean> | undefined;

/** Trials of one scenario, each with what the checks of both arms said. */
const rowsWith = (letters: string, ...checks: readonly (readonly [a: Said, b: Said])[]) =>
  rowsOf(results(letters)).map((row, trial) => {
    const [a, b] = checks[trial] ?? [];
    const { arms } = row;
    return { ...row, arms: { a: { ...arms.a, ...(a && { checks: a }) }, b: { ...arms.b, ...(b && { checks: b }) } } };
  });

test("each check is counted for each arm, in the scenario's order", () => {
  const rows = rowsWith(
    "++-",
    [
      { visible: true, hidden: true },
      { visible: true, hidden: false },
    ],
    [
      { visible: true, hidden: false },
      { visible: true, hidden: false },
    ],
    [
      { visible: true, hidden: true },
      { visible: false, hidden: false },
    ],
  );
  expect(checksOf(rows)).toEqual([
    { id: "visible", a: { passed: 3, trials: 3, ...wilson(3, 3) }, b: { passed: 2, trials: 3, ...wilson(2, 3) } },
    { id: "hidden", a: { passed: 2, trials: 3, ...wilson(2, 3) }, b: { passed: 0, trials: 3, ...wilson(0, 3) } },
  ]);
});

test("rows of one scenario's inputs share its checks, and are counted together", () => {
  const rate = (passed: number, trials: number) => ({ passed, trials, ...wilson(passed, trials) });
  const likeIt = EXAMPLES.series.scenarios.slice(0, 1);
  const row = (scenario: string, input: string | undefined, a: number, b: ReturnType<typeof rate> | null) =>
    likeIt.map((like) => ({
      ...{ ...like, scenario, checks: [{ id: "polite", a: rate(a, 2), b }] },
      ...(input !== undefined && { input }),
    }));
  const rows = [
    ...row("table", "1", 2, null),
    ...row("table", "2", 1, rate(0, 2)),
    ...row("other", undefined, 0, null),
  ];
  expect(checkRates(rows)).toEqual([
    { scenario: "table", id: "polite", a: rate(3, 4), b: rate(0, 2) },
    { scenario: "other", id: "polite", a: rate(0, 2), b: null },
  ]);
});

test("rows of earlier versions and runs that failed tell nothing of a check", () => {
  const rows = rowsWith(
    "+x+",
    [undefined, undefined],
    [{ hidden: true }, { hidden: true }],
    [{ hidden: true }, undefined],
  );
  expect(checksOf(rows)).toEqual([{ id: "hidden", a: { passed: 1, trials: 1, ...wilson(1, 1) }, b: null }]);
  expect(checksOf(rowsWith("++"))).toEqual([]);
});

test("a check may be named like what every object has", () => {
  const rows = rowsWith("++", [{ constructor: false }, undefined], [{ hidden: true }, { hidden: true }]);
  expect(checksOf(rows)).toContainEqual({ id: "constructor", a: { passed: 0, trials: 1, ...wilson(0, 1) }, b: null });
});
