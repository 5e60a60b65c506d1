import { advanceContest, contestReport, KnownPairs, pairView } from "../src/statistics/contest.ts";
import { summaryOf } from "../src/statistics/standing.ts";
import { chanceOf } from "../test/judge/simulation/pairs.ts";
import { contestRows, contestSeries } from "../test/statistics/contest.ts";

const NAMES = ["one", "two", "three", "four", "five"];
const MONEY = { spent_usd: 0, estimate_usd: 0 };

/** What a look at a big contest takes, and for how long others wait meanwhile: after a row, for a verdict, and for the report. */
export async function contestLooks(): Promise<void> {
  console.log("\nLooks at contests of five arms, each with each: milliseconds, and the longest stop of the event loop");
  for (const [scenarios, rounds] of SIZES) {
    const names = Array.from({ length: scenarios }, (_, place) => `task${place}`);
    const contest = contestSeries({
      names: NAMES,
      mode: "best",
      scenarios: names,
      trials: rounds + 1,
      keep_running: true,
    });
    const chance = chanceOf(1);
    const rows = contestRows(contest, rounds, () => chance() < 0.5);
    const known = new KnownPairs();
    const summary = async () => {
      const { series, rows: own } = pairView(contest, rows, 0);
      const last = own.at(-1);
      if (last) summaryOf(series, own, { own: last });
    };
    const told = [
      `look ${await timed(async () => await advanceContest(contest, rows, MONEY))}`,
      `the same again ${await timed(async () => await advanceContest(contest, rows, MONEY, known))}`,
      `verdict ${await timed(summary)}`,
      `report ${await timed(async () => await contestReport(contest, rows, { stored: [], judge_unaudited: false }))}`,
    ];
    console.log(`  ${`${scenarios} x ${rounds}, ${rows.length} sessions`.padEnd(28)} ${told.join("; ")}`);
  }
}

const SIZES = [
  [1, 200],
  [20, 10],
  [1, 1_000],
  [20, 50],
  [500, 2],
] as const;

/** The second time, when the code is warm. */
async function timed(work: () => Promise<unknown>): Promise<string> {
  await work();
  let [longest, last, over] = [0, performance.now(), false];
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  const begun = performance.now();
  await work();
  const took = performance.now() - begun;
  await new Promise((resolve) => setImmediate(resolve));
  over = true;
  return `${took.toFixed(0)} (${longest.toFixed(0)})`;
}
