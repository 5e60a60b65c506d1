import { readResults } from "../../src/comparison/table/read-results.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import type { Side } from "../../src/domain/verdict.ts";
import { findingsOf } from "../../src/statistics/claim/findings.ts";
import { tallyOf } from "../../src/statistics/claim/tally.ts";
import { likeTheseOf } from "../../src/statistics/summary/like-these.ts";
import { plannedSubject } from "../../src/statistics/words/subject.ts";
import { type Chance, chanceOf } from "../judge/simulation/pairs.ts";
import type { Simulated } from "./gates.ts";
import { results, rowOf, seriesOf } from "./series.ts";

/** A letter for each trial of a task, as `results` takes them: `+` the candidate won. */
export type Tasks = readonly string[];

export const alike = (count: number, letters: string): Tasks => Array.from({ length: count }, () => letters);

export const rowsOfTasks = (tasks: Tasks, parts: Partial<TrialRow> = {}): readonly TrialRow[] =>
  tasks.flatMap((letters, task) =>
    results(letters).map((result, index) => {
      const spec = { trial: index * tasks.length + task + 1, round: index + 1, scenario: `S${task}` };
      return rowOf(spec, result, parts);
    }),
  );

/** What the trials of these tasks alone say of others like them. */
export function likeTasks(tasks: Tasks) {
  const scenarios = tasks.map((_, task) => `S${task}`);
  const subject = plannedSubject(seriesOf({ scenarios, trials: tasks[0]?.length ?? 1, state: "completed" }));
  return likeTheseOf(findingsOf(subject, rowsOfTasks(tasks)));
}

/** The chance that each arm solves a task. */
type Rates = Readonly<Record<Side, number>>;

/**
 * Tasks as in published tables of agents: 57% of the tasks are solved always, or never, by both arms; in the others each arm has a chance
 * of its own.
 */
export const likePublished = (chance: Chance): readonly Rates[] =>
  Array.from({ length: 40 }, (_, task) => {
    if (task < 12) return { a: 0, b: 0 };
    return task < 23 ? { a: 1, b: 1 } : { a: chance(), b: chance() };
  });

/** Tasks in which both arms have one chance, so that signs change from round to round. */
export const likeCoins = (chance: Chance): readonly Rates[] =>
  Array.from({ length: 40 }, () => {
    const rate = chance();
    return { a: rate, b: rate };
  });

/** The share of its trials that each arm solved of each task. @throws TableFault */
export async function ratesIn(table: string): Promise<readonly Rates[]> {
  const { scenarios } = await readResults(table, "csv");
  return scenarios.map(({ trials }) => ({
    a: meanOf(trials.map(([, a]) => a)),
    b: meanOf(trials.map(([, , b]) => b)),
  }));
}

function meanOf(results: readonly (number | null)[]): number {
  const known = results.filter((result) => result !== null);
  return known.reduce((sum, result) => sum + result, 0) / Math.max(1, known.length);
}

interface Flipped extends Simulated {
  /** Somebody looks after each of so many rounds. */
  readonly rounds: number;
  readonly tasksOf: (chance: Chance) => readonly Rates[];
}

/** Share of series in which some look claims an arm, where a coin says for each task which arm gets which chance. */
export function falseTaskClaims({ tasksOf, rounds, repetitions, seed }: Flipped): number {
  const chance = chanceOf(seed);
  let claimed = 0;
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const tasks = tasksOf(chance).map((rates) => (chance() < 0.5 ? rates : { a: rates.b, b: rates.a }));
    if (claimsEver(tasks, rounds, chance)) claimed += 1;
  }
  return claimed / repetitions;
}

function claimsEver(tasks: readonly Rates[], rounds: number, chance: Chance): boolean {
  const scenarios = tasks.map((_, task) => `S${task}`);
  const subject = plannedSubject(seriesOf({ scenarios, trials: rounds, measure: "solved", state: "completed" }));
  const tallies = tasks.map((rates) =>
    tallyOf(
      Array.from({ length: rounds }, () => TRIALS[chance() < rates.a ? 1 : 0][chance() < rates.b ? 1 : 0]),
      "solved",
    ),
  );
  // The test of these tasks alone takes longer than all else, and says nothing of others.
  const findings = findingsOf(subject, []);
  return Array.from({ length: rounds }, (_, index) => index + 1).some((round) => {
    const sequential = { ...findings.sequential, log_e: Array.from({ length: round }, () => 0) };
    return likeTheseOf({ ...findings, tallies, sequential })?.claim != null;
  });
}

const solving = (a: boolean, b: boolean): TrialRow => {
  const row = rowOf({ trial: 1, round: 1, scenario: "S" }, "tie", { conduct: null });
  return { ...row, arms: { a: { ...row.arms.a, solved: a }, b: { ...row.arms.b, solved: b } } };
};

/** By what a and b solved. */
const TRIALS = [
  [solving(false, false), solving(false, true)],
  [solving(true, false), solving(true, true)],
] as const;
