import type { EarlierTrials, Series } from "../domain/series.ts";
import { checksOf } from "./checks.ts";
import { type Course, courseOf } from "./course.ts";
import { type Findings, headlineOf } from "./findings.ts";
import { confirmed, courseAmongAll } from "./pool.ts";
import { solvedOf } from "./reliability.ts";
import { distinctRuns, missingOf, type Tally } from "./tally.ts";

/**
 * What each scenario says on its own, with its trials of complete rounds, so that the rows add up to the whole. Among many
 * scenarios one is easily ahead by chance: each has only its part of alpha.
 */
export function scenarioRowsOf(findings: Findings, earlier: readonly (EarlierTrials | null)[]): Series["scenarios"] {
  const { subject, tallies, deleted, pool } = findings;
  const { alpha, margin } = subject.told.levels;
  const levels = { alpha: alpha / tallies.length, margin };
  return subject.scenarios.flatMap((scenario, place) => {
    const whole = tallies[place];
    if (!whole) return [];
    const tally = inRounds(whole, findings.course.log_e.length);
    const isAll = tallies.length === 1;
    const course = isAll ? findings.course : courseOf({ scenarios: [tally.counted], deleted }, levels);
    const stored = pool?.tallies[place];
    const all =
      pool &&
      stored &&
      courseAmongAll({ tallies: [tally], course }, { tallies: [stored], places: pool.places }, levels);
    return {
      ...{ scenario: scenario.scenario, digest: scenario.digest, comparison: scenario.comparison },
      counts: countsOfScenario(tally, course),
      headline: headlineOf(course, levels, missingOf(tally) + deleted),
      conclusion: isAll ? findings.conclusion : confirmed(course, all ?? undefined),
      solved: { a: solvedOf(tally.rows, "a"), b: solvedOf(tally.rows, "b") },
      checks: checksOf(tally.rows),
      earlier: earlier[place] ?? null,
      distinct_runs: distinctRuns(tally),
    };
  });
}

const inRounds = (tally: Tally, rounds: number): Tally => ({
  ...tally,
  counted: tally.counted.slice(0, rounds),
  waiting: tally.waiting + tally.counted.length - rounds,
});

function countsOfScenario({ counted, waiting, running, missing }: Tally, course: Course) {
  const { inconsistent, inconclusive, counts } = course;
  return { trials: counted.length, ...counts, inconsistent, inconclusive, ...missing, held: waiting, running };
}
