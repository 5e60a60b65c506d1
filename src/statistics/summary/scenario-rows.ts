import { wilson } from "../../domain/binomial.ts";
import { withInputId } from "../../domain/member.ts";
import type { EarlierTrials, Series, SeriesGroup } from "../../domain/series.ts";
import type { PassedCount, ScoredCount, SeriesCheck } from "../../domain/series-arm.ts";
import type { SeriesColumn } from "../../domain/series-record.ts";
import type { TrialArm, TrialRow } from "../../domain/trial.ts";
import { SIDES } from "../../domain/verdict.ts";
import { Pace } from "../../runtime/pace.ts";
import { betOn, placed } from "../claim/clusters.ts";
import type { Levels } from "../claim/conclusion.ts";
import { netOf, totalIn } from "../claim/e-process.ts";
import { type Findings, headlineOf } from "../claim/findings.ts";
import { rangesAt, winRateRange } from "../claim/interval.ts";
import { meanOf } from "../claim/means.ts";
import { confirmed, testAmongAll } from "../claim/pool.ts";
import { type SequentialTest, sequentialTestOf } from "../claim/sequential-test.ts";
import { countedIn, distinctRuns, missingOf, type Tally } from "../claim/tally.ts";
import { solvedOf } from "./reliability.ts";

/**
 * What each scenario says on its own, with its trials of complete rounds, so that the rows add up to the whole. Among many
 * scenarios one is easily ahead by chance: each has only its part of alpha.
 */
export async function scenarioRowsOf(
  findings: Findings,
  earlier: readonly (EarlierTrials | null)[],
): Promise<Series["scenarios"]> {
  const pace = new Pace();
  const rowOf = rowsFrom(findings, earlier);
  const rows: Series["scenarios"] = [];
  for (const [place, scenario] of findings.subject.scenarios.entries()) {
    const tally = findings.tallies[place];
    if (!tally) continue;
    rows.push(rowOf(scenario, tally, place));
    await pace.units(1 + tally.rows.length / TRIALS_IN_A_UNIT);
  }
  return rows;
}

/** Trials of a scenario that are looked at in the time of one unit of `Pace`. */
const TRIALS_IN_A_UNIT = 10;

function rowsFrom(findings: Findings, earlier: readonly (EarlierTrials | null)[]) {
  const { subject, tallies, deleted, pool } = findings;
  // Of a row alone its own trials count, whatever cluster it is of.
  const { clusters: _, rules, alpha, ...given } = subject.levels;
  const levels: Levels = {
    ...{ ...given, alpha: alpha / tallies.length },
    ...(rules && { rules: { ...rules, clustered: false } }),
  };
  const rangeOf = tallies.length === 1 ? undefined : rangesAt(levels.alpha, levels.rules);
  return (scenario: Findings["subject"]["scenarios"][number], whole: Tally, place: number) => {
    const tally = inRounds(whole, findings.sequential.log_e.length);
    const isAll = tallies.length === 1;
    const sequential = isAll ? findings.sequential : testOfScenario(tally, deleted, levels);
    const stored = pool?.tallies[place];
    const all =
      pool &&
      stored &&
      testAmongAll({ tallies: [tally], sequential }, { tallies: [stored], places: pool.places }, levels);
    return {
      ...{
        scenario: scenario.scenario,
        ...withInputId(scenario.input),
        digest: scenario.digest,
        comparison: scenario.comparison,
      },
      counts: countsOfScenario(tally, sequential),
      headline: headlineOf(sequential, levels, missingOf(tally) + deleted, rangeOf),
      conclusion: isAll ? findings.conclusion : confirmed(sequential, all ?? undefined),
      solved: { a: solvedOf([tally], "a"), b: solvedOf([tally], "b") },
      checks: checksOf(tally.rows),
      earlier: earlier[place] ?? null,
      ...(tally.given_up && { given_up: true as const }),
      distinct_runs: distinctRuns(tally),
    };
  };
}

/** Its own trials follow each other without gaps, whatever rounds they are of. */
function testOfScenario({ counted }: Tally, deleted: number, levels: Levels): SequentialTest {
  const trials = counted.map((trial, index) => ({ ...trial, round: index + 1 }));
  return sequentialTestOf({ scenarios: [trials], deleted }, levels);
}

function inRounds(tally: Tally, rounds: number): Tally {
  const counted = countedIn(tally, rounds);
  return { ...tally, counted, waiting: tally.waiting + tally.counted.length - counted.length };
}

function countsOfScenario({ counted, waiting, running, missing }: Tally, sequential: SequentialTest) {
  const { inconsistent, inconclusive, counts } = sequential;
  return { trials: counted.length, ...counts, inconsistent, inconclusive, ...missing, held: waiting, running };
}

/** How often each check passed, of the runs that were completed, whatever the judge made of them. Those that pass or fail first. */
export function checksOf(rows: readonly TrialRow[]): SeriesCheck[] {
  const arms = rows.filter(({ state }) => state === "completed").map((row) => row.arms);
  const ids = new Set(
    arms.flatMap((both) => SIDES.flatMap((side) => Object.keys({ ...both[side].checks, ...both[side].scores }))),
  );
  const [a, b] = [arms.map((both) => both.a), arms.map((both) => both.b)];
  return [...ids].map((id) => {
    const scores = { a: scoredOf(a, id), b: scoredOf(b, id) };
    return { id, a: passedOf(a, id), b: passedOf(b, id), ...(scores.a || scores.b ? { scores } : {}) };
  });
}

function scoredOf(arms: readonly TrialArm[], id: string): ScoredCount | null {
  const known = arms.flatMap(({ scores = {} }) => (Object.hasOwn(scores, id) ? (scores[id] ?? []) : []));
  return known.length === 0 ? null : { mean: meanOf(known), trials: known.length };
}

function passedOf(arms: readonly TrialArm[], id: string): PassedCount | null {
  // An id may be the name of something that every object has.
  const known = arms.flatMap(({ checks = {} }) => (Object.hasOwn(checks, id) ? [checks[id]] : []));
  if (known.length === 0) return null;
  const [passed, trials] = [known.filter(Boolean).length, known.length];
  return { passed, trials, ...wilson(passed, trials) };
}

/** What the rows with each value of a column show, from complete rounds. It describes: no claim is made of a group. */
export function groupsOf({ tallies, sequential, subject }: Findings, { field, values, of_row }: SeriesColumn) {
  const rounds = sequential.log_e.length;
  return values.map((value, index): SeriesGroup => {
    const own = tallies.map((tally, row) => (of_row[row] === index ? countedIn(tally, rounds) : []));
    const counted = own.flat();
    const bet = betOn(placed(own), subject.levels.clusters);
    const count = (difference: number) => counted.filter(({ d }) => d === difference).length;
    const counts = { wins: count(1), ties: count(0), losses: count(-1) };
    const trials = counted.length;
    return {
      ...{ field, value },
      counts: { rows: of_row.filter((one) => one === index).length, trials, ...counts },
      win_rate: trials === 0 ? null : (totalIn(bet) + netOf(bet)) / (2 * totalIn(bet)),
      ...winRateRange(bet, subject.levels.alpha, subject.levels.rules),
    };
  });
}
