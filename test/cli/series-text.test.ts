import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Series } from "../../src/domain/series.ts";
import type { SeriesRecord } from "../../src/domain/series-record.ts";
import { SERIES_FLAGS } from "../../src/domain/series-summary.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { wordsText } from "../../src/domain/words.ts";
import { Painter, rangeBar } from "../../src/doors/cli/terminal/paint.ts";
import { summariseSeries } from "../../src/doors/cli/terminal/series-text.ts";
import { TrialLines } from "../../src/doors/cli/terminal/trial-lines.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { evidenceFigure } from "../../src/statistics/series-words.ts";
import { sixLines } from "../../src/statistics/six-lines.ts";
import { summaryOf } from "../../src/statistics/standing.ts";
import { GENERATED } from "../statistics/generated.ts";
import { type Planned, results, rowOf, rowsOf, seriesOf } from "../statistics/series.ts";

/** A painter for a terminal of so many columns. */
const terminal = (columns: number) => Object.defineProperty(new Painter(false), "columns", { get: () => columns });

const FREE: Partial<TrialRow> = { judge: { model_served: "j-1", cost_usd: 0 } };
const freeArms = (row: TrialRow) => ({
  ...row,
  arms: { a: { ...row.arms.a, cost_usd: 0 }, b: { ...row.arms.b, cost_usd: 0 } },
});

/** What is told while the rows come, one after the other. */
function told(series: SeriesRecord, rows: readonly TrialRow[], columns: number): string[] {
  const lines = new TrialLines(series, terminal(columns));
  return rows.flatMap((row, index) => {
    if (row.failure) return lines.lost(row.state, row.failure.message, row).trimEnd().split("\n");
    const winner = row.winner_side && (series.plan.arms[row.winner_side === "a" ? 0 : 1] ?? null);
    const summary = summaryOf(series, rows.slice(0, index), { own: row });
    const calls = row.outcome === "invalid" ? [{ error: null }, { error: "it gave no answer" }] : [];
    const { outcome, winner_side } = row;
    return lines
      .judged({ outcome: outcome ?? "tie", winner, winner_side, series: summary, calls }, row)
      .trimEnd()
      .split("\n");
  });
}

const free = (letters: string) => rowsOf(results(letters), FREE).map(freeArms);

test("a range is drawn on a scale whose middle is crossed only by a range that includes it", () => {
  const painter = terminal(80);
  expect(rangeBar({ low: 0, high: 1 }, 11, painter)).toBe("━━━━━┿━━━━━");
  expect(rangeBar({ low: 0.51, high: 1 }, 11, painter)).toBe("─────┼━━━━━");
  expect(rangeBar({ low: 0.35, high: 0.5 }, 11, painter)).toBe("───━━┿─────");
  expect(rangeBar({ low: 0.1, high: 0.49 }, 11, painter)).toBe("─━━━━┼─────");
  expect(rangeBar({ low: 0.92, high: 0.93 }, 11, painter)).toBe("─────┼────━");
});

describe("a line for each trial", () => {
  const rows = free("+-=+x!+");

  test("has who won, wins and losses, win rate, range and evidence in columns", () => {
    expect(told(seriesOf(), rows, 80)).toEqual([
      "trial  1  candidate won   1-0   100% [1-100]     ━━━━━━━┿━━━━━━━  e  1.0 of 20",
      "trial  2  baseline won    1-1    50% [1-99.5]    ━━━━━━━┿━━━━━━━  e  0.7 of 20",
      "trial  3  tie             1-1    50% [4-96]      ━━━━━━━┿━━━━━━━  e  0.7 of 20",
      "trial  4  candidate won   2-1    63% [10-96]     ─━━━━━━┿━━━━━━━  e  0.7 of 20",
      "trial  5  failed: no answer",
      "trial  6  invalid: it gave no answer",
      "trial  7  candidate won   3-1    70% [17-96]     ──━━━━━┿━━━━━━━  e  0.9 of 20",
    ]);
  });

  test("names no range where the terminal is narrow, and more where it is wide", () => {
    expect(told(seriesOf(), rows, 60)[0]).toBe("trial  1  candidate won   1-0   100%  ━━━━┿━━━━  e  1.0/20");
    expect(told(seriesOf(), rows, 120)[0]).toBe(
      "trial  1  candidate won   1-0   win rate 100% [1-100]     ━━━━━━━━━━┿━━━━━━━━━━  e  1.0 of 20",
    );
    const arms = ["an-arm-with-a-name-as-long-as-names-may-be-0123456789", "baseline"];
    expect(told(seriesOf({ arms }), rows.slice(0, 1), 60)).toEqual([
      "trial  1  an-arm-with-a-name-as-l… won",
      "   1-0   100% [1-100]     ━━━━━━━┿━━━━━━━  e  1.0 of 20",
    ]);
  });

  test("takes what is needed for a claim from the plan, and shows a cost that is not 0", () => {
    const [line] = told(seriesOf({ alpha: 0.1 }), rowsOf(results("+")), 100);
    expect(line).toEndWith("e  1.0 of 10  $1.0000");
  });

  test("reads as the evidence needed only when it is there", () => {
    const lines = told(seriesOf(), free("+++++++++"), 80);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/^trial {2}8 .* \[49-100\] {4}─{6}━┿━{7} {2}e 18\.0 of 20$/),
      expect.stringMatching(/^trial {2}9 .* \[53-100\] {4}─{7}┼━{7} {2}e 29\.1 of 20$/),
    ]);
    expect([19.94, 19.99, 20, 0, 1e300].map((e) => evidenceFigure(e, 0.05))).toEqual([
      ...["19.9", "19.9", "20.0", "0.0", ">1000"],
    ]);
  });

  test("has a range that is no end of the scale in few cells", () => {
    expect(told(seriesOf(), free("++=++"), 80).at(-1)).toContain(" [30-99.9]   ");
  });

  test("says which trial is held", () => {
    const [first, second] = rows;
    if (!first || !second) throw new Error("two rows");
    const running = { ...first, state: "running", outcome: null, winner_side: null } as const;
    const lines = new TrialLines(seriesOf(), terminal(80));
    const summary = summaryOf(seriesOf(), [running], { own: second });
    const verdict = { outcome: "winner", winner: "baseline", winner_side: "b", calls: [], series: summary } as const;
    expect(lines.judged(verdict, second)).toBe("trial  2  baseline won   held: an earlier trial still runs\n");
  });

  test("breaks a long reason below its first word", () => {
    const failure = {
      class: "infra",
      code: "provider_failed",
      message: `\u001b[31m${"no answer ".repeat(12)}`,
    } as const;
    const [row] = rowsOf(["failed"], { failure });
    const lines = told(seriesOf(), row ? [row] : [], 60);
    expect(lines[0]).toBe(`trial  1  failed: [31m${"no answer ".repeat(3).trimEnd()} no`);
    for (const line of lines.slice(1)) expect(line).toStartWith(" ".repeat("trial  1  failed: ".length));
  });
});

test("a suite has a line of figures for each complete round", () => {
  const series = seriesOf({ scenarios: ["suite-one", "suite-two"], trials: 12 });
  const play = (letters: string): TrialRow[] =>
    results(letters).map((result, index) =>
      freeArms(
        rowOf(
          { trial: index + 1, round: Math.floor(index / 2) + 1, scenario: index % 2 === 0 ? "suite-one" : "suite-two" },
          result,
          FREE,
        ),
      ),
    );
  expect(told(series, play("+-++="), 80)).toEqual([
    "trial  1  suite-one  candidate won",
    "trial  2  suite-two  baseline won",
    "round  1 of 12   1-1   win rate  50% [0.5-99.5]  ━━━━━━━┿━━━━━━━  e  0.7 of 20",
    "trial  3  suite-one  candidate won",
    "trial  4  suite-two  candidate won",
    "round  2 of 12   3-1   win rate  75% [13-99.5]   ─━━━━━━┿━━━━━━━  e  0.9 of 20",
    "trial  5  suite-one  tie",
  ]);
});

async function report(planned: Planned, rows: readonly TrialRow[]): Promise<Series> {
  return await reportOf(seriesOf({ state: "completed", stop: "exhausted", ...planned }), rows, {
    stored: [],
    judge_unaudited: false,
  });
}

const lossless = (text: string) => text.replace(/\s+/g, " ");

const AGAIN = "abeval run suite-one.yaml 'suite two.yaml' --state-dir state";

describe("the summary of a series", async () => {
  const scenarios = ["suite-one", "suite-two"];
  const rows = results("++++++++++++-+++=+++").map((result, index) =>
    rowOf({ trial: index + 1, round: Math.floor(index / 2) + 1, scenario: scenarios[index % 2] ?? "" }, result),
  );
  const series = await report({ scenarios, trials: 10, arms_differ: true }, rows);

  test("has scenarios, arms, flags and costs, and at the end the answer with what to do next", () => {
    const lines = summariseSeries(series, { painter: terminal(80), again: AGAIN })
      .trimEnd()
      .split("\n");
    for (const line of [
      "             wins-ties-losses  win rate  candidate solved  baseline solved",
      "  suite-one  8-1-1             85%       9 of 10           2 of 10",
      "  cost: candidate $5.0000, baseline $5.0000, judge $10.0000, total $20.0000",
      "  arms_differ: Arms of one name are set up differently. The scenarios do not",
      `  ${series.series_id}`,
    ])
      expect(lines).toContain(line);
    const answer = lossless(lines.slice(lines.lastIndexOf("") + 1).join("\n"));
    expect(answer).toStartWith(wordsText(sixLines(series).first));
    expect(answer).toMatch(/ so Better: the gate lets candidate pass\. also .* for These 2 .* doubts .* next Merge /);
    expect(lines.at(-1)).toBe(`          jq -e '.gate.candidate == "better"' series.json`);
  });

  test("has a command that goes on, whole, where nothing is known yet", async () => {
    const open = await report({ trials: 4 }, rowsOf(results("+-+-")));
    const lines = summariseSeries(open, { painter: terminal(40), again: AGAIN })
      .trimEnd()
      .split("\n");
    expect(lines.at(-1)).toMatch(
      /^ +abeval run suite-one\.yaml 'suite two\.yaml' --state-dir state --continue series-\S+ --trials \d+$/,
    );
  });

  test("shows the value of a group in one line, and nothing of it steers the terminal", () => {
    const counts = { rows: 2, trials: 2, wins: 1, ties: 0, losses: 1 };
    const group = { field: "topic", value: "\u001b[31mred\u202e\nby", counts, win_rate: 0.5, low: 0, high: 1 };
    const text = summariseSeries({ ...series, groups: [group] }, { painter: terminal(80), again: null });
    expect(text).toMatch(/^ +\[31mred by +2 +1-0-1/m);
    expect(["\u001b", "\u202e"].filter((mark) => text.includes(mark))).toEqual([]);
  });

  test.each([
    ["Not known yet", "+-+-"],
    ["Better", "++++++++++++"],
    ["Worse", "------------"],
  ])("says at the end: %s", async (word, letters) => {
    const text = summariseSeries(await report({}, rowsOf(results(letters))), {
      painter: terminal(80),
      again: null,
    });
    expect(text).toContain(`\n  so      ${word}`);
  });

  test.each([40, 60, 80, 120])("fits %i columns, whatever happened", async (columns) => {
    await fc.assert(
      fc.asyncProperty(GENERATED, async ({ series: record, rows: some }) => {
        const made = await reportOf(record, some, { stored: [], judge_unaudited: true });
        const text = summariseSeries(
          { ...made, flags: [...SERIES_FLAGS] },
          { painter: terminal(columns), again: null },
        );
        const wide = text.split("\n").filter((line) => isWide(line, Math.max(columns, made.series_id.length + 12)));
        expect(wide).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});

/** A command stays whole. */
const isWide = (line: string, width: number) => line.length >= width && !/^ {10}(jq|abeval) /.test(line);
