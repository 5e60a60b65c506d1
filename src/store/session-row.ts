import { type SessionFailure, type SessionOutcome, STAGES } from "../domain/session.ts";
import type { EndedEntry, RunEntry } from "../domain/session-entry.ts";
import type { SessionListing } from "../domain/session-list.ts";
import { TrialRow, trialRowOf } from "../domain/trial.ts";
import { listingOf } from "./list-rows.ts";
import { listedResult, scoreGap, searchedText } from "./page-sessions.ts";
import type { LoggedEntry, Run } from "./store.ts";
import { storedJson } from "./stored-json.ts";

/** Whether lists may show something else after it. At the end the whole log is read. */
export const isListed = (entry: RunEntry) =>
  entry.type === "examined" ? entry.summary.status !== undefined : !UNLISTED.has(entry.type);

const UNLISTED: ReadonlySet<RunEntry["type"]> = new Set(["decision", "observed"]);

/** What a session's row says of it. */
export function rowTextOf(outcome: SessionOutcome) {
  const listing = listingOf(outcome);
  return {
    state: outcome.state,
    listing: JSON.stringify(listing),
    ...listedColumns(listing),
    trial_row: JSON.stringify(trialRowOf(outcome)),
  };
}

/** How a session ends whose process is gone. */
export function interruption(state: string, at: string): EndedEntry {
  const failure: SessionFailure = {
    stage: STAGES.find((known) => known === state) ?? "running",
    class: "infra",
    code: "interrupted",
    message:
      "The process that ran this session ended without a word before it was done: it was killed, or stood still and was ended.",
    retryable: true,
  };
  return { type: "ended", at, state: "interrupted", failure };
}

/** The columns by which lists are filtered and sorted. */
export const listedColumns = (row: SessionListing) => ({
  searched: searchedText(row),
  result: listedResult(row),
  outcome: row.outcome,
  model_a: row.arms[0]?.model ?? null,
  model_b: row.arms[1]?.model ?? null,
  judge: row.judge_model,
  gap: scoreGap(row),
  cost: row.cost_usd ?? null,
  duration: row.wall_ms ?? null,
  conflict: row.conflict === true,
  asked_by: row.user ?? null,
});

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

/** Rows that are damaged are left out. */
export const readableTrials = (rows: readonly StoredTrial[]): readonly TrialRow[] =>
  rows.flatMap(({ session_id, trial_row }) => {
    const row = parseTrial(trial_row);
    return row?.session_id === session_id ? [row] : [];
  });

const parseTrial = storedJson(TrialRow);
