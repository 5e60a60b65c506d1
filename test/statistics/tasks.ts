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

/** What both arms of a trial came to, 1 solved; null where the table has no result. */
type Pair = readonly [a: number | null, b: number | null];

/** The trials of each task of a table, by their number. */
export type Outcomes = readonly (readonly Pair[])[];

/** The share of its trials that each arm solved of each task. */
const ratesIn = (outcomes: Outcomes): readonly Rates[] =>
  outcomes.map((pairs) => ({ a: meanOf(pairs.map(([a]) => a)), b: meanOf(pairs.map(([, b]) => b)) }));

function meanOf(results: readonly (number | null)[]): number {
  const known = results.filter((result) => result !== null);
  return known.reduce((sum, result) => sum + result, 0) / Math.max(1, known.length);
}

interface Flipped extends Simulated {
  /** Somebody looks after each of so many rounds. */
  readonly rounds: number;
}

interface Drawn extends Flipped {
  readonly tasksOf: (chance: Chance) => readonly Rates[];
}

/** Share of series in which some look claims an arm, where a coin says for each task which arm gets which chance. */
export const falseTaskClaims = ({ tasksOf, rounds, ...many }: Drawn): number =>
  claimedShare(many, (chance) => {
    const tasks = tasksOf(chance).map((rates) => (chance() < 0.5 ? rates : { a: rates.b, b: rates.a }));
    const drawn = ({ a, b }: Rates) => Array.from({ length: rounds }, () => TRIALS[solves(a)][solves(b)]);
    const solves = (rate: number) => (chance() < rate ? 1 : 0);
    return claimsEver(tasks.map(drawn), rounds);
  });

/** The same with the rates of a table in place of chances. */
export const falseClaimsOfRates = (outcomes: Outcomes, many: Flipped): number =>
  falseTaskClaims({ ...many, tasksOf: () => ratesIn(outcomes) });

/** Share in which some look claims an arm, where the trials are those of a table and a coin says for each task which arm made which. */
export const falseClaimsOfTrials = (outcomes: Outcomes, many: Simulated): number =>
  claimedShare(many, (chance) => {
    const flipped = outcomes.map((pairs) => (chance() < 0.5 ? pairs : pairs.map(([a, b]): Pair => [b, a])));
    return claimsPublished(flipped);
  });

/** Whether the trials of a table, as they stand, make some look claim an arm. */
export const claimsPublished = (outcomes: Outcomes): boolean =>
  claimsEver(outcomes.map(trialsOf), Math.max(0, ...outcomes.map(({ length }) => length)));

const trialsOf = (pairs: readonly Pair[]): readonly TrialRow[] =>
  pairs.flatMap(([a, b]) => (a === null || b === null ? [] : TRIALS[a > 0 ? 1 : 0][b > 0 ? 1 : 0]));

function claimedShare({ repetitions, seed }: Simulated, claims: (chance: Chance) => boolean): number {
  const chance = chanceOf(seed);
  let claimed = 0;
  for (let repetition = 0; repetition < repetitions; repetition += 1) if (claims(chance)) claimed += 1;
  return claimed / repetitions;
}

function claimsEver(tasks: readonly (readonly TrialRow[])[], rounds: number): boolean {
  const scenarios = tasks.map((_, task) => `S${task}`);
  const subject = plannedSubject(seriesOf({ scenarios, trials: rounds, measure: "solved", state: "completed" }));
  const tallies = tasks.map((trials) => tallyOf(trials, "solved"));
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
