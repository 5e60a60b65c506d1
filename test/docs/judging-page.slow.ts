import { expect, test } from "bun:test";
import { type Merged, mergeOrders } from "../../src/comparison/judge/asking/masked-repetition.ts";
import type { Label } from "../../src/comparison/judge/verdict/score-table.ts";
import { FLAGS, Verdict } from "../../src/domain/verdict.ts";
import { byRule } from "../judge/simulation/by-rule.ts";
import { JUDGES, TASTE } from "../judge/simulation/pairs.ts";
import { byJudgeAlone, byOneCall, ratesOf } from "../judge/simulation/rates.ts";
import { selfTestRates, TESTED_JUDGES } from "../judge/simulation/self-tests.ts";
import { pageNamed, tableBelow } from "./pages.ts";

const page = pageNamed("docs/judging.md");
const words = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word);

test("every flag is explained, and no other", () => {
  const told = tableBelow(page, "## Flags").flatMap(([flag = ""]) => words(flag));
  expect(told.sort()).toEqual([...FLAGS].sort());
});

test("every field of a verdict is explained, and no other", () => {
  const told = tableBelow(page, "| Field | Here |").flatMap(([field = ""]) => words(field));
  expect([...told, "verdict_id", "created_at"].sort()).toEqual(Object.keys(Verdict.properties).sort());
});

test("the table of merged orders says what the code does", () => {
  const labels: readonly (Label | null)[] = ["a", "tie", "b", null];
  const rows = tableBelow(page, "Each order's gap").map(([, ...cells]) => cells);
  expect(rows).toEqual(labels.map((ab) => labels.map((ba) => cellOf(mergeOrders(ab, ba)))));
});

function cellOf({ outcome, winner_side, lean_side }: Merged): string {
  if (winner_side) return `\`${outcome}\` ${winner_side}`;
  return lean_side ? `\`${outcome}\`, lean ${lean_side}` : `\`${outcome}\``;
}

/** Of so many pairs a share is within a point of that of the page, which took ten times as many. */
const SAMPLE = { pairs: 20_000, seed: 5 };
const POINT = 0.01;

const NAMES = [
  ["good", "good"],
  ["middling", "mid"],
  ["weak", "weak"],
] as const;

test.each(NAMES)("the rates of a %s judge are those of the rules", async (name, key) => {
  const { right, wrong, on_equal, high, high_right, high_on_equal, calls } = await ratesOf(byRule, {
    faults: JUDGES[key],
    ...SAMPLE,
  });
  const row = tableBelow(page, "**What `high` promises.**").find(([judge]) => judge === name) ?? [];
  const told = row.slice(1).map((cell) => Number.parseFloat(cell) / (cell.endsWith("%") ? 100 : 1));
  const found = [right, wrong, on_equal, high, high_right, high_on_equal, calls / 10];
  const apart = found.map((figure, at) => Math.abs(figure - (told[at] ?? Number.NaN) / (at === 6 ? 10 : 1)));
  expect(apart).toHaveLength(7);
  expect(Math.max(...apart)).toBeLessThan(POINT);
});

test("the rates of one call are those of the judges", async () => {
  const [, wrongs = "", equals = ""] =
    /names the wrong arm in ([\d., and]+)% of the unequal pairs, and a winner in ([\d., and]+)%/.exec(page.text) ?? [];
  const figures = (text: string) => text.split(/, | and /).map((figure) => Number.parseFloat(figure) / 100);
  const rates = await Promise.all(
    NAMES.map(async ([, key]) => await ratesOf(byOneCall, { faults: JUDGES[key], ...SAMPLE })),
  );
  const told = [...figures(wrongs), ...figures(equals)];
  const found = [...rates.map(({ wrong }) => wrong), ...rates.map(({ on_equal }) => on_equal)];
  expect(told).toHaveLength(6);
  expect(Math.max(...found.map((figure, at) => Math.abs(figure - (told[at] ?? Number.NaN))))).toBeLessThan(2 * POINT);
});

test("confidence under a judge of persistent taste is as often high, and as seldom right, as the page says", async () => {
  const [, high = "", right = "", seed = "", pairs = ""] =
    /([\d.]+)% of its verdicts are `high`, and ([\d.]+)% of those on unequal arms are right \(seed (\d+), ([\d,]+)\s+pairs\)/.exec(
      page.text,
    ) ?? [];
  const sample = { faults: TASTE, pairs: Number(pairs.replace(",", "")), seed: Number(seed) };
  expect(sample.pairs).toBeGreaterThanOrEqual(2_000);
  const rates = await ratesOf(byJudgeAlone(byRule), sample);
  expect([(100 * rates.high).toFixed(1), (100 * rates.high_right).toFixed(1)]).toEqual([high, right]);
});

/** Of so many self-tests a share is within three standard errors of that of the page, which took four times as many. */
const SELF_TESTS = 500;
const APART = 3 * Math.sqrt((0.25 / SELF_TESTS) * (1 + 1 / 4));

test("the worse a judge, the more often it fails its self-test, as often as the page says", async () => {
  const rows = tableBelow(page, "**What a self-test is worth.**");
  expect(rows.map(([name]) => name)).toEqual(TESTED_JUDGES.map(([name]) => name));
  const failing: number[] = [];
  for (const [index, [, faults]] of TESTED_JUDGES.entries()) {
    const { pass, warn, fail, calls } = await selfTestRates(byRule, { faults, tests: SELF_TESTS, seed: 5 });
    const told = (rows[index] ?? []).slice(1).map((cell) => Number.parseFloat(cell));
    const [passed = Number.NaN, open = Number.NaN, failed = Number.NaN, asked = Number.NaN] = told;
    for (const [found, share] of [[pass, passed] as const, [warn, open] as const, [fail, failed] as const])
      expect(Math.abs(found - share / 100)).toBeLessThan(APART);
    expect(Math.abs(calls / asked - 1)).toBeLessThan(0.05);
    failing.push(fail);
  }
  const [good = 1, middling = 1, weak = 1, pulled = 1] = failing;
  expect(good).toBeLessThan(0.1);
  expect([middling > good, weak > middling, pulled > weak]).toEqual([true, true, true]);
});
