import type { Decision } from "./decision.ts";
import type { StoredRun } from "./ran.ts";
import type { ArmSummary, SessionFailure, SessionOutcome } from "./session.ts";
import type { ArmPointer, Verdict } from "./verdict.ts";
import type { Vote } from "./vote.ts";

/**
 * Goes up with every kind of entry that is added. A worker of an older version would lose what it cannot read, so it is given
 * no work of a newer one.
 */
export const LOG_VERSION = 3;

/** What is known of a session when it is accepted. What an earlier version stored of a whole session begins with it too. */
export interface CreatedEntry {
  readonly type: "created";
  readonly session: Omit<SessionOutcome, "decisions" | "verdicts" | "votes">;
}

/** The run begins again, from the start or from its judging: whoever ran it before is gone. */
export interface AttemptStartedEntry {
  readonly type: "attempt_started";
  readonly at: string;
}

/** The process that ran it gave it back before its end: it is queued again. */
export interface ReleasedEntry {
  readonly type: "released";
  readonly at: string;
  /** Why it was given back; absent: the process stopped, or could not write. */
  readonly killed_from_outside?: true;
}

export interface StageEntry {
  readonly type: "stage";
  readonly at: string;
  readonly stage: "preparing" | "running" | "probing" | "judging";
  /** The first stage of an attempt has it, where a version with other protocols accepted the run. Absent: it runs as accepted. */
  readonly planned_anew?: PlannedAnew;
}

export interface PlannedAnew {
  readonly version: string;
  readonly protocols: string;
  readonly comparison: string;
}

export interface DecisionEntry {
  readonly type: "decision";
  readonly arm_id: string;
  readonly decision: Decision;
}

/** An arm does not run: what a stored run left stands in. Its decisions and its end follow. */
interface ArmImportedEntry {
  readonly type: "arm_imported";
  readonly arm_id: string;
  readonly from: StoredRun;
}

/** An arm did not run here: another session of the round has its decisions and its work, and these are read from there. */
interface ArmSharedEntry {
  readonly type: "arm_shared";
  readonly arm_id: string;
  readonly from: ArmPointer;
  /** Without what is large. */
  readonly summary: Partial<ArmSummary> & Pick<ArmSummary, "status">;
}

/** How an arm stopped and what it used. Its work has not been looked at. */
interface ArmEndedEntry {
  readonly type: "arm_ended";
  readonly arm_id: string;
  readonly summary: Partial<ArmSummary> & Pick<ArmSummary, "status">;
}

/** What the arms differed in though it was not declared. */
interface ObservedEntry {
  readonly type: "observed";
  readonly differences: readonly string[];
  /** As in `Fairness`. */
  readonly apart?: true;
}

/** What an arm left behind. */
interface ExaminedEntry {
  readonly type: "examined";
  readonly arm_id: string;
  readonly summary: Partial<ArmSummary>;
}

/** A verdict: the run's own, or one that was asked for later. */
interface JudgedEntry {
  readonly type: "judged";
  readonly verdict: Verdict;
}

/** Somebody asked for the run to stop. */
interface CancelAskedEntry {
  readonly type: "cancel_asked";
  readonly at: string;
}

/** A person compared two arms. */
interface VotedEntry {
  readonly type: "voted";
  readonly vote: Vote;
}

/** The last entry of the run; only a later verdict or vote may follow. */
export interface EndedEntry {
  readonly type: "ended";
  readonly at: string;
  readonly state: "completed" | "failed" | "cancelled" | "interrupted";
  readonly failure: SessionFailure | null;
}

/** What the run itself writes. */
export type RunEntry =
  | AttemptStartedEntry
  | ReleasedEntry
  | StageEntry
  | DecisionEntry
  | ArmImportedEntry
  | ArmSharedEntry
  | ArmEndedEntry
  | ObservedEntry
  | ExaminedEntry
  | JudgedEntry
  | EndedEntry;

/** What others than the run write. */
export type AddedEntry = JudgedEntry | CancelAskedEntry | VotedEntry;

export type SessionEntry = CreatedEntry | AddedEntry | RunEntry;

/** A session: what happened, in order. */
export type SessionLog = readonly [CreatedEntry, ...SessionEntry[]];

/** Every kind of entry that this version knows. */
const KINDS: Readonly<Record<SessionEntry["type"], true>> = {
  created: true,
  attempt_started: true,
  released: true,
  stage: true,
  decision: true,
  arm_imported: true,
  arm_shared: true,
  arm_ended: true,
  observed: true,
  examined: true,
  judged: true,
  cancel_asked: true,
  voted: true,
  ended: true,
};

/** A kind of entry that a newer version has written; undefined: none. */
export function unknownKind(entries: readonly SessionEntry[]): string | undefined {
  const kinds = entries.map((entry): unknown => Object(entry).type);
  return kinds.find((kind): kind is string => typeof kind === "string" && !Object.hasOwn(KINDS, kind));
}
