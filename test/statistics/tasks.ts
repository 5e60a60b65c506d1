import type { TrialRow } from "../../src/domain/trial.ts";
import { findingsOf } from "../../src/statistics/claim/findings.ts";
import { likeTheseOf } from "../../src/statistics/summary/like-these.ts";
import { plannedSubject } from "../../src/statistics/words/subject.ts";
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
