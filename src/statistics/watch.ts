import { memberName } from "../domain/member.ts";
import type { SeriesRecord } from "../domain/series-record.ts";
import type { TrialRow } from "../domain/trial.ts";
import type { Side } from "../domain/verdict.ts";
import { DETECTORS, type DetectorName, type WatchChange, type WatchReport } from "../domain/watch.ts";
import { unitAt } from "./claim/clusters.ts";
import { type Findings, findingsOf } from "./claim/findings.ts";
import { meanOf, meanRangeOf, unitsIn } from "./claim/means.ts";
import { countedIn, tallyByScenario } from "./claim/tally.ts";
import { nightsToTell, type ReferenceValue, type SeenNight, watchStates } from "./claim/watch-states.ts";
import { plannedSubject, type Subject } from "./words/subject.ts";
import { reachText, watchStatement } from "./words/watch.ts";

/** What an arm is held to. Every value lies between 0 and 1: a difference d counts as (1 + d) / 2. */
export interface Watched {
  readonly side: Side;
  /** The reference's values, and the lower ends of their ranges; at least one. */
  readonly held_to: readonly ReferenceValue[];
  /** Tasks of a night: scenarios, rows or clusters. */
  readonly tasks: number;
  /** Complete rounds of the reference. */
  readonly rounds: number;
}

type Measured = Parameters<typeof unitsIn>[1];

const measuredBy = (by: DetectorName, side: Side): Measured =>
  by === "solved" ? ({ row }) => (row.arms[side].solved ? 1 : 0) : ({ d }) => (1 + (side === "a" ? d : -d)) / 2;

/**
 * What an arm's runs in a stored series say of it: what later runs of it are held to. Undefined where no round of the reference is
 * complete.
 * @param rows the reference's trials
 */
export function watchedIn(reference: SeriesRecord, rows: readonly TrialRow[], arm: string): Watched | undefined {
  const subject = plannedSubject(reference);
  const side: Side = subject.arms.a === arm ? "a" : "b";
  const findings = findingsOf(subject, rows);
  const rounds = findings.sequential.log_e.length;
  const counted = findings.tallies.flatMap((tally) => countedIn(tally, rounds));
  if (counted.length === 0) return undefined;
  const isKnown = counted.every(({ row }) => row.arms[side].solved !== null);
  // Of what is solved the other arm's stored runs tell nothing new.
  const applies = { solved: isKnown, difference: subject.measure === "preferred" };
  const held_to = DETECTORS.filter((by) => applies[by]).map((by) => referenceValue(findings, by, measuredBy(by, side)));
  return { side, held_to, tasks: tasksIn(findings), rounds };
}

function referenceValue(findings: Findings, by: DetectorName, measured: Measured): ReferenceValue {
  const values = unitsIn(findings, measured).map(({ mean }) => mean);
  const { low } = meanRangeOf(findings, (trial) => 2 * measured(trial) - 1);
  return { by, mean: meanOf(values), low: (1 + low) / 2 };
}

/** Rows that the reference gave up are in no night. */
const tasksIn = ({ tallies, subject }: Findings): number =>
  new Set(tallies.flatMap(({ counted }, place) => (counted.length > 0 ? unitAt(subject.levels.clusters, place) : [])))
    .size;

const unitsOf = ({ scenarios, levels }: Subject) =>
  Map.groupBy(scenarios.keys(), (place) => unitAt(levels.clusters, place));

/** A night as its trials tell it; undefined where none of them says anything. @param rows its trials */
export function seenIn(night: SeriesRecord, rows: readonly TrialRow[], { side }: Watched): SeenNight | undefined {
  const subject = plannedSubject(night);
  const tallies = tallyByScenario(subject.scenarios, rows, night.limits.trials, subject.measure);
  const byMember = new Map(
    tallies.flatMap(({ counted: [first] }) => (first ? [[memberName(first.row), first] as const] : [])),
  );
  if (byMember.size === 0) return undefined;
  const units = [...unitsOf(subject).values()];
  const valuesBy = (measured: Measured) =>
    units.map((places) =>
      meanOf(
        places.map((place) => {
          const trial = byMember.get(memberName(subject.scenarios[place] ?? { scenario: "" }));
          return trial ? measured(trial) : 1;
        }),
      ),
    );
  return {
    values: {
      solved: valuesBy(measuredBy("solved", side)),
      difference: valuesBy(measuredBy("difference", side)),
    },
    missing: subject.scenarios.length - byMember.size,
  };
}

/** What later nights can tell, in words; null where not even a fall to nothing would be told in a month. */
export function watchReach(watched: Watched, one_in: number): string | null {
  const value = watched.held_to[0]?.mean ?? 0;
  const [nothing, half] = [0, value / 2].map((share) => nightsToTell(watched, share, one_in));
  if (nothing === undefined || half === undefined || !Number.isFinite(nothing)) return null;
  return reachText({ ...watched, value }, { nothing, half });
}

/** The arms of a series that is watched. */
export function armsOf(reference: SeriesRecord) {
  const { arms, control_side } = plannedSubject(reference);
  return { ...arms, control: arms[control_side], candidate: arms[control_side === "a" ? "b" : "a"] };
}

/** A night's series with its trials. */
export interface Night {
  readonly record: SeriesRecord;
  readonly rows: readonly TrialRow[];
}

interface Nights {
  readonly reference: SeriesRecord;
  /** The reference's trials. */
  readonly rows: readonly TrialRow[];
  readonly arm: string;
  readonly watched: Watched;
  /** Oldest first; tonight's is the last. */
  readonly nights: readonly Night[];
}

/** Where a watch stands after its last night. A night that was not completed does not count: whoever stopped it may have seen how it went. */
export function watchReport(watch: Nights, one_in: number): WatchReport {
  const { reference, arm, watched } = watch;
  const tonight = watch.nights.at(-1);
  if (!tonight) throw new Error("a watch without a night has no report");
  const counting = watch.nights.flatMap((night) => {
    const seen = night.record.state === "completed" ? seenIn(night.record, night.rows, watched) : undefined;
    return seen ? [{ ...night, seen }] : [];
  });
  const last = counting.at(-1);
  const seen = last?.record === tonight.record ? last.seen : undefined;
  const state = watchStates(
    watched.held_to,
    counting.map((night) => night.seen),
    one_in,
  ).at(-1);
  const alarm = seen !== undefined && state?.alarm === true;
  const since = (state?.since ?? 1) - 1;
  const told = {
    ...{ reference: reference.series_id, arm, series_id: tonight.record.series_id, state: tonight.record.state },
    ...{ night: tonight.record.watch?.night ?? 1, nights: counting.length, alarm },
    ...{ evidence: state?.evidence ?? 0, one_in, since: counting[since]?.record.watch?.night ?? 1 },
    ...{ tasks: watched.tasks, trials: tonight.record.plan.scenarios.length },
    missing: seen?.missing ?? tonight.record.plan.scenarios.length,
    detectors: watched.held_to.map(({ by, mean, low }) => ({
      ...{ by, reference: mean, low, tonight: seen ? meanOf(seen.values[by]) : null },
      evidence: state?.by[by] ?? 0,
    })),
    changed: alarm
      ? changesIn(
          watch,
          counting.slice(since).flatMap(({ rows }) => rows),
        )
      : [],
  };
  return { ...told, statement: watchStatement(told) };
}

/** @param rows of the nights that the evidence is counted from */
function changesIn({ rows: before, watched }: Nights, rows: readonly TrialRow[]): readonly WatchChange[] {
  const { side, held_to } = watched;
  const model = changeOf("model_served", [before, rows], ({ arms }) => arms[side].model_served);
  const isJudged = held_to.some(({ by }) => by === "difference");
  const judge = isJudged ? changeOf("judge_served", [before, rows], (row) => row.judge.model_served) : [];
  const changes = [...model, ...judge];
  return changes.length > 0 ? changes : [{ what: "cannot_tell" }];
}

function changeOf(
  what: "model_served" | "judge_served",
  [before, after]: readonly [readonly TrialRow[], readonly TrialRow[]],
  served: (row: TrialRow) => string | null,
): readonly WatchChange[] {
  const namesIn = (rows: readonly TrialRow[]) => [...new Set(rows.flatMap((row) => served(row) ?? []))];
  const from = namesIn(before);
  const to = namesIn(after).filter((name) => !from.includes(name));
  return from.length > 0 && to.length > 0 ? [{ what, from, to }] : [];
}
