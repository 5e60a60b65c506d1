import { TrialWork, trialWorkOf } from "../domain/cell.ts";
import { columnsWith, columnValues } from "../domain/listed-columns.ts";
import { MAX_TRIALS_IN_ALL } from "../domain/series-record.ts";
import { isFinal, type SessionFailure, type SessionOutcome, STAGES } from "../domain/session.ts";
import type { EndedEntry, RunEntry } from "../domain/session-entry.ts";
import { TrialRow, trialRowOf } from "../domain/trial.ts";
import { breathe } from "../runtime/pace.ts";
import { listingOf } from "./list-rows.ts";
import { searchedText } from "./page-sessions.ts";
import { query, type SqlDriver } from "./sql.ts";
import { isLoss, isOutage, type LoggedEntry, type Run, type TrialsOf } from "./store.ts";
import { storedJson } from "./stored-json.ts";

/** Whether lists may show something else after it. At the end the whole log is read. */
export const isListed = (entry: RunEntry) =>
  entry.type === "examined" ? entry.summary.status !== undefined : !UNLISTED.has(entry.type);

const UNLISTED: ReadonlySet<RunEntry["type"]> = new Set(["decision", "observed"]);

/** What a session's row says of it. */
export function rowTextOf(outcome: SessionOutcome) {
  const kept = columnValues(outcome);
  const listing = listingOf(outcome, kept);
  return {
    ...kept,
    comparison: outcome.comparison ?? null,
    searched: searchedText(listing),
    listing: JSON.stringify(listing),
    trial_row: JSON.stringify(trialRowOf(outcome)),
    work: isFinal(outcome.state) ? JSON.stringify(trialWorkOf(outcome)) : null,
  };
}

/** The columns of `rowTextOf`. */
export const ROW_NAMES: readonly string[] = [
  ...columnsWith("kept").map(([name]) => name),
  ...["comparison", "searched", "listing", "trial_row", "work"],
];

/** Whether a row lacks a figure that a version before the figure did not list. `found`: where a text stands in another. */
export const isStale = (found: "instr" | "strpos"): string =>
  `(${columnsWith("figure")
    .map(([name, { figure }]) => `${name} IS NULL AND ${found}(listing, '"${figure.field}":') = 0`)
    .join(" OR ")})`;

/** An ended session whose row is stale. */
export interface StaleRow {
  readonly position: number;
  readonly session_id: string;
}

export interface StaleRows {
  /** Above all positions. */
  top(): Promise<number>;
  /** The youngest `most` between two positions. */
  stale(between: {
    readonly from: number;
    readonly below: number;
    readonly most: number;
  }): Promise<readonly StaleRow[]>;
  /** Writes the rows of these sessions anew. A damaged log keeps the row that it has. */
  relist(session_ids: readonly string[]): Promise<void>;
}

/**
 * Brings rows up to date that an earlier version wrote, the youngest first, some milliseconds at a time. What is left when it is
 * stopped waits for the next start.
 */
export async function relistAll(rows: StaleRows, signal: AbortSignal): Promise<void> {
  for (let below = await rows.top(); below > 0 && !signal.aborted; await breathe()) {
    const from = Math.max(0, below - STRETCH);
    const found = await rows.stale({ from, below, most: AT_ONCE });
    if (found.length > 0) await rows.relist(found.map(({ session_id }) => session_id));
    below = (found.length === AT_ONCE && found.at(-1)?.position) || from;
  }
}

/** Rows that are looked at, and of these those whose logs are read, in one turn of the event loop. */
const STRETCH = 5_000;
const AT_ONCE = 10;

/** How a session ends whose process is gone, and which is not begun again. */
export function interruption({ state, silent = 0 }: Interrupted, at: string): EndedEntry {
  const failure: SessionFailure = {
    stage: STAGES.find((known) => known === state) ?? "running",
    class: "infra",
    code: "interrupted",
    message: silent >= MAX_SILENT ? fellSilent("servers") : ENDED_SILENTLY,
    retryable: true,
  };
  return { type: "ended", at, state: "interrupted", failure };
}

interface Interrupted {
  readonly state: string;
  /** Processes that fell silent while they ran it. */
  readonly silent?: number;
}

const ENDED_SILENTLY =
  "The process that ran this session ended without a word before it was done: it was killed, or stood still and was ended.";

/** Who may fall silent over a run: it may be what makes them stand still. */
export const MAX_SILENT = 2;

export const fellSilent = (who: "workers" | "servers") =>
  `${MAX_SILENT} ${who} fell silent while they ran it, so no other runs it: it may be what made them stand still. ` +
  "If they were killed, start it again.";

/** An end of a session that could not be stored. */
export interface UnsavedEnd {
  readonly run: Run;
  readonly entries: readonly RunEntry[];
}

/** Only an end with a failure is kept; a completion that cannot be stored is refused. */
export const endsWithFailure = (entries: readonly RunEntry[]): boolean =>
  entries.some((entry) => entry.type === "ended" && Boolean(entry.failure));

/** The entries of an unsaved end as they will stand behind place `last`. */
export const entriesBehind = (last: number, { run, entries }: UnsavedEnd): readonly LoggedEntry[] =>
  entries.map((entry, at) => ({ n: last + at + 1, attempt: run.attempt, entry }));

/** A trial's row as databases have it. */
export interface StoredTrial {
  readonly session_id: string;
  readonly trial_row: string | null;
}

interface WhichRows {
  readonly column: "series_id" | "comparison" | "session_id";
  readonly value: string;
  readonly limit?: number;
}

/** The rows in which runs are looked for. */
export function whichTrials(of: TrialsOf): WhichRows {
  if ("series_id" in of) return { column: "series_id", value: of.series_id };
  if ("session_id" in of) return { column: "session_id", value: of.session_id, limit: 1 };
  return { column: "comparison", value: of.comparison, limit: of.limit ?? MAX_TRIALS_IN_ALL };
}

/** Rows that are damaged are left out. */
export const readableTrials = (rows: readonly StoredTrial[]): readonly TrialRow[] =>
  rows.flatMap(({ session_id, trial_row }) => {
    const row = parseTrial(trial_row);
    return row?.session_id === session_id ? [row] : [];
  });

const parseTrial = storedJson(TrialRow);

interface KeptWork {
  readonly session_id: string;
  readonly work: string | null;
}

interface WorkTable {
  /** Chooses the rows of `$ids`, a JSON list of sessions. */
  readonly among: string;
  /** A session as this process sees it; undefined for one that is unknown or cannot be read. */
  readonly read: (session_id: string) => Promise<SessionOutcome | undefined>;
}

/**
 * What sessions that have ended left, without others. What an earlier version stored is read whole when it is first asked for,
 * and kept.
 */
export async function readWork(
  { read, write }: SqlDriver,
  table: WorkTable,
  session_ids: readonly string[],
): Promise<ReadonlyMap<string, TrialWork>> {
  const ids = JSON.stringify(session_ids);
  const rows = await read(() =>
    query<KeptWork>(`SELECT session_id, work FROM @sessions WHERE session_id ${table.among}`, { ids }),
  );
  const found = new Map<string, TrialWork>();
  const made: (readonly [string, TrialWork])[] = [];
  for (const { session_id, work } of rows) {
    const kept = work === null ? undefined : parseWork(work);
    if (kept) found.set(session_id, kept);
    else made.push(...(await workIn(table, session_id)));
  }
  for (const [session_id, work] of made) found.set(session_id, work);
  if (made.length > 0) await write(() => keep(made)).catch(unlessLost);
  return found;
}

async function workIn({ read }: WorkTable, session_id: string): Promise<(readonly [string, TrialWork])[]> {
  await breathe();
  const outcome = await read(session_id).catch(unlessOutage);
  return outcome && isFinal(outcome.state) ? [[session_id, trialWorkOf(outcome)]] : [];
}

function* keep(made: readonly (readonly [string, TrialWork])[]) {
  for (const [session_id, work] of made)
    yield* query("UPDATE @sessions SET work = $work WHERE session_id = $session_id", {
      ...{ session_id, work: JSON.stringify(work) },
    });
}

/** A damaged log keeps none of the other sessions from being read. */
function unlessOutage(error: unknown): undefined {
  if (isOutage(error)) throw error;
}

/** It is made again by whoever asks next. */
function unlessLost(error: unknown): void {
  if (!isLoss(error)) throw error;
}

const parseWork = storedJson(TrialWork);
