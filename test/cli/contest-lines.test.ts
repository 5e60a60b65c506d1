import { expect, test } from "bun:test";
import type { SeriesRecord } from "../../src/domain/series-record.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { ContestLines } from "../../src/doors/cli/terminal/contest-lines.ts";
import { Painter } from "../../src/doors/cli/terminal/paint.ts";
import { contestRows, contestSeries } from "../statistics/contest.ts";

const CONTEST = contestSeries({ names: ["old", "good", "bad"], trials: 4, keep_running: true });
const ROWS = contestRows(CONTEST, 3, (arm) => arm === "good");

const terminal = (columns: number) => Object.defineProperty(new Painter(false), "columns", { get: () => columns });

/** What is told while the rows come. */
function told(contest: SeriesRecord, rows: readonly TrialRow[]): string {
  const lines = new ContestLines(contest, terminal(80));
  const judged = rows.map((row) => {
    const { outcome, winner_side, pair = 0 } = row;
    const [a = "", b = ""] = contest.plan.contest?.pairs[pair]?.arms ?? [];
    const winner = winner_side && { a, b }[winner_side];
    return lines.judged({ outcome: outcome ?? "tie", winner, winner_side, series: null, calls: [] }, row);
  });
  return [lines.begin([]), ...judged].join("");
}

test("each comparison has its arms, and between rounds all arms have what they won and lost", () => {
  expect(told(CONTEST, ROWS).split("\n")).toEqual([
    `${CONTEST.series_id}: contest of 3 arms, 4 rounds`,
    "trial 1  old vs good  good won  $1.0000",
    "trial 2  old vs bad   tie  $1.0000",
    "2 comparisons, won and lost: good 1-0, bad 0-0, old 0-1",
    "trial 3  old vs good  good won  $1.0000",
    "trial 4  old vs bad   tie  $1.0000",
    "4 comparisons, won and lost: good 2-0, bad 0-0, old 0-2",
    "trial 5  old vs good  good won  $1.0000",
    "trial 6  old vs bad   tie  $1.0000",
    "",
  ]);
});

test("a contest that goes on counts what there is, and a lost comparison says why", () => {
  const lines = new ContestLines(CONTEST, terminal(120));
  expect(lines.begin(ROWS.slice(0, 4))).toBe(
    `${CONTEST.series_id}: contest of 3 arms, 4 rounds, 4 comparisons so far\n`,
  );
  expect(lines.lost("failed", "the provider\nis down", ROWS[4])).toBe(
    "4 comparisons, won and lost: good 2-0, bad 0-0, old 0-2\ntrial 5  old vs good  failed: the provider is down\n",
  );
});

test("a hostile reason moves no cursor", () => {
  const lines = new ContestLines(CONTEST, terminal(80));
  expect(lines.lost("failed", "\u001b[2Jgone", ROWS[0])).not.toContain("\u001b");
});
