import { expect, test } from "bun:test";
import type { Series } from "../../src/domain/series.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { wordsText } from "../../src/domain/words.ts";
import { seriesJunit } from "../../src/doors/cli/reports/junit.ts";
import { Painter } from "../../src/doors/cli/terminal/paint.ts";
import { summariseSeries } from "../../src/doors/cli/terminal/series-text.ts";
import { plain, seriesMarkdown } from "../../src/doors/report/markdown.ts";
import { seriesHtml } from "../../src/doors/report/series-html.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { sixLines } from "../../src/statistics/six-lines.ts";
import { type Planned, type Result, results, rowOf, rowsOf, seriesOf, times } from "../statistics/series.ts";
import { turnsDuring } from "../turns.ts";

const report = async (planned: Planned, rows: readonly TrialRow[]): Promise<Series> =>
  await reportOf(seriesOf({ state: "completed", stop: "exhausted", ...planned }), rows, {
    stored: [],
    judge_unaudited: false,
  });

const suite = (outcomes: readonly Result[], parts: Partial<TrialRow> = {}) =>
  outcomes.map((result, index) =>
    rowOf(
      { trial: index + 1, round: Math.floor(index / 2) + 1, scenario: index % 2 === 0 ? "one" : "two" },
      result,
      parts,
    ),
  );

const SUITE = { scenarios: ["one", "two"], trials: 2 };

const count = (text: string, piece: string) => text.split(piece).length - 1;

test("JUnit XML has a case for the series and, by scenario, one for each trial; only missing ones are errors", async () => {
  const series = await report(SUITE, suite(["a", "b", "invalid", "failed"]));
  const xml = seriesJunit(series);
  expect(
    [...xml.matchAll(/<testsuite name="([^"]*)" tests="(\d+)" failures="(\d+)" errors="(\d+)"/g)].map((found) =>
      found.slice(1),
    ),
  ).toEqual([
    ["abeval series", "2", "1", "0"],
    ["abeval one", "2", "0", "1"],
    ["abeval two", "2", "0", "1"],
  ]);
  expect(
    [...xml.matchAll(/classname="(one|two)" name="([^"]*)" time="[^"]*">((?:<error [^>]*>)?)/g)].map((found) =>
      found.slice(1),
    ),
  ).toEqual([
    ["one", "trial 1", ""],
    ["one", "trial 3", '<error type="invalid" message="missing, no usable judgement"/>'],
    ["two", "trial 2", ""],
    ["two", "trial 4", '<error type="failed" message="no answer"/>'],
  ]);
  expect(xml).toContain(`name="conclusion" time="0.000"><system-out>${wordsText(sixLines(series).first)}\n`);
  expect(xml).toContain("<system-out>candidate won (session-one-");
});

test.each([
  ["", "++++++++++++"],
  ["Worse: the gate stays shut.", "------------"],
  ["Not known yet: the gate stays shut", "+-+-"],
])("in JUnit XML the case gate is red where the gate is shut: %s", async (why, letters) => {
  const xml = seriesJunit(await report({}, rowsOf(results(letters))));
  const [, failure = ""] = /name="gate" time="0.000">(?:<failure type="gate" message="([^"]*)"\/>)?/.exec(xml) ?? [];
  expect([failure.startsWith(why), failure === ""]).toEqual([true, why === ""]);
});

test("in JUnit XML a trial takes as long as its slower arm, and a scenario as long as its trials", async () => {
  const [first, second] = rowsOf(["a", "running"]);
  if (first === undefined || second === undefined) throw new Error("there are two rows");
  const { a, b } = first.arms;
  const slow = { ...first, arms: { a: { ...a, wall_ms: 1_500 }, b: { ...b, wall_ms: 2_300 } } };
  const xml = seriesJunit(await report({}, [slow, second]));
  expect([...xml.matchAll(/name="(abeval S|trial \d)".* time="([^"]*)"/g)].map((found) => found.slice(1))).toEqual([
    ["abeval S", "2.300"],
    ["trial 1", "2.300"],
    ["trial 2", "0.000"],
  ]);
});

test("JUnit XML has an error for a series that failed", async () => {
  const series = await report({ state: "failed", stop: "failed" }, rowsOf(["failed"]));
  const xml = seriesJunit({ ...series, failure: 'no "key"' });
  expect(xml).toContain('<error type="failed" message="no &#34;key&#34;"/>');
});

const HOSTILE = ']]></failure><b>|*a*&"\u0000\u001b[31m\ud800\n\n# h';

test("nothing that a trial says is markup in XML or in Markdown", async () => {
  const failure = { class: "infra", code: "provider_failed", message: HOSTILE } as const;
  const series = await report({}, rowsOf(["failed", "a"], { failure }));
  const [xml, page] = [seriesJunit({ ...series, failure: HOSTILE }), seriesMarkdown({ ...series, failure: HOSTILE })];
  for (const text of [xml, page]) {
    for (const piece of ["<b>", "\u0000", "\u001b"]) expect(text).not.toContain(piece);
    expect(text.isWellFormed()).toBe(true);
  }
  expect(page).not.toMatch(/^# h|\*a\*/m);
});

test("Markdown has the answer, tables by scenario and arm, and folded trials", async () => {
  const series = await report({ ...SUITE, arms_differ: true }, suite(["a", "b", "a", "tie"]));
  const page = seriesMarkdown(series);
  for (const part of [
    `## abeval: one, two\n\n**${plain(sixLines(series).first)}**\n\n- **So** Not known yet: the gate stays shut`,
    "\n- **For** These 2 tasks, 2 trials of each. 2 tasks cannot show anything of others, however often they run.\n",
    "\n- **Next** Run about ",
    "| scenario | wins-ties-losses | win rate | candidate solved | baseline solved |",
    "| one | 2-0-0 | 100% | 2 of 2 | 0 of 2 |",
    "|  | candidate | baseline |\n|---|---|---|\n| solved | 3 of 4 | 2 of 4 |\n| mean cost | $0.2500 | $0.2500 |",
    "- `arms_differ`: Arms of one name are set up differently. The scenarios do not give an arm the same settings, so this compares more than one pair.\n",
    "Cost: candidate $1.0000, baseline $1.0000, judge $2.0000, total $4.0000\n",
    "<details><summary>4 trials</summary>\n\n| trial | scenario | outcome | counts | cost | session |\n",
    "| 2 | two | baseline won | yes | $1.0000 | session-two-",
    "</details>\n\nJudge `J`, series `series-",
  ])
    expect(page).toContain(part);
});

test("Markdown says how often an arm solves several trials of a task, averaged over tasks", async () => {
  const letters = ["a", "b", "a", "tie"] as const;
  const page = seriesMarkdown(await report(SUITE, suite([...letters, ...letters])));
  // The candidate solves one task in 4 of 4 trials and the other in 2 of 4, of which one pair in six is solved twice.
  expect(page).toContain("| pass^2 | 58% (0% to 100%) | 50% (0% to 100%) |");
  expect(page).toContain("\npass^2 is the chance that an arm solves all of 2 trials of a task: the mean over tasks,");
});

test("the reports of a suite say what failed in how many scenarios, and nothing of it where nothing did", async () => {
  const failure = { class: "infra", code: "provider_failed", message: HOSTILE } as const;
  const rows = suite(["a", "failed", "failed", "failed"]).map((row) => (row.failure ? { ...row, failure } : row));
  const series = await report(SUITE, rows);
  const [html, markdown] = [await seriesHtml(series), seriesMarkdown(series)];
  expect(markdown).toContain("| what failed | scenarios | candidate failed | baseline failed | among them |");
  expect(markdown).toMatch(/\| 2 \| – \| – \| two, one \|/);
  expect(html).toContain("<h2>What failed</h2>");
  expect(html).toContain(
    '<th scope="col">What failed</th><th scope="col">Scenarios</th><th scope="col"><span class="a">A</span> candidate failed</th>',
  );
  for (const text of [html, markdown]) expect(text).not.toContain("<b>|");
  expect(seriesMarkdown(await report(SUITE, suite(["a", "b"])))).not.toContain("what failed");
});

test("Markdown leaves out what does not fit into a comment, and says so", async () => {
  const page = seriesMarkdown(await report({ trials: 1000 }, rowsOf(times(1000, "tie"))));
  expect(page).toContain("<summary>The last 200 of 1,000 trials</summary>");
  expect(count(page, "| S | no winner, tie |")).toBe(200);
  expect(page.length).toBeLessThan(65_536);
});

test("a series in which nothing counts still has its reports", async () => {
  const series = await report({ state: "cancelled", stop: "cancelled" }, rowsOf(results("c")));
  expect(seriesMarkdown(series)).toContain("**candidate against baseline: no pair of trials counts**\n");
  expect(seriesJunit(series)).toContain('<error type="cancelled" message="missing, cancelled"/>');
});

test.each([
  ["Better", "a", rowsOf(times(12, "a"))],
  ["Not worse", "even", rowsOf([...times(40, "tie"), "b"])],
  ["Not known yet", "even", rowsOf(["a", "cancelled"])],
] as const)("the page says: %s, and has the colour of nobody else", async (word, side, rows) => {
  const page = await seriesHtml(await report({ state: "cancelled", stop: "cancelled" }, rows));
  expect(page).toContain(`<p><b>So</b> <strong>${word}</strong>`);
  expect([...page.matchAll(/<div class="bar (\w+)"/g)].map(([, colour]) => colour)).toEqual([side]);
});

test("of a table of thousands Markdown and the terminal name the scenarios in which the arms differ, and count the rest", async () => {
  const scenarios = Array.from({ length: 2_000 }, (_, index) => `task-${index}`);
  const rows = scenarios.map((scenario, index) =>
    rowOf({ trial: index + 1, round: 1, scenario }, index % 500 === 7 ? "a" : "tie"),
  );
  const series = await reportOf(seriesOf({ state: "completed", stop: "exhausted", scenarios, trials: 1 }), rows, {
    ...{ stored: [], judge_unaudited: false },
  });
  const markdown = seriesMarkdown(series);
  expect(markdown).toStartWith("## abeval: task-0, task-1, task-2, task-3, task-4 and 1,995 more\n");
  const terminal = summariseSeries(series, { painter: new Painter(false), again: null });
  for (const text of [markdown, terminal]) {
    for (const name of ["task-7", "task-507", "task-1007", "task-1507"]) expect(text).toContain(name);
    expect(text).toContain("and 1,950 more");
  }
  expect(markdown.length).toBeLessThan(30_000);
});

test("a page of thousands of rows is made in turns", async () => {
  const series = await report(SUITE, suite(["a", "b"]));
  const copies = <T>(items: readonly T[], many: number) => Array.from({ length: many }, () => items).flat();
  const [short, long] = [1, 500].map((many) => ({
    ...series,
    scenarios: copies(series.scenarios, many),
    trials: copies(series.trials, many),
  }));
  expect(await turnsDuring(async () => await seriesHtml(short ?? series))).toBeLessThan(3);
  expect(await turnsDuring(async () => await seriesHtml(long ?? series))).toBeGreaterThan(20);
});
