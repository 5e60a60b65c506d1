import { describe, expect, test } from "bun:test";
import { memberName } from "../../src/domain/member.ts";
import type { Series } from "../../src/domain/series.ts";
import { definitionChanges, readable } from "../../src/doors/web/series/compare/definition.ts";
import { figureGroups, pointsText } from "../../src/doors/web/series/compare/figures.ts";
import {
  changedScenarios,
  kinshipOf,
  scenarioPairs,
  sharedTrials,
  whyNoDifference,
} from "../../src/doors/web/series/compare/kinship.ts";
import { differs, namesOfDifferences, setUpRows } from "../../src/doors/web/series/compare/set-up.ts";
import { results } from "../statistics/series.ts";
import { FIRST, SECOND, type Told, tellingSeries, tellingTrial } from "./two-series.ts";

const ONE: Told = { id: FIRST, results: results("++-+=+-+") };
const OTHER: Told = { ...ONE, id: SECOND };

const both = async (change: Partial<Told>): Promise<readonly [Series, Series]> => [
  await tellingSeries(ONE),
  await tellingSeries({ ...OTHER, ...change }),
];

/** A series of two rows of one table. */
async function rowsOf(told: Told): Promise<Series> {
  const series = await tellingSeries({ ...told, scenarios: ["S", "R"] });
  const asRow = <Each extends { readonly scenario: string }>(each: Each) => ({
    ...each,
    ...{ scenario: "table", input: each.scenario },
  });
  return { ...series, scenarios: series.scenarios.map(asRow), trials: series.trials.map(asRow) };
}

describe("what two series have to do with each other", () => {
  test.each([
    ["repeats", {}, null],
    ["variants", { definition: "changed" }, null],
    ["variants", { judge_model: "K" }, null],
    ["apart", { scenarios: ["S", "R"] }, /other arms or on other scenarios/],
    ["apart", { arms: ["baseline", "candidate"] }, /other arms or on other scenarios/],
    ["one", { id: FIRST }, /one series/],
    ["repeats", { results: results("i") }, /No trial counts/],
    ["repeats", { alpha: 0.1 }, /other statistics/],
    ["repeats", { day: "20260101" }, /in both series/],
  ] as [string, Partial<Told>, RegExp | null][])(
    "%s, and whether a difference means something: %j",
    async (kinship, change, why) => {
      const two = await both(change);
      expect<string>(kinshipOf(two)).toBe(kinship);
      if (why === null) expect(whyNoDifference(two)).toBeNull();
      else expect(whyNoDifference(two)).toMatch(why);
    },
  );

  test("rows of one table are told apart: two series of it repeat each other, or one of its rows has changed", async () => {
    const two = [await rowsOf(ONE), await rowsOf(OTHER)] as const;
    expect(kinshipOf(two)).toBe("repeats");
    expect(whyNoDifference(two)).toBeNull();
    const [first, second] = two[1].scenarios;
    if (!first || !second) throw new Error("a row is missing");
    const changed = { ...two[1], scenarios: [first, { ...second, digest: "0", comparison: "0" }] };
    expect(changedScenarios([two[0], changed])).toEqual([memberName(second)]);
    const rows = setUpRows([
      { series: two[0], trial: null },
      { series: changed, trial: null },
    ]);
    expect(rows.filter(differs).map(({ name }) => name)).toEqual(["Definition of table[R]"]);
    expect(scenarioPairs([two[0], changed]).map((pair) => `${memberName(pair.member)} ${pair.changed}`)).toEqual([
      "table[S] false",
      "table[R] true",
    ]);
    const other = { ...two[1], scenarios: [first] };
    expect(kinshipOf([two[0], other])).toBe("apart");
  });

  test("copies of one run give no range of a difference, of win rates or of checks", async () => {
    const [one, other] = await both({});
    const copies: Series = { ...other, flags: ["no_variation"] };
    expect(whyNoDifference([one, copies])).toMatch(/copies/);
    expect(figureGroups([one, copies])[0]?.rows[0]?.difference).toBeNull();
    expect(figureGroups([one, other])[0]?.rows[0]?.difference).toStartWith("0 points, range −");
  });

  test("a stored series holds the trials of a planned one", async () => {
    expect(sharedTrials(await both({ day: "20260101" }))).toBe(8);
    expect(sharedTrials(await both({}))).toBe(0);
  });
});

describe("what differs in the set-up", () => {
  const setUps = async (change: Partial<Told>) => {
    const [one, other] = await both(change);
    return setUpRows([
      { series: one, trial: tellingTrial(ONE) },
      { series: other, trial: tellingTrial({ ...OTHER, ...change }) },
    ]);
  };

  test("is named: what a win rate may depend on first, how the series was run last", async () => {
    const rows = (await setUps({ judge_model: "K", definition: "changed", trials: 50, margin: 0.1 })).filter(differs);
    expect(rows.map(({ name }) => name)).toEqual([
      ...["Judge", "Judge's prompt", "Definition of S"],
      ...["Margin", "Trials of each scenario"],
    ]);
    expect(namesOfDifferences(rows)).toBe("Judge, Judge's prompt, Definition of S");
  });

  test("is nothing for a repetition", async () => {
    expect((await setUps({})).filter(differs)).toEqual([]);
  });

  test("is known without a stored trial as far as the series tells", async () => {
    const [one, other] = await both({ judge_model: "K" });
    const rows = setUpRows([
      { series: one, trial: null },
      { series: other, trial: null },
    ]);
    expect(namesOfDifferences(rows)).toBe("Judge");
    expect(rows.map(({ name }) => name)).not.toContain("Model of arm A");
  });
});

test("what is not known of one is shown, and is not said to differ", async () => {
  const [one, other] = await both({ judge_model: "K" });
  const stored: Series = {
    ...other,
    ...{ kind: "stored", plan: null, limits: null },
    scenarios: other.scenarios.map((row) => ({ ...row, digest: null })),
  };
  const rows = setUpRows([
    { series: one, trial: null },
    { series: stored, trial: null },
  ]);
  expect(rows.filter(differs).map(({ name }) => name)).toContain("Definition of S");
  expect(namesOfDifferences(rows)).toBe("Judge");
});

test("a changed prompt is the one part of a definition that is shown, by its lines", () => {
  const changes = definitionChanges([tellingTrial(ONE), tellingTrial({ ...ONE, prompt: "Fix the bug.\nSay why." })]);
  expect(changes.map(({ path }) => path)).toEqual(["arm candidate.yaml"]);
  const added = changes[0]
    ?.read()
    .lines.filter(({ kind }) => kind === "added")
    .map(({ text }) => text);
  expect(added).toEqual(["system_prompt: |", "  Fix the bug.", "  Say why."]);
});

test("a definition as text has a name on each line, in an order that does not depend on the value's", () => {
  expect(readable({ b: { y: [1, { z: "two\nlines", k: null }], x: [] }, a: true, gone: undefined })).toBe(
    "a: true\nb:\n  x: []\n  y:\n    - 1\n    - k: null\n      z: |\n        two\n        lines\n",
  );
});

test.each([
  [0.2, "+20"],
  [-0.034, "−3"],
  [0.004, "+0.4"],
  [-0.0001, "just below 0"],
  [0, "0"],
] as const)("%p as points never reads as 0 when it is not", (share, text) => {
  expect(pointsText(share)).toBe(text);
});

test("figures of other arms or scenarios stand beside each other without a difference", async () => {
  const rows = figureGroups(await both({ scenarios: ["R"] })).flatMap((group) => group.rows);
  expect(rows.map(({ difference }) => difference)).toEqual(Array.from({ length: 8 }, () => null));
  const same = figureGroups(await both({})).flatMap((group) => group.rows);
  expect(same.map(({ difference }) => difference).slice(-2)).toEqual(["the same", "the same"]);
});
