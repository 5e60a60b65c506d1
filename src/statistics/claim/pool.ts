import type { SeriesMeasure } from "../../domain/series-record.ts";
import type { Conclusion } from "../../domain/series-summary.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { betOn, placed } from "./clusters.ts";
import type { Levels } from "./conclusion.ts";
import { type Counts, logEvidence, logSum, sumOf } from "./e-process.ts";
import { NOW, type Rules, shareOf } from "./rules.ts";
import { conclusionOf, type GivenUp, type SequentialTest, sequentialTestOf } from "./sequential-test.ts";
import { type CountedTrial, resultOf, type Tally, tallyOf, withoutCopies } from "./tally.ts";

/** All stored trials of what a series compares, whoever ran them: one bet over all of them, however they are cut into series. */
export interface Pool {
  /** By scenario, without copies, in the order of creation. */
  readonly tallies: readonly Tally[];
  /** As `testAmongAll` gives it. */
  readonly sequential: SequentialTest;
  /** Trials that repeat another one and are left out. */
  readonly copies: number;
  /** By session: its place in the order of creation. */
  readonly places: ReadonlyMap<string, number>;
  /** The series from which on the trials say most, where that is not the first. */
  readonly since?: string;
}

interface Pooled {
  readonly series_id: string;
  readonly scenarios: readonly { readonly comparison: string }[];
  readonly levels: Levels;
  readonly measure: SeriesMeasure;
}

/** What the trials of a series say alone. */
interface Own {
  readonly tallies: readonly Tally[];
  readonly sequential: SequentialTest;
}

/**
 * Null where others ran nothing.
 * @param stored runs of its comparisons, each in the order of creation; its own may be among them, as they were before
 */
export function poolOf(series: Pooled, own: Own, stored: readonly TrialRow[]): Pool | null {
  const { series_id, levels, measure } = series;
  const isToldOf = (row: TrialRow) => isTold(row, measure);
  if (!stored.some((row) => isOfOthers(row, series_id) && isToldOf(row))) return null;
  const current = new Map(own.tallies.flatMap(({ rows }) => rows).map((row) => [row.session_id, row]));
  const known = stored.flatMap((row) => {
    if (isOfOthers(row, series_id)) return isToldOf(row) ? row : [];
    const now = current.get(row.session_id);
    current.delete(row.session_id);
    return now ?? [];
  });
  const all = [...known, ...current.values()];
  const places = new Map(all.map(({ session_id }, place) => [session_id, place]));
  const tallies = dealt(series, all).map((rows) => tallyOf(rows, measure));
  const distinct = tallies.reduce((sum, { rows }) => sum + rows.length, 0);
  const sequential = testAmongAll(own, { tallies, places }, levels);
  const since = sinceWhen({ tallies, places }, levels);
  return { tallies, sequential, copies: all.length - distinct, places, ...(since && { since }) };
}

/**
 * What all trials say since the own ones conclude something: what they said before was of others, and a series that is begun
 * after it has to be borne out by all there are then.
 */
export function testAmongAll(own: Own, all: Pick<Pool, "tallies" | "places">, levels: Levels): SequentialTest {
  const { claim, equivalent_at, not_worse_at } = own.sequential;
  const made = claim?.round ?? equivalent_at ?? not_worse_at.a ?? not_worse_at.b ?? 1;
  const placeOf = ({ row }: CountedTrial) => all.places.get(row.session_id) ?? 0;
  // A row that was given up before that round has no trial in it, and says nothing of when that was.
  const rounds = all.tallies.flatMap(({ counted }, scenario) => {
    const last = own.tallies[scenario]?.counted[made - 1];
    return last ? counted.filter((trial) => placeOf(trial) <= placeOf(last)).length : [];
  });
  const tallies = all.tallies.map((tally, place) =>
    own.tallies[place]?.given_up ? { ...tally, given_up: true as const } : tally,
  );
  return sequentialTestOf(
    {
      scenarios: tallies.map(({ counted }) => counted),
      deleted: 0,
      from: rounds.length === 0 ? 1 : Math.min(...rounds),
      starts: startsOf(all, levels.rules ?? NOW),
      ...tableRounds(tallies),
    },
    levels,
  );
}

interface Start {
  readonly series_id: string;
  readonly round: number;
  readonly share: number;
}

type Stored = Pick<Pool, "tallies" | "places">;

/** Of each series the round from which its share of the wealth is bet: the first that holds no trial of one before it. */
function beginnings({ tallies, places }: Stored, rules: Rules): readonly Start[] {
  const counted = tallies.flatMap((tally) => tally.counted);
  const placeOf = ({ row }: CountedTrial) => places.get(row.session_id) ?? 0;
  const numbers = new Map<string, number>();
  for (const trial of counted.toSorted((one, other) => placeOf(one) - placeOf(other)))
    if (!numbers.has(seriesOf(trial))) numbers.set(seriesOf(trial), numbers.size + 1);
  const oldest = new Map<number, number>();
  for (const trial of counted) {
    const number = numbers.get(seriesOf(trial)) ?? 1;
    oldest.set(trial.round, Math.min(oldest.get(trial.round) ?? number, number));
  }
  const rounds = [...oldest].sort(([one], [other]) => one - other);
  let place = 0;
  return [...numbers].flatMap(([series_id, number]) => {
    while (place < rounds.length && (rounds[place]?.[1] ?? 0) < number) place += 1;
    const round = rounds[place]?.[0];
    const share = shareOf(number, rules);
    return round === undefined || share === 0 ? [] : { series_id, round, share };
  });
}

/** Runs of no series are one. */
const seriesOf = ({ row: { place } }: CountedTrial): string => place?.series_id ?? "";

function startsOf(stored: Stored, rules: Rules): ReadonlyMap<number, number> {
  const starts = new Map<number, number>();
  for (const { round, share } of beginnings(stored, rules)) starts.set(round, (starts.get(round) ?? 0) + share);
  return starts;
}

/** The series whose share of the wealth has grown largest; undefined for the first. */
function sinceWhen(stored: Stored, { rules = NOW, clusters }: Levels): string | undefined {
  const byRound = Map.groupBy(placed(stored.tallies.map(({ counted }) => counted)), ({ round }) => round);
  let counts: Counts = { wins: 0, ties: 0, losses: 0 };
  let round = byRound.size;
  let [largest, since] = [Number.NEGATIVE_INFINITY, ""];
  for (const start of beginnings(stored, rules).toReversed()) {
    for (; round >= start.round; round -= 1) counts = sumOf(counts, betOn(byRound.get(round) ?? [], clusters));
    const { a, b } = logEvidence(counts, undefined, rules);
    const grown = logSum(a, b) + Math.log(start.share);
    if (grown >= largest) [largest, since] = [grown, start.series_id];
  }
  const first = beginnings(stored, rules)[0]?.series_id;
  return since === "" || since === first ? undefined : since;
}

/** A run of another series, or of none. */
export const isOfOthers = ({ place }: TrialRow, series_id: string): boolean => place?.series_id !== series_id;

/** A person who cancels or kills a run may have seen how it goes. Every other failure is blind to the result. */
function isTold(row: TrialRow, measure: SeriesMeasure): boolean {
  const result = resultOf(row, measure);
  return (result !== "failed" && result !== "invalid") || row.state === "interrupted";
}

/** By scenario: the runs of its comparison. Scenarios that differ in their names alone take turns with them. */
function dealt({ scenarios, measure }: Pooled, rows: readonly TrialRow[]): readonly (readonly TrialRow[])[] {
  const groups = Map.groupBy(rows, ({ comparison }) => comparison);
  const distinct = new Map([...groups].map(([comparison, runs]) => [comparison, withoutCopies(runs, measure)]));
  const alike = Map.groupBy(scenarios.keys(), (place) => scenarios[place]?.comparison);
  return scenarios.map(({ comparison }, place) => {
    const sharing = alike.get(comparison) ?? [];
    const turn = sharing.indexOf(place);
    return (distinct.get(comparison) ?? []).filter((_, index) => index % sharing.length === turn);
  });
}

/**
 * What a series concludes: what its own trials say, where all stored ones say it too. Whoever starts a series again and again,
 * or continues many in turn, bets with all of them together.
 */
export function confirmed(own: SequentialTest, all: SequentialTest | undefined): Conclusion {
  const conclusion = conclusionOf(own);
  return all === undefined || conclusionOf(all) === conclusion ? conclusion : "undecided";
}

/** The rounds of a table without the rows that were given up; nothing while all rows go on. */
export function tableRounds(tallies: readonly Tally[]): { readonly given_up?: GivenUp } {
  const going = tallies.filter(({ given_up }) => !given_up);
  if (going.length === tallies.length) return {};
  const rounds = going.length === 0 ? 0 : Math.min(...going.map(({ counted }) => counted.length));
  return { given_up: { rounds, missingUntil: (round) => sum(tallies.map((tally) => lackingUntil(tally, round))) } };
}

/**
 * A row that was given up lacks one trial in every round that it did not reach, however often that one was tried: no more
 * could have counted.
 */
function lackingUntil(tally: Tally, round: number): number {
  const { counted, given_up } = tally;
  if (given_up && counted.length < round) return (counted.at(-1)?.missing_before ?? 0) + round - counted.length;
  return counted[round - 1]?.missing_before ?? 0;
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
