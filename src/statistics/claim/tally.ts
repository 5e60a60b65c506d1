import { type Member, type MemberKey, memberName } from "../../domain/member.ts";
import type { SeriesMeasure } from "../../domain/series-record.ts";
import { isFinal } from "../../domain/session-state.ts";
import { MAX_REPLACEMENTS, type TrialArm, type TrialRow } from "../../domain/trial.ts";
import { ROUNDING } from "./rules.ts";

/** 1: a is ahead, -1: b is, 0: neither. By the verdict, whatever decided it, by what both solved, or by their scores, as the series measures. */
export type Difference = -1 | 0 | 1;

/** A trial that ended with a verdict that can be used, as did or failed every trial of its scenario before it. */
export interface CountedTrial {
  readonly row: TrialRow;
  readonly d: Difference;
  /** The round that it counts in, from 1. */
  readonly round: number;
  /** Trials of its scenario that were begun before it and gave nothing. */
  readonly missing_before: number;
  /** Why the judge named no winner, where that is what is measured: nothing is known of it. */
  readonly undecided?: "inconsistent" | "inconclusive";
}

/** What a trial without a usable verdict came to. */
type Missing = "invalid" | "failed" | "cancelled";

/** The trials of one scenario, in the order of creation. */
export interface Tally {
  readonly rows: readonly TrialRow[];
  /** The trials before the first that still runs: those that end quickly must not be counted first. */
  readonly counted: readonly CountedTrial[];
  /** Ended with a verdict, but behind one that runs. */
  readonly waiting: number;
  readonly running: number;
  readonly missing: Readonly<Record<Missing, number>>;
  /** A row of a table that can give no more trials than it has: rounds are complete without it. */
  readonly given_up?: true;
}

/** @param rows of one scenario, in the order of creation */
export function tallyOf(rows: readonly TrialRow[], measure: SeriesMeasure = "preferred"): Tally {
  const counted: CountedTrial[] = [];
  const missing = { invalid: 0, failed: 0, cancelled: 0 };
  let [waiting, running, missingBefore] = [0, 0, 0];
  for (const row of rows) {
    const result = resultOf(row, measure);
    if (result === "running") running += 1;
    else if (typeof result === "string") {
      missing[result] += 1;
      missingBefore += 1;
    } else if (running > 0) waiting += 1;
    else {
      const trial = { row, d: result, round: counted.length + 1, missing_before: missingBefore };
      counted.push({ ...trial, ...undecidedIn(row, measure) });
    }
  }
  return { rows, counted, waiting, running, missing };
}

function undecidedIn({ outcome }: TrialRow, measure: SeriesMeasure): Pick<CountedTrial, "undecided"> {
  if (measure !== "preferred" || (outcome !== "inconsistent" && outcome !== "inconclusive")) return {};
  return { undecided: outcome };
}

/** The trials of the first rounds. */
export const countedIn = ({ counted }: Pick<Tally, "counted">, rounds: number): readonly CountedTrial[] =>
  counted.every(({ round }) => round <= rounds) ? counted : counted.filter(({ round }) => round <= rounds);

/** What a trial gave, what it is missing by, or that it is not done. */
export function resultOf(row: TrialRow, measure: SeriesMeasure = "preferred"): Difference | Missing | "running" {
  if (!isFinal(row.state)) return "running";
  if (row.state === "cancelled") return "cancelled";
  if (row.state !== "completed" || row.outcome === null) return "failed";
  if (row.outcome === "invalid") return "invalid";
  if (measure === "solved") return solvedDifference(row);
  return measure === "score" ? scoredDifference(row) : differenceOf(row);
}

/** Where a check could run on neither arm, nobody knows what they solved: that is missing, and no tie. */
function solvedDifference({ arms: { a, b }, could_not_check }: TrialRow): Difference | Missing {
  if (a.solved === null || b.solved === null || could_not_check !== undefined) return "invalid";
  return signOf(a, b);
}

/** Any difference counts: were a margin chosen after the results, the best of several would decide too often. */
function scoredDifference({ arms: { a, b }, could_not_check }: TrialRow): Difference | Missing {
  if (a.score === undefined || b.score === undefined || could_not_check !== undefined) return "invalid";
  if (Math.abs(a.score - b.score) <= ROUNDING) return 0;
  return a.score > b.score ? 1 : -1;
}

function signOf(a: TrialArm, b: TrialArm): Difference {
  if (a.solved === b.solved) return 0;
  return a.solved ? 1 : -1;
}

function differenceOf({ outcome, winner_side }: TrialRow): Difference {
  if (outcome !== "winner" || winner_side === null) return 0;
  return winner_side === "a" ? 1 : -1;
}

export const missingOf = ({ missing }: Tally): number => missing.invalid + missing.failed + missing.cancelled;

/** Rows of a planned series as its scenarios' tallies, in the order of the plan. @param trials planned of each */
export function tallyByScenario(
  scenarios: readonly Member[],
  rows: readonly TrialRow[],
  trials: number,
  measure: SeriesMeasure = "preferred",
): Tally[] {
  const groups = new Map<MemberKey, TrialRow[]>(scenarios.map((member) => [memberName(member), []]));
  for (const row of inOrder(rows)) groups.get(memberName(row))?.push(row);
  return [...groups.values()].map((group, place) => {
    const tally = tallyOf(group, measure);
    const isRow = scenarios[place]?.input !== undefined;
    return isRow && isLost(tally, trials) ? { ...tally, given_up: true as const } : tally;
  });
}

/** Failed trials of a scenario that a series of any length bears. */
const BORNE_FAILURES = 3;

/** Trials that failed are tried again, but not for ever. */
export const failsTooOften = (failures: number, trials: number): boolean =>
  failures > Math.max(BORNE_FAILURES, trials / 2);

/**
 * How many trials failed, but for those that a cost limit ended. Those that were killed from outside are nobody's fault, and count
 * where nothing else came of any: then nothing gets through on this machine.
 */
export function failuresIn(rows: readonly TrialRow[]): number {
  const failed = rows.filter((row) => resultOf(row) === "failed" && !metLimit(row));
  const gotThrough = rows.some((row) => typeof resultOf(row) === "number");
  return gotThrough ? failed.filter(({ killed }) => killed === undefined).length : failed.length;
}

/** Whether it has ended with fewer trials than planned. */
const isLost = (tally: Tally, trials: number): boolean =>
  tally.rows.length > 0 &&
  tally.running === 0 &&
  tally.counted.length < trials &&
  (failsTooOften(failuresIn(tally.rows), trials) || roundsToStart(tally, trials).length === 0);

/**
 * Rounds for which a scenario still needs a trial, the first ones first: those whose last trial failed, then those that have
 * none. What was killed from outside is tried again twice. What a person cancelled or deleted, and what a judge could not use, is not tried again: to choose among results
 * would bias them. A row that is given up needs none.
 */
export function roundsToStart({ rows, given_up }: Tally, trials: number): readonly number[] {
  if (given_up) return [];
  const [failed, killed] = [new Map<number, boolean>(), new Map<number, number>()];
  let begun = 0;
  for (const row of rows) {
    const round = row.place?.round ?? 0;
    failed.set(round, resultOf(row) === "failed");
    killed.set(round, (killed.get(round) ?? 0) + (row.killed ?? 0));
    begun = Math.max(begun, round);
  }
  const isGone = (round: number) => (killed.get(round) ?? 0) > MAX_REPLACEMENTS;
  const again = [...failed]
    .filter(([round, lost]) => lost && round <= trials && !isGone(round))
    .map(([round]) => round);
  const fresh = Array.from({ length: Math.max(0, trials - begun) }, (_, index) => begun + index + 1);
  return [...again.sort((one, other) => one - other), ...fresh];
}

/** Trials are sorted by number where they have one: a clock may go back. */
export const inOrder = (rows: readonly TrialRow[]): readonly TrialRow[] =>
  [...rows].sort((one, other) => numberOf(one) - numberOf(other));

export const numberOf = ({ place }: TrialRow): number => place?.trial ?? 0;

/** Trials whose session is gone: their numbers were given, and nobody has them. The last ones cannot be told. */
export function deletedOf(rows: readonly TrialRow[]): number {
  const numbers = new Set(rows.flatMap(({ place }) => place?.trial ?? []));
  return [...numbers].reduce((largest, number) => Math.max(largest, number), 0) - numbers.size;
}

/** The cost limit did not pay for a call of it, not even alone. */
export const metLimit = ({ failure }: TrialRow): boolean => failure?.code === "cost_limit_reached";

type Blamed = "a" | "b" | "both" | "judge";

/** Who broke the trials that gave nothing. What a person cancelled, or a limit of costs ended, is nobody's fault. */
export function missingBy(tallies: readonly Tally[], measure: SeriesMeasure = "preferred"): Record<Blamed, number> {
  const by = { a: 0, b: 0, both: 0, judge: 0 };
  for (const row of tallies.flatMap(({ rows }) => rows)) {
    const result = resultOf(row, measure);
    if (metLimit(row)) continue;
    if (result === "failed" || result === "invalid") by[blamed(row)] += 1;
  }
  return by;
}

function blamed({ arms }: TrialRow): Blamed {
  if (arms.a.broken && arms.b.broken) return "both";
  if (arms.a.broken) return "a";
  return arms.b.broken ? "b" : "judge";
}

/** How many of the trials that count differ in what the models said and called; null where that is unknown. */
export function distinctRuns({ counted }: Tally): number | null {
  const conducts = new Set(counted.map(({ row }) => row.conduct));
  return conducts.has(null) ? null : conducts.size;
}

/**
 * The runs without those that repeat one before them: the same draw of scripts, a recording of it, or one with the same stored
 * run of an arm. They say nothing new, or not by themselves.
 * @param rows in the order of creation
 */
export function withoutCopies(rows: readonly TrialRow[], measure: SeriesMeasure = "preferred"): readonly TrialRow[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    if (typeof resultOf(row, measure) !== "number") return true;
    const { draw, conduct, stored_run, session_id } = row;
    const [run, from] = [`run ${stored_run ?? session_id}`, stored_run && `run ${stored_run}`];
    if ([draw, from].some((known) => known !== undefined && seen.has(known))) return false;
    // A recording repeats the run that it was made of.
    for (const known of [draw, conduct, run]) if (known) seen.add(known);
    return true;
  });
}
