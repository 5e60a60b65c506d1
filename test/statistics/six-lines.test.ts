import { expect, test } from "bun:test";
import fc from "fast-check";
import { plainText } from "../../src/domain/plain-text.ts";
import { distanceText, signedPoints } from "../../src/domain/points-text.ts";
import type { Series } from "../../src/domain/series.ts";
import { ANSWER_TEXTS, seriesAnswerOf } from "../../src/domain/series-answer.ts";
import { wordsText } from "../../src/domain/words.ts";
import { seriesJunit } from "../../src/doors/cli/reports/junit.ts";
import { Painter } from "../../src/doors/cli/terminal/paint.ts";
import { summariseSeries } from "../../src/doors/cli/terminal/series-text.ts";
import { briefSeries, briefSeriesText } from "../../src/doors/mcp/view/series-view.ts";
import { seriesCard } from "../../src/doors/report/card.ts";
import { plain, seriesMarkdown } from "../../src/doors/report/markdown.ts";
import { seriesHtml } from "../../src/doors/report/series-html.ts";
import { type GateReason, gateReasonText } from "../../src/statistics/first-line.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { sixLines } from "../../src/statistics/six-lines.ts";
import { GENERATED } from "./generated.ts";
import { type Planned, results, rowsOf, seriesOf } from "./series.ts";

const report = (letters: string, planned: Planned = {}): Promise<Series> =>
  reportOf(seriesOf({ state: "completed", stop: "exhausted", ...planned }), rowsOf(results(letters)), {
    stored: [],
    judge_unaudited: false,
  });

const told = (series: Series, again?: string) => {
  const { first, lines } = sixLines(series, again);
  return { first: wordsText(first), ...Object.fromEntries(lines.map(({ label, words }) => [label, wordsText(words)])) };
};

test("the six lines are true of the fields beside them, and there is always a next step", async () => {
  await fc.assert(
    fc.asyncProperty(GENERATED, async ({ series: record, rows }) => {
      const series = await reportOf(record, rows, { stored: [], judge_unaudited: false });
      const { first, lines } = sixLines(series);
      firstIsTrue(series, first);
      const labels = lines.map(({ label }) => label);
      expect(labels).toEqual((["So", "Also", "For", "Doubts", "Next"] as const).filter((one) => labels.includes(one)));
      expect([labels[0], labels.at(-1)]).toEqual(["So", "Next"]);
      for (const { words } of lines) expect(wordsText(words)).toMatch(/^[^\n]*[.:]$/);
      soIsTrue(series, wordsText(lines[0]?.words ?? []));
    }),
    { numRuns: 60 },
  );
});

function firstIsTrue(series: Series, first: ReturnType<typeof sixLines>["first"]): void {
  const { result, control, arms } = series;
  const side = arms.a.arm_id === control ? "b" : "a";
  const named = first.flatMap((word) => (typeof word === "object" && "arm" in word ? word.arm : []));
  // The candidate is the subject.
  expect([named.length, first[0]]).toEqual([2, { arm: side, name: arms[side].arm_id }]);
  const text = wordsText(first);
  if (result === null) {
    expect(text).toContain("no pair of trials counts");
    return;
  }
  expect(text).toContain(`${signedPoints(result.low)} to ${signedPoints(result.high)}, valid at every look`);
  expect(result.low <= result.difference && result.difference <= result.high).toBe(true);
  if (result.measure === "solved") expect(text).toContain(`: ${distanceText(result.difference)} (`);
  else expect(text).toContain(`in ${result.ahead} of ${result.n} trial`);
}

function soIsTrue(series: Series, so: string): void {
  const { gate, control, arms } = series;
  const candidate = arms.a.arm_id === control ? arms.b.arm_id : arms.a.arm_id;
  expect(so).toStartWith(ANSWER_TEXTS[seriesAnswerOf(series)]);
  expect(so.includes(`lets ${candidate} pass`)).toBe(gate[candidate] != null);
}

test("every door shows the same first line, before any figure and without the long statement in front", async () => {
  const series = await report("++++++++++++-+");
  const first = told(series).first;
  const terminal = summariseSeries(series, {
    painter: Object.defineProperty(new Painter(false), "columns", { get: () => 200 }),
    again: "abeval run x.yaml --state-dir s",
  });
  const lines = terminal.trimEnd().split("\n");
  // On a terminal the answer comes last.
  expect(lines.slice(lines.indexOf(first)).filter((line) => line !== "").length).toBeLessThanOrEqual(7);
  expect(seriesMarkdown(series).split("\n")[2]).toBe(`**${plain(first)}**`);
  expect(/<h1>(.*?)<\/h1>/.exec(await seriesHtml(series))?.[1]?.replaceAll(/<[^>]+>/g, "")).toBe(first);
  expect(/name="conclusion"[^>]*><system-out>(.*)/.exec(seriesJunit(series))?.[1]).toBe(first);
  expect(briefSeriesText(briefSeries(series), series).split("\n")[0]).toBe(first);
  expect(textsIn(seriesCard(series))).toContain(first);
  expect(series.statement).toStartWith(`${first}.`);
});

/** The texts of a picture, in a row. */
const textsIn = (svg: string) =>
  [...svg.matchAll(/<text[^>]*>([^<]*)</g)]
    .map(([, text = ""]) => text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code)))
    .join(" ");

test("every reason for a shut gate has its sentence", () => {
  for (const because of BECAUSE) {
    const text = gateReasonText({ because, needs: 49 }, { candidate: "new", control: "old", not_worse_by: 0.1 });
    expect(text).toMatch(/^[a-z].*; two equal arms would need 49 pairs to show that neither is 10 points worse$/);
    expect(plainText(text)).not.toContain("_");
  }
});

const BECAUSE: readonly GateReason["because"][] = [
  ...(["not_shown", "worse", "lapsed", "means_disagree", "results_changed", "missing_trials"] as const),
  ...(["other_trials_disagree", "judge_failed_self_test", "judge_kin", "no_contrast", "nothing_solved"] as const),
  ...(["few_pairs", "no_variation", "checks_could_not_run", "selected_baseline", "single_run", "control"] as const),
  ...(["cancelled", "inputs_from_checkout"] as const),
];

test("a finding of nights names the series from which on it holds", async () => {
  const series = { ...(await report("++++++++++++")), since: "series-20261124T020000000Z-0a1b2c3d" };
  expect(told(series)).toMatchObject({
    So: "Better since the series of Tuesday 24 November: the gate lets candidate pass.",
  });
});

test("points have a sign, and no range that leaves 0 out reads as if it held it", () => {
  expect([0.44, -0.072, 0, 0.004, -0.000_04, 1, 0.999, 0.999_99].map(signedPoints)).toEqual([
    ...["+44", "-7", "0", "+0.4", "just below 0", "+100", "+99.9", "just below +100"],
  ]);
  expect([0.44, -0.01, 0, 1e-15, 0.012].map(distanceText)).toEqual([
    ...["44 points more", "1 point less", "level", "level", "1 point more"],
  ]);
});

test("a claim among many comparisons is told as such, and its next step are fresh trials", async () => {
  const series = await report("++++++++++++");
  const among = (comparisons: number, changes: Partial<Series> = {}) =>
    told(
      { ...series, ledger: { comparisons, claims: 3, by_chance: comparisons / 20 }, ...changes },
      "abeval run x.yaml",
    );
  expect(among(11)).toMatchObject({
    Doubts: expect.stringContaining("Claim 3 among 11 comparisons on this scenario; by chance alone about .6"),
    Next: "It is one of 11 comparisons: confirm it on fresh trials before you merge, as a new series:",
  });
  const few = among(4);
  expect(few).toMatchObject({ Doubts: expect.stringContaining("about .2"), Next: expect.stringContaining("Merge") });
  expect(JSON.stringify(among(1))).not.toContain("comparisons");
  expect(told(series)).toMatchObject({
    Doubts: "Without a state directory nobody knows how many comparisons there were.",
    Next: expect.stringContaining("Merge"),
  });
  // Earlier trials of the same comparison have shown it already.
  expect(among(11, { earlier: { trials: 30, e: 25, e_with_this: 900 } })).toMatchObject({
    Next: expect.stringContaining("Merge"),
  });
  expect(JSON.stringify(among(11, { conclusion: "undecided" }))).not.toContain("among 11");
});
