import type { ContestPlan } from "../../domain/contest-plan.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { breathe } from "../../runtime/pace.ts";
import { type Findings, findingsOf } from "../claim/findings.ts";
import { differenceIn, notWorseByMean, unitsIn } from "../claim/means.ts";
import { ROUNDING } from "../claim/rules.ts";
import type { SidedEvidence } from "../claim/sequential-test.ts";
import { failsTooOften, failuresIn, roundsToStart } from "../claim/tally.ts";
import { plannedSubject, type Subject } from "../words/subject.ts";
import { contestOf, pairView } from "./pair-view.ts";
import type { ContestRules, PairEvidence } from "./replay.ts";

/** Two arms of a contest, and what their trials say. */
export interface PlayedPair extends PairEvidence {
  readonly findings: Findings;
}

/** Whoever needs it keeps what each side shows of every round. */
export const sidedSubject = (subject: Subject): Subject => ({
  ...subject,
  levels: { ...subject.levels, sided: true },
});

/** @param is_over as in `PairEvidence` */
export const playedPair = (findings: Findings, is_over: boolean): PlayedPair => ({
  findings,
  is_over,
  sided: withoutDisagreement(findings),
});

interface Beside {
  /** As `findingsOf` takes them. */
  readonly stored?: readonly TrialRow[];
  /** What was found at an earlier look, with the same plan, limits and stored rows. */
  readonly known?: KnownPairs;
}

/** The pairs of a contest of this store. Others have their turn after each. */
export async function playedPairs(
  contest: SeriesRecord,
  rows: readonly TrialRow[],
  { stored = [], known = new KnownPairs() }: Beside = {},
): Promise<readonly PlayedPair[]> {
  const byPair = Map.groupBy(rows, ({ pair = 0 }) => pair);
  const played: PlayedPair[] = [];
  for (const [place, { comparisons = [] }] of contestOf(contest).pairs.entries()) {
    const own = byPair.get(place) ?? [];
    const before = known.of(place, own);
    played.push(before ?? known.keep(place, own, playedOf(contest, own, { place, comparisons, stored })));
    if (before === undefined) await breathe();
  }
  return played;
}

interface OfPair {
  readonly place: number;
  readonly comparisons: readonly string[];
  readonly stored: readonly TrialRow[];
}

function playedOf(
  contest: SeriesRecord,
  rows: readonly TrialRow[],
  { place, comparisons, stored }: OfPair,
): PlayedPair {
  const view = pairView(contest, rows, place);
  const compared = new Set(comparisons);
  const others = stored.filter(({ comparison }) => comparison !== null && compared.has(comparison));
  const findings = findingsOf(sidedSubject(plannedSubject(view.series)), view.rows, others);
  return playedPair(findings, isOver(findings, contest.limits.trials));
}

/** What was found of the pairs of a contest that runs: one whose rows are the same has not moved since. */
export class KnownPairs {
  readonly #known = new Map<number, { readonly rows: readonly TrialRow[]; readonly played: PlayedPair }>();

  of(pair: number, rows: readonly TrialRow[]): PlayedPair | undefined {
    const known = this.#known.get(pair);
    if (known?.rows.length !== rows.length) return undefined;
    return rows.every((row, place) => row === known.rows[place]) ? known.played : undefined;
  }

  keep(pair: number, rows: readonly TrialRow[], played: PlayedPair): PlayedPair {
    this.#known.set(pair, { rows, played });
    return played;
  }
}

/** It has all its trials, or fails too often to get them. */
const isOver = ({ tallies }: Findings, trials: number): boolean =>
  tallies.some(({ rows, given_up }) => !given_up && failsTooOften(failuresIn(rows), trials)) ||
  tallies.every((tally) => tally.running === 0 && roundsToStart(tally, trials).length === 0);

export function rulesOfContest({ plan, limits }: Pick<SeriesRecord, "plan" | "limits">): ContestRules {
  const contest: ContestPlan = contestOf({ plan });
  const awaited = limits.stop_when_sure ? (limits.stop_at ?? "not_worse") : "better";
  return { plan: contest, alpha: plan.alpha, settles_at: contest.keep_running ? null : awaited };
}

/** Of scores: who is ahead in most trials and not on average shows nothing, and not worse is who is so on average. */
function withoutDisagreement(findings: Findings): readonly SidedEvidence[] {
  const { sequential, subject } = findings;
  if (subject.measure !== "score") return sequential.sided;
  const sums = sequential.sided.map(() => 0);
  for (const { round, mean } of unitsIn(findings, (trial) => differenceIn(subject, trial)))
    sums[round - 1] = (sums[round - 1] ?? 0) + mean;
  let ahead = 0;
  const told = sequential.sided.map((sided, index) => {
    ahead += sums[index] ?? 0;
    const { a, b } = sided.better;
    const better = { a: ahead > ROUNDING ? a : Math.min(a, 0), b: ahead < -ROUNDING ? b : Math.min(b, 0) };
    const agrees = sided.claimed === "a" ? ahead > ROUNDING : ahead < -ROUNDING;
    return { ...sided, better, claimed: agrees ? sided.claimed : null };
  });
  const last = told.pop();
  if (last === undefined) return told;
  return [...told, { ...last, not_worse: { a: notWorseByMean(findings, "a"), b: notWorseByMean(findings, "b") } }];
}
