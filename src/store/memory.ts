import { type TrialWork, trialWorkOf } from "../domain/cell.ts";
import { Failure } from "../domain/failure.ts";
import type { StoredResults } from "../domain/results.ts";
import type { SeriesListing } from "../domain/series-listing.ts";
import { MAX_TRIALS_IN_ALL, type SeriesRecord } from "../domain/series-record.ts";
import type { SeriesListRequest } from "../domain/series-request.ts";
import { isFinal, type SessionOutcome } from "../domain/session.ts";
import type { SessionEntry } from "../domain/session-entry.ts";
import type { SessionListRequest } from "../domain/session-list.ts";
import { type TrialRow, trialRowOf } from "../domain/trial.ts";
import { fold } from "./fold.ts";
import { memoryLedger } from "./ledger.ts";
import { seriesListingOf } from "./list-rows.ts";
import { chooseListings, listedSession, summarize } from "./page-sessions.ts";
import { isLog } from "./read-session.ts";
import { MemoryKeys, type RequestKey } from "./request-keys.ts";
import { memorySelfTests } from "./self-test-store.ts";
import { countsOfLines, isResults, ledgerLine, type StoredSeries, withFirstDate } from "./series-rows.ts";
import type { LedgerCounts, SeriesStore } from "./series-store.ts";
import {
  entriesGiven,
  type LoggedEntry,
  notRunning,
  type Run,
  type SessionStore,
  stillRunning,
  superseded,
  type TrialsOf,
  unknownSeries,
} from "./store.ts";
import { Watchers } from "./watchers.ts";

interface KeptSession {
  readonly log: LoggedEntry[];
  attempt: number;
}

/** Sessions kept in memory when there is no state directory. */
const MEMORY_SESSIONS = 200;

/**
 * Keeps sessions until the process exits: all that run, and the `capacity` that ended last. Series likewise; the trials of
 * a series that is kept can be listed though their sessions are gone.
 */
export function memoryStore(capacity: number = MEMORY_SESSIONS): SessionStore {
  const sessions = new Map<string, KeptSession>();
  /** Oldest first. */
  const rows = new Map<string, TrialRow>();
  /** Of those that ended, as long as their rows. */
  const work = new Map<string, TrialWork>();
  /** Ids in the order in which the sessions ended. */
  const ended = new Set<string>();
  const drop = (session_id: string) => {
    rows.delete(session_id);
    work.delete(session_id);
  };
  const request_keys = new MemoryKeys();
  const series = new MemorySeries(capacity, request_keys, (series_id) => {
    for (const { session_id } of trials({ series_id })) if (!sessions.has(session_id)) drop(session_id);
  });
  const watchers = new Watchers();
  const trials = (of: TrialsOf) => {
    const row = "session_id" in of ? rows.get(of.session_id) : undefined;
    if ("session_id" in of) return row ? [structuredClone(row)] : [];
    const limit = "series_id" in of ? Number.POSITIVE_INFINITY : (of.limit ?? MAX_TRIALS_IN_ALL);
    const found = rows.values().filter((one) => belongs(one, of));
    return [...found.take(limit).map((one) => structuredClone(one))];
  };
  const push = (
    session_id: string,
    { log, attempt }: KeptSession,
    entries: readonly SessionEntry[],
  ): SessionOutcome | undefined => {
    log.push(...entries.map((entry, index) => ({ n: log.length + index + 1, attempt, entry })));
    if (entries.every(({ type }) => type === "decision")) return undefined;
    const all = log.map(({ entry }) => entry);
    if (!isLog(all)) return undefined;
    const outcome = fold(all);
    rows.set(session_id, trialRowOf(outcome));
    if (!isFinal(outcome.state)) return undefined;
    work.set(session_id, trialWorkOf(outcome));
    return outcome;
  };
  const end = (session_id: string) => {
    const [first] = ended.add(session_id);
    if (first === undefined || ended.size <= capacity) return;
    ended.delete(first);
    sessions.delete(first);
    const series_id = rows.get(first)?.place?.series_id;
    if (series_id === undefined || !series.has(series_id)) drop(first);
  };
  const listings = () =>
    [...sessions.values()].reverse().flatMap(({ log }) => {
      const entries = log.map(({ entry }) => entry);
      return isLog(entries) ? [listedSession(fold(entries))] : [];
    });
  return {
    persistent: false,
    ledger: memoryLedger(),
    series,
    self_tests: memorySelfTests(capacity),
    request_keys,
    async create(entry, key) {
      const { session_id, state } = entry.session;
      return request_keys.begin(key, session_id, () => {
        if (sessions.has(session_id)) return undefined;
        const session: KeptSession = { log: [], attempt: 1 };
        push(session_id, session, [structuredClone(entry)]);
        sessions.set(session_id, session);
        if (isFinal(state)) end(session_id);
        return { session_id, attempt: 1 };
      });
    },
    async append({ session_id, attempt }: Run, given) {
      const session = sessions.get(session_id);
      if (session?.attempt !== attempt || ended.has(session_id)) throw superseded(session_id);
      const place = rows.get(session_id)?.place;
      const entries = entriesGiven(given, () => (place ? trials(place) : []));
      const outcome = push(session_id, session, structuredClone(entries));
      if (outcome) end(session_id);
      watchers.wake(session_id);
      return outcome;
    },
    async takeOver(session_id, at) {
      const session = sessions.get(session_id);
      if (session === undefined || ended.has(session_id)) return undefined;
      session.attempt += 1;
      push(session_id, session, [{ type: "attempt_started", at }]);
      watchers.wake(session_id);
      return { session_id, attempt: session.attempt };
    },
    async add(session_ids, entry) {
      const copy = structuredClone(entry);
      for (const session_id of session_ids) {
        const session = sessions.get(session_id);
        if (session) push(session_id, session, [copy]);
      }
      for (const session_id of session_ids) watchers.wake(session_id);
    },
    async read(session_id, from = 0) {
      return structuredClone(sessions.get(session_id)?.log.slice(from) ?? []);
    },
    async list(query: SessionListRequest = {}) {
      const { before } = query;
      if (before !== undefined && !sessions.has(before))
        throw new Failure("unknown_session", `there is no session ${before}`);
      const newestFirst = listings();
      return chooseListings(
        newestFirst.slice(newestFirst.findIndex(({ listing }) => listing.session_id === before) + 1),
        query,
      );
    },
    summarize: async (filter) => summarize(listings(), filter),
    trials: async (of) => trials(of),
    async work(session_ids) {
      const found = session_ids.flatMap((id) => {
        const one = work.get(id);
        return one ? [[id, structuredClone(one)] as const] : [];
      });
      return new Map(found);
    },
    watch: (session_id, wake) => watchers.watch(session_id, wake),
    [Symbol.dispose]() {
      sessions.clear();
      rows.clear();
      work.clear();
      series.clear();
    },
  };
}

const belongs = ({ place, comparison }: TrialRow, of: Exclude<TrialsOf, { readonly session_id: string }>) =>
  "series_id" in of ? place?.series_id === of.series_id : comparison === of.comparison;

interface KeptSeries {
  readonly record: StoredSeries;
  readonly running: boolean;
}

/** All series that run, and the `capacity` that ended last; `dropped` hears of each that is forgotten. */
class MemorySeries implements SeriesStore {
  readonly #capacity: number;
  readonly #keys: MemoryKeys;
  readonly #dropped: (series_id: string) => void;
  readonly #series = new Map<string, KeptSeries>();
  /** Ids in the order in which the sessions ended. */
  readonly #ended = new Set<string>();

  constructor(capacity: number, keys: MemoryKeys, dropped: (series_id: string) => void) {
    this.#capacity = capacity;
    this.#keys = keys;
    this.#dropped = dropped;
  }

  has(series_id: string): boolean {
    return this.#series.has(series_id);
  }

  async create(record: SeriesRecord, key?: RequestKey): Promise<boolean> {
    const { series_id } = record;
    const begun = this.#keys.begin(key, series_id, () => (this.#series.has(series_id) ? undefined : true));
    if (begun) this.#keep(record);
    return begun === true;
  }

  async update(record: SeriesRecord): Promise<void> {
    if (this.#series.get(record.series_id)?.running !== true) throw notRunning(record.series_id);
    this.#keep(record);
  }

  async take(series_id: string): Promise<SeriesRecord | undefined> {
    const kept = this.#series.get(series_id);
    if (kept === undefined || isResults(kept.record)) return undefined;
    if (kept.running) throw stillRunning(series_id);
    this.#series.set(series_id, { ...kept, running: true });
    this.#ended.delete(series_id);
    return structuredClone(kept.record);
  }

  async read(series_id: string): Promise<SeriesRecord | undefined> {
    const record = this.#series.get(series_id)?.record;
    return record && !isResults(record) ? structuredClone(record) : undefined;
  }

  async keep(results: StoredResults): Promise<StoredResults> {
    const kept = withFirstDate(results, this.#series.get(results.series_id)?.record);
    this.#keep(kept);
    return structuredClone(kept);
  }

  async results(series_id: string): Promise<StoredResults | undefined> {
    const record = this.#series.get(series_id)?.record;
    return record && isResults(record) ? structuredClone(record) : undefined;
  }

  async ledger(stored: StoredSeries): Promise<LedgerCounts> {
    const { subject } = ledgerLine(stored);
    const lines = this.#series.values().map(({ record }) => ledgerLine(record));
    return countsOfLines(lines.filter((line) => line.subject === subject));
  }

  async list(
    { scenario, state, limit, before }: SeriesListRequest = {},
    failed?: ReadonlySet<string>,
  ): Promise<readonly SeriesListing[]> {
    if (before !== undefined && !this.#series.has(before)) throw unknownSeries(before);
    const newestFirst = [...this.#series.values()].reverse().map(({ record }) => seriesListingOf(record, failed));
    const older = newestFirst.slice(newestFirst.findIndex(({ series_id }) => series_id === before) + 1);
    const wanted = older.filter(
      (row) => (scenario === undefined || row.scenarios.includes(scenario)) && (state ?? row.state) === row.state,
    );
    return structuredClone(wanted.slice(0, limit));
  }

  clear(): void {
    this.#series.clear();
  }

  #keep(record: StoredSeries): void {
    const { series_id, state } = record;
    const running = state === "running";
    this.#series.set(series_id, { record: structuredClone(record), running });
    if (running) return;
    const [first] = this.#ended.add(series_id);
    if (first === undefined || this.#ended.size <= this.#capacity) return;
    this.#ended.delete(first);
    this.#series.delete(first);
    this.#dropped(first);
  }
}
