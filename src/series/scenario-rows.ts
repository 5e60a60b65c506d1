import type { EarlierTrials, Series } from "../domain/series.ts";
import { checksOf } from "./checks.ts";
import { type Course, courseOf } from "./course.ts";
import { type Findings, headlineOf } from "./findings.ts";
import { confirmed, courseAmongAll } from "./pool.ts";
import { solvedOf } from "./reliability.ts";
import { distinctRuns, missingOf, type Tally } from "./tally.ts";

/**
 * What each scenario says on its own, with all of its trials that count. Among many scenarios one is easily ahead by chance:
 * each has only its part of alpha.
 */
export function scenarioRowsOf(findings: Findings, earlier: readonly (EarlierTrials | null)[]): Series["scenarios"] {
  const { subject, tallies, deleted, pool } = findings;
  const { alpha, margin } = subject.told.levels;
  const levels = { alpha: alpha / tallies.length, margin };
  return subject.scenarios.flatMap((scenario, place) => {
    const tally = tallies[place];
    if (!tally) return [];
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

function countsOfScenario({ counted, waiting, running, missing }: Tally, course: Course) {
  const { inconsistent, inconclusive, counts } = course;
  return { trials: counted.length, ...counts, inconsistent, inconclusive, ...missing, held: waiting, running };
}
