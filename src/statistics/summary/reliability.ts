import { wilson } from "../../domain/binomial.ts";
import type { Series } from "../../domain/series.ts";
import type { SolvedCount } from "../../domain/series-arm.ts";
import type { TrialRow } from "../../domain/trial.ts";
import type { Side } from "../../domain/verdict.ts";
import { unitAt } from "../claim/clusters.ts";
import type { Levels } from "../claim/conclusion.ts";
import { meanOf } from "../claim/means.ts";
import type { Tally } from "../claim/tally.ts";
import { studentQuantile } from "./descriptive.ts";

/** How many of an arm's trials of a scenario or row passed every required check. */
interface Solved {
  readonly solved: number;
  readonly trials: number;
  /** Of its cluster. Absent: it is a task of its own. */
  readonly unit?: number;
}

type CrashedCount = NonNullable<Series["arms"][Side]["crashed"]>;

/** A longer row would tell a reader nothing more. */
const LONGEST_ROW = 8;

type Reliability = Pick<SolvedCount, "pass_power" | "pass_power_low" | "pass_power_high" | "pass_at">;

/** The solved among completed runs, whatever the judge found; null without required checks. */
export function solvedOf(
  tallies: readonly Pick<Tally, "rows">[],
  side: Side,
  clusters?: Levels["clusters"],
): SolvedCount | null {
  const tasks = tallies.flatMap(({ rows }, place) => {
    const known = rows.filter(({ state }) => state === "completed").flatMap(({ arms }) => arms[side].solved ?? []);
    const solved = known.filter(Boolean).length;
    return known.length === 0 ? [] : { solved, trials: known.length, unit: unitAt(clusters, place) };
  });
  return tasks.length === 0 ? null : { ...totalOf(tasks), ...reliability(tasks) };
}

function totalOf(tasks: readonly Solved[]) {
  const sum = (of: "solved" | "trials") => tasks.reduce((total, task) => total + task[of], 0);
  const [solved, trials] = [sum("solved"), sum("trials")];
  return { solved, trials, ...wilson(solved, trials) };
}

/** Trials of completed ones in which the arm's agent crashed; undefined while there is none. */
export function crashedOf(rows: readonly TrialRow[], side: Side): CrashedCount | undefined {
  const completed = rows.filter(({ state }) => state === "completed");
  const crashed = completed.filter(({ arms }) => arms[side].crashed).length;
  return crashed === 0 ? undefined : { crashed, trials: completed.length };
}

/**
 * By k the mean over tasks of the chance that k trials of a task are all solved: one that is always solved does not make up for one
 * that never is. More than half of the trials of a task say too little of so many in a row.
 */
export function reliability(tasks: readonly Solved[]): Reliability {
  const most = Math.min(LONGEST_ROW, ...tasks.map(({ trials }) => Math.floor(trials / 2)));
  const rows = tasks.length === 0 ? [] : Array.from({ length: most }, (_, index) => index + 1);
  const power = rows.map((k) => overTasks(tasks, ({ solved, trials }) => shareOfDraws(solved, trials, k)));
  const ranges = power.map((means, index) => rangeOf(means, index + 1, tasks));
  const luck = rows.map((k) => overTasks(tasks, ({ solved, trials }) => 1 - shareOfDraws(trials - solved, trials, k)));
  return {
    pass_power: power.map(meanOf),
    pass_power_low: ranges.map(({ low }) => low),
    pass_power_high: ranges.map(({ high }) => high),
    pass_at: luck.map(meanOf),
  };
}

/** Of each task: a scenario, a row, or a cluster with the mean of its rows. */
const overTasks = (tasks: readonly Solved[], measured: (task: Solved) => number): readonly number[] =>
  [...Map.groupBy(tasks.entries(), ([place, { unit }]) => unit ?? place).values()].map((rows) =>
    meanOf(rows.map(([, task]) => measured(task))),
  );

/**
 * 95% by Student's t and the standard error over tasks. Tasks that do not differ, or a single one, say nothing of that: there it is the
 * range of the solved share to the power of k.
 */
function rangeOf(means: readonly number[], k: number, tasks: readonly Solved[]) {
  const mean = meanOf(means);
  const squares = means.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const { low, high } = totalOf(tasks);
  // What is drawn without putting back may lie below every power of that range.
  if (squares < ROUNDING) return { low: Math.min(mean, low ** k), high: high ** k };
  const half = studentQuantile(means.length - 1) * Math.sqrt(squares / (means.length * (means.length - 1)));
  return { low: Math.max(0, mean - half), high: Math.min(1, mean + half) };
}

const ROUNDING = 1e-12;

/** C(some, k) / C(all, k), without the large numbers. */
const shareOfDraws = (some: number, all: number, k: number): number =>
  Array.from({ length: k }, (_, drawn) => Math.max(0, some - drawn) / (all - drawn)).reduce(
    (share, part) => share * part,
    1,
  );
