import type { SeriesHeadline } from "../../domain/series.ts";
import type { SeriesCounts } from "../../domain/series-counts.ts";
import type { Conclusion } from "../../domain/series-summary.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { DECIDERS, type Decider } from "../../domain/verdict.ts";
import type { Subject } from "../words/subject.ts";
import type { Levels } from "./conclusion.ts";
import { withoutConstant } from "./constant-table.ts";
import { type Counts, logEvidence, netOf, totalIn } from "./e-process.ts";
import { runningRange, type WinRateRange, winRateRange } from "./interval.ts";
import { confirmed, type Pool, poolOf, tableRounds } from "./pool.ts";
import { type GivenUp, type SequentialTest, sequentialTestOf, worstCase } from "./sequential-test.ts";
import {
  countedIn,
  deletedOf,
  inOrder,
  missingOf,
  resultOf,
  type Tally,
  tallyByScenario,
  tallyOf,
  withoutCopies,
} from "./tally.ts";

/** Everything that a report says is computed from these. */
export interface Findings {
  readonly subject: Subject;
  /** Oldest first. */
  readonly rows: readonly TrialRow[];
  /** By scenario, in the order of the subject's. */
  readonly tallies: readonly Tally[];
  readonly deleted: number;
  readonly sequential: SequentialTest;
  /** The series together with other runs of its comparisons; null where there are none, or nobody looked. */
  readonly pool: Pool | null;
  readonly conclusion: Conclusion;
}

/**
 * @param rows in the order of creation; for a planned series in any order, since its trials have numbers
 * @param stored as `poolOf` takes them; for a planned series
 */
export function findingsOf(subject: Subject, rows: readonly TrialRow[], stored: readonly TrialRow[] = []): Findings {
  const { told, scenarios, levels, measure } = subject;
  const isStored = told.kind === "stored";
  const tallies = isStored ? [tallyOf(withoutCopies(rows))] : talliesOf(subject, rows);
  const deleted = told.kind === "planned" ? deletedOf(rows) : 0;
  const trials = { scenarios: tallies.map(({ counted }) => counted), deleted };
  const tested = sequentialTestOf({ ...trials, ...givenUpIn(subject, tallies) }, levels);
  const sequential = levels.rules?.lapses === false ? tested : withRange(tested, levels);
  const pool = poolOf({ series_id: told.series_id, scenarios, levels, measure }, { tallies, sequential }, stored);
  let known: Conclusion | undefined;
  return {
    ...{ subject, rows: isStored ? rows : inOrder(rows), tallies, deleted, sequential, pool },
    // It may need the range, and not everybody asks.
    get conclusion() {
      // Runs that were chosen by what they showed would be beaten, or win, without a difference.
      known ??= told.plan?.baseline?.selected ? "undecided" : confirmed(sequential, pool?.sequential);
      return known;
    },
  };
}

/** The range takes longer than all else, and most looks need none. */
function withRange(tested: SequentialTest, levels: Levels): SequentialTest {
  let known: SequentialTest["range"];
  return {
    ...tested,
    get range() {
      known = known === undefined ? runningRange(tested.looks, levels) : known;
      return known;
    },
  };
}

/** A trial of imported results counts in the round of its number among those of its scenario. */
function talliesOf(subject: Subject, rows: readonly TrialRow[]): readonly Tally[] {
  const { told, scenarios, measure } = subject;
  const tallies = tallyByScenario(scenarios, rows, told.limits?.trials ?? 0, measure);
  if (told.kind !== "results") return tallies;
  const numbered = tallies.map((tally) => ({
    ...tally,
    counted: tally.counted.map((trial) => ({ ...trial, round: trial.row.place?.round ?? trial.round })),
  }));
  return withoutConstant(numbered, subject);
}

/** What imported results lack is never tried again. A scenario that has no pair at all is missing in every round. */
function givenUpIn({ told }: Subject, tallies: readonly Tally[]): { readonly given_up?: GivenUp } {
  if (told.kind === "planned") return tableRounds(tallies);
  if (told.kind !== "results") return {};
  const playing = tallies.filter(({ counted }) => counted.length > 0);
  const rounds = Math.min(...playing.map(({ rows }) => rows.length));
  const missing = Array.from({ length: rounds }, () => tallies.length - playing.length);
  for (const row of playing.flatMap((tally) => tally.rows)) {
    const round = row.place?.round ?? 0;
    if (round <= rounds && typeof resultOf(row) === "string") missing[round - 1] = (missing[round - 1] ?? 0) + 1;
  }
  let sum = 0;
  const until = missing.map((lost) => (sum += lost));
  return { given_up: { rounds, missingUntil: (round) => until[round - 1] ?? 0 } };
}

/** Stored runs that repeat one that counts, and trials of a table that does not vary. In a planned series each trial counts. */
export function copiesOf({ subject, rows, tallies }: Findings): ReadonlySet<TrialRow> {
  if (subject.told.kind === "planned") return new Set();
  const distinct = new Set(tallies.flatMap((tally) => tally.rows));
  return new Set(rows.filter((row) => !distinct.has(row)));
}

/** The trials of complete rounds, which alone are in the statistics. */
export const countedOf = ({ tallies, sequential }: Findings) =>
  tallies.flatMap((tally) => countedIn(tally, sequential.log_e.length));

export function countsOf(findings: Findings): SeriesCounts {
  const { sequential, tallies, deleted } = findings;
  const copies = copiesOf(findings).size;
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0);
  const trials = countedOf(findings).length;
  return {
    ...{ trials, ...sequential.counts, inconsistent: sequential.inconsistent, inconclusive: sequential.inconclusive },
    invalid: sum(({ missing }) => missing.invalid),
    failed: sum(({ missing }) => missing.failed),
    cancelled: sum(({ missing }) => missing.cancelled),
    deleted,
    held: sum(({ counted, waiting }) => counted.length + waiting) - trials,
    running: sum(({ running }) => running),
    ...(copies > 0 && { copies }),
  };
}

/** Trials that a claim must survive the worst of: in imported results those of complete rounds. */
export const missingForClaim = ({ subject, sequential, ...all }: Findings): number =>
  subject.told.kind === "results"
    ? sequential.uncertain.missing
    : Math.max(totalMissing(all), sequential.uncertain.missing);

export const totalMissing = ({ tallies, deleted }: Pick<Findings, "tallies" | "deleted">): number =>
  tallies.reduce((total, tally) => total + missingOf(tally), deleted);

/** @param missing trials, whatever they are missing by, as of now */
export function headlineOf(
  sequential: SequentialTest,
  levels: Levels,
  missing: number,
  rangeOf?: (counts: Counts) => WinRateRange,
): SeriesHeadline {
  const { bet, claim } = sequential;
  const [size, ahead] = [totalIn(bet), netOf(bet)];
  return {
    win_rate: size === 0 ? null : (size + ahead) / (2 * size),
    ...(rangeOf ? rangeOf(bet) : rangeOfTest(sequential, levels)),
    net: size === 0 ? null : ahead / size,
    e: evidenceOf(sequential.log_e.at(-1) ?? 0),
    p_anytime: Math.min(1, Math.exp(-sequential.greatest)),
    claim: claim && {
      side: claim.side,
      at_trial: claim.counts.wins + claim.counts.ties + claim.counts.losses,
      e: evidenceOf(claim.log_e),
    },
    fragile: sequential.fragile,
    worst_case_e: evidenceOf(logEvidence(worstCase(bet, missing), undefined, levels.rules).both),
  };
}

/**
 * What no look contradicted, while a claim stands or none was made. After one that lapsed, and where results changed, only what the
 * trials say now: whichever of two ranges is shown, both hold the truth at once.
 */
export function rangeOfTest({ bet, claim, stands, range }: SequentialTest, { alpha, rules }: Levels): WinRateRange {
  const isLapsed = claim !== null && !stands;
  return (isLapsed ? null : range) ?? winRateRange(bet, alpha, rules);
}

/** The evidence of a logarithm; JSON knows no infinity. */
export const evidenceOf = (log: number): number => Math.min(Math.exp(log), Number.MAX_VALUE);

export function decidersOf(rows: readonly TrialRow[]): Record<Decider, number> {
  const deciders = Object.fromEntries(DECIDERS.map((decider) => [decider, 0])) as Record<Decider, number>;
  for (const { decided_by } of rows) if (decided_by) deciders[decided_by] += 1;
  return deciders;
}

/** Stored runs are counted one by one, whatever series they come from. */
export const trialOf = ({ told: { kind } }: Subject, { place }: TrialRow, index: number): number =>
  kind !== "stored" && place ? place.trial : index + 1;
