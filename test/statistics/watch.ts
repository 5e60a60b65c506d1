import type { SeriesRecord } from "../../src/domain/series-record.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { ONE_IN } from "../../src/domain/watch.ts";
import { type SeenNight, watchStates } from "../../src/statistics/claim/watch-states.ts";
import { seenIn, type Watched, watchedIn } from "../../src/statistics/watch.ts";
import { type Chance, chanceOf } from "../judge/simulation/pairs.ts";
import { rowOf, seriesOf } from "./series.ts";

const ARM = "candidate";
/** Of the other arm, everywhere. */
const OTHER = 0.7;

/** A watch that is simulated: shares of tasks that the arm solves, in the reference and from the first night on. */
export interface Simulated {
  readonly reference: number;
  /** `low`: the lower end of what the reference says, the least that is no fall. */
  readonly now: number | "low";
  /** The tasks differ by so much to either side. */
  readonly spread?: number;
  readonly tasks?: number;
  readonly rounds?: number;
  /** A watch of so many nights. */
  readonly nights?: number;
  readonly one_in?: number;
}

interface Found {
  readonly alarms: number;
  readonly nights: number;
  /** The night of each watch's first alarm, sorted; Infinity for one that had none. */
  readonly first: readonly number[];
}

/** Watches, each with a reference of its own. */
export function simulateWatches(simulated: Simulated, watches: number, seed: number): Found {
  const chance = chanceOf(seed);
  const { nights = 365, one_in = ONE_IN } = simulated;
  const [long, round] = [blankSeries(simulated, simulated.rounds ?? 10), blankSeries(simulated, 1)];
  let alarms = 0;
  const first: number[] = [];
  for (let watch = 0; watch < watches; watch += 1) {
    const watched = aReference(long, simulated, chance);
    const seen = Array.from({ length: nights }, () => aNight(round, simulated, watched, chance));
    const states = watchStates(watched.held_to, seen, one_in);
    // One that comes back before it is over is the same.
    alarms += new Set(states.flatMap(({ alarm, since }) => (alarm ? since : []))).size;
    const at = states.findIndex(({ alarm }) => alarm);
    first.push(at < 0 ? Number.POSITIVE_INFINITY : at + 1);
  }
  return { alarms, nights: watches * nights, first: first.sort((one, other) => one - other) };
}

/** A series of so many rounds of tasks, with rows that say nothing yet: they are made once. */
function blankSeries({ tasks = 10 }: Simulated, rounds: number) {
  const scenarios = Array.from({ length: tasks }, (_, task) => `task-${task}`);
  const record = seriesOf({ scenarios, trials: rounds, measure: "solved", state: "completed" });
  const rows = Array.from({ length: rounds }, (_, round) =>
    scenarios.map((scenario, task) => rowOf({ scenario, trial: round * tasks + task + 1, round: round + 1 }, "tie")),
  ).flat();
  return { record, rows };
}

type Blank = ReturnType<typeof blankSeries>;

function aReference({ record, rows }: Blank, { reference, spread = 0 }: Simulated, chance: Chance): Watched {
  const watched = watchedIn(record, playedRows(record, rows, { share: reference, spread }, chance), ARM);
  if (!watched) throw new Error("the reference has no complete round");
  return watched;
}

function aNight({ record, rows }: Blank, { now, spread = 0 }: Simulated, watched: Watched, chance: Chance): SeenNight {
  const share = now === "low" ? (watched.held_to[0]?.low ?? 0) : now;
  const seen = seenIn(record, playedRows(record, rows, { share, spread }, chance), watched);
  if (!seen) throw new Error("the night has no trial");
  return seen;
}

interface Shares {
  readonly share: number;
  readonly spread: number;
}

const playedRows = (
  { plan }: SeriesRecord,
  rows: readonly TrialRow[],
  { share, spread }: Shares,
  chance: Chance,
): readonly TrialRow[] =>
  rows.map((row, index) => {
    const task = index % plan.scenarios.length;
    const solved = chance() < share + (task % 2 === 0 ? spread : -spread);
    const { a, b } = row.arms;
    return { ...row, arms: { a: { ...a, solved }, b: { ...b, solved: chance() < OTHER } } };
  });
