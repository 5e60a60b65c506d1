import { describe, expect, test } from "bun:test";
import type { Series } from "../../src/domain/series.ts";
import type { TrialArm, TrialRow } from "../../src/domain/trial.ts";
import { wordsText } from "../../src/domain/words.ts";
import { demandTwoArms } from "../../src/doors/operation/find-series.ts";
import { seriesOfResults } from "../../src/doors/operation/results.ts";
import { usedRatio } from "../../src/statistics/claim/efficiency.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { sixLines } from "../../src/statistics/six-lines.ts";
import { type Planned, type Result, results, rowOf, seriesOf } from "./series.ts";

/** What each arm of a trial used, by its number from 1. */
type Using = (trial: number) => { readonly a?: Partial<TrialArm>; readonly b?: Partial<TrialArm> };

const rowsUsing = (letters: readonly Result[], using: Using, parts: Partial<TrialRow> = {}): TrialRow[] =>
  letters.map((result, index) => {
    const row = rowOf({ trial: index + 1, round: index + 1, scenario: "S" }, result, parts);
    const { a, b } = using(index + 1);
    return { ...row, arms: { a: { ...row.arms.a, ...a }, b: { ...row.arms.b, ...b } } };
  });

const report = (rows: readonly TrialRow[], planned: Planned = {}, stored: readonly TrialRow[] = []): Promise<Series> =>
  reportOf(seriesOf({ state: "completed", stop: "exhausted", trials: rows.length, ...planned }), rows, {
    stored,
    judge_unaudited: false,
  });

const also = (series: Series) => wordsText(sixLines(series).lines.find(({ label }) => label === "Also")?.words ?? []);

const ties = (count: number) => results("=".repeat(count));

/** The candidate, arm a, costs between .5 and .75 of what the control does. */
const CHEAPER: Using = (trial) => ({ a: { cost_usd: 0.5 + (trial % 6) / 20 }, b: { cost_usd: 1 } });

describe("what the candidate uses", () => {
  test("twelve cheaper pairs of twelve are a claim, eleven are none", async () => {
    const of = async (count: number) => (await report(rowsUsing(ties(count), CHEAPER))).efficiency.cost_usd;
    expect(await of(11)).toMatchObject({ claim: null, n: 11 });
    const twelve = await of(12);
    expect(twelve).toMatchObject({ claim: "lower", n: 12, low: null, high: null });
    expect(twelve.ratio).toBeCloseTo(0.625, 10);
  });

  test("from thirty pairs on the ratio has a range, and the line says it in percent", async () => {
    const none = await report(rowsUsing(ties(29), CHEAPER));
    expect(none.efficiency.cost_usd.low).toBeNull();
    expect(also(none)).toContain("shown: 37% cheaper.");
    const series = await report(rowsUsing(ties(30), CHEAPER));
    const { ratio, low, high } = series.efficiency.cost_usd;
    expect([low, ratio, high].map((one) => Math.round(100 * (one ?? 0)))).toEqual([57, 63, 68]);
    expect(also(series)).toContain("shown: 38% cheaper (32 to 43%).");
  });

  test("each figure is its own, and is told from the side of the candidate", async () => {
    const rows = rowsUsing(ties(20), () => ({
      a: { cost_usd: 1, tokens_in: 300, tokens_out: 10, turns: 4, wall_ms: 10 },
      b: { cost_usd: 1, tokens_in: 200, tokens_out: 20, turns: 2, wall_ms: 20 },
    }));
    const claims = async (planned: Planned) => {
      const { efficiency } = await report(rows, planned);
      return Object.fromEntries(
        Object.entries(efficiency).map(([figure, { claim, ratio }]) => [figure, [ratio, claim]]),
      );
    };
    expect(await claims({})).toEqual({
      cost_usd: [1, null],
      tokens_in: [1.5, "higher"],
      tokens_out: [0.5, "lower"],
      turns: [2, "higher"],
      wall_ms: [0.5, "lower"],
    });
    expect(await claims({ arms: ["baseline", "candidate"] })).toMatchObject({
      tokens_in: [2 / 3, "lower"],
      turns: [0.5, "lower"],
      wall_ms: [2, "higher"],
    });
  });

  test("a pair of which one figure is unknown does not count, and is no 0", async () => {
    const rows = rowsUsing(ties(20), (trial) => ({
      a: { cost_usd: trial > 12 ? null : 1 },
      b: { cost_usd: 2 },
    }));
    const { cost_usd, tokens_in, turns } = (await report(rows)).efficiency;
    expect(cost_usd).toMatchObject({ n: 12, ratio: 0.5, claim: "lower" });
    const unknown = { n: 0, ratio: null, low: null, high: null, claim: null };
    expect([tokens_in, turns]).toEqual([unknown, unknown]);
  });

  test("most pairs and all together have to say the same", async () => {
    const rows = rowsUsing(ties(20), (trial) => ({ a: { cost_usd: trial === 20 ? 40 : 1 }, b: { cost_usd: 2 } }));
    expect((await report(rows)).efficiency.cost_usd).toMatchObject({ claim: null, n: 20, ratio: 59 / 40 });
  });

  test("each trial without a result counts against the claim", async () => {
    const of = async (lost: number) =>
      (await report(rowsUsing([...ties(14), ...results("x".repeat(lost))], CHEAPER))).efficiency.cost_usd;
    expect(await of(1)).toMatchObject({ claim: "lower", n: 14 });
    expect(await of(2)).toMatchObject({ claim: null, n: 14 });
  });

  test("a claim has to be borne out by all stored trials of the comparison", async () => {
    const own = rowsUsing(ties(14), CHEAPER);
    const before = rowsUsing(ties(12), (trial) => ({ a: { cost_usd: 2 + trial / 100 }, b: { cost_usd: 1 } }), {
      place: null,
    }).map((row, index) => ({
      ...row,
      session_id: `session-S-20250101T${String(index + 1).padStart(9, "0")}Z`,
      conduct: null,
    }));
    expect((await report(own, {}, [...before, ...own])).efficiency.cost_usd).toMatchObject({ claim: null, n: 14 });
    expect((await report(own)).efficiency.cost_usd.claim).toBe("lower");
  });

  test("rows of a cluster are one pair in each round: what they used together", async () => {
    const scenarios = ["S", "T", "U"];
    const costs = { S: [1, 3], T: [2, 1], U: [1, 2] } as const;
    const rows = Array.from({ length: 36 }, (_, index) => {
      const scenario = scenarios[index % 3] as keyof typeof costs;
      const row = rowOf({ trial: index + 1, round: Math.floor(index / 3) + 1, scenario }, "tie");
      const [a, b] = costs[scenario];
      return { ...row, arms: { a: { ...row.arms.a, cost_usd: a }, b: { ...row.arms.b, cost_usd: b } } };
    });
    const of = async (planned: Planned) => (await report(rows, { scenarios, ...planned })).efficiency.cost_usd;
    expect(await of({ cluster: { field: "topic", of_row: [0, 0, 1] } })).toMatchObject({ n: 24, claim: "lower" });
    expect(await of({})).toMatchObject({ n: 36, claim: null, ratio: 4 / 6 });
  });

  test("the time of a stored run, or of another machine, is compared with nothing", async () => {
    const quick: Using = () => ({ a: { wall_ms: 5 }, b: { wall_ms: 50 } });
    const n = async (using: Using, parts: Partial<TrialRow> = {}) =>
      (await report(rowsUsing(ties(20), using, parts))).efficiency.wall_ms.n;
    expect(await n(quick)).toBe(20);
    expect(await n(quick, { stored_run: "session-x" })).toBe(0);
    expect(await n(() => ({ a: { wall_ms: 5, by_log: true }, b: { wall_ms: 50 } }))).toBe(0);
  });

  test("nothing is told of what cost nothing", async () => {
    const free = await report(rowsUsing(ties(40), () => ({ a: { cost_usd: 0 }, b: { cost_usd: 0 } })));
    expect(free.efficiency.cost_usd).toEqual({ ratio: null, low: null, high: null, claim: null, n: 40 });
  });
});

test("the range of a ratio is the same for either direction, and closes on the ratio", () => {
  const pairs = Array.from({ length: 400 }, (_, index) => ({ candidate: 2 + (index % 3), control: 4 + (index % 5) }));
  const turned = pairs.map(({ candidate, control }) => ({ candidate: control, control: candidate }));
  const of = (count: number) => usedRatio(pairs.slice(0, count), { alpha: 0.05, missing: 0 });
  const [few, many] = [of(60), of(400)];
  const back = usedRatio(turned, { alpha: 0.05, missing: 0 });
  expect(1 / (back.high ?? 0)).toBeCloseTo(many.low ?? 0, 12);
  expect((few.high ?? 0) - (few.low ?? 0)).toBeGreaterThan(2 * ((many.high ?? 0) - (many.low ?? 0)));
});

test("a table that says what its runs used tells who is cheaper, and its report adds up no costs", async () => {
  const rows = Array.from({ length: 15 }, (_, index) => [
    {
      scenario: "S",
      trial: index + 1,
      arm: "new",
      passed: 1,
      cost_usd: 0.5,
      wall_ms: 800,
      turns: index === 3 ? null : 3,
    },
    {
      scenario: "S",
      trial: index + 1,
      arm: "old",
      passed: index === 0 ? 0 : 1,
      cost_usd: "1.0e0",
      wall_ms: 2_000,
      turns: 3,
    },
  ]).flat();
  const text = rows.map((row) => JSON.stringify(row)).join("\n");
  const { series } = await seriesOfResults(text, "jsonl", { arms: "new,old" });
  const { cost_usd, wall_ms, turns, tokens_in } = demandTwoArms(
    (await seriesOfResults(text, "jsonl", {})).series,
  ).efficiency;
  expect([cost_usd, wall_ms, turns, tokens_in].map(({ ratio, claim, n }) => [ratio, claim, n])).toEqual([
    [0.5, "lower", 15],
    [0.4, "lower", 15],
    [1, null, 14],
    [null, null, 0],
  ]);
  expect(series.cost_usd).toEqual({ total: null, per_trial: null, to_claim: null });
  const plain = rows.map(({ cost_usd: _cost, wall_ms: _ms, turns: _turns, ...row }) => JSON.stringify(row)).join("\n");
  const { results } = await seriesOfResults(plain, "jsonl", {});
  expect(Object.keys(results.scenarios[0] ?? {})).toEqual(["scenario", "trials"]);
});
