import { Type } from "@sinclair/typebox";
import { Failure } from "../domain/failure.ts";
import { dig, parseJson } from "../domain/lenient.ts";
import { StoredResults } from "../domain/results.ts";
import { SERIES_PROTOCOL, SeriesRecord } from "../domain/series-record.ts";
import { query, type SqlSteps, type SqlValue } from "./sql.ts";
import { notRunning, stillRunning } from "./store.ts";
import { storedJson } from "./stored-json.ts";

/** What stands in a row of series: one that runs or ran here, or a table of results. */
export type StoredSeries = SeriesRecord | StoredResults;

/** Undefined for what is damaged, or of another version. */
export const parsedSeries = storedJson(Type.Union([SeriesRecord, StoredResults]));

/** Reading a byte of a series, and checking it, takes as long as reading so many of a file. */
export const READ_LIKE = 10;

export const isResults = (stored: StoredSeries): stored is StoredResults => "results" in stored;

/** As it is stored again: the same results were first stored when they were. */
export const withFirstDate = (results: StoredResults, before: StoredSeries | undefined): StoredResults =>
  before ? { ...results, created_at: before.created_at } : results;

interface SeriesTable {
  /** The owner of what this process runs. */
  readonly me: string;
  /** Whether no living process owns a row. */
  readonly is_free: string;
  /** The columns that only this database has, when a row is inserted. */
  readonly beside: (stored: StoredSeries, owner: string | null) => Readonly<Record<string, SqlValue>>;
}

/** The rows of `series`. A series that runs is owned by its process, as a session is. What writes belongs in a transaction. */
export class SeriesRows {
  readonly #table: SeriesTable;

  constructor(table: SeriesTable) {
    this.#table = table;
  }

  /** False when the id is taken. Without an owner it is work of the queue: whoever claims it takes it. */
  *create(record: SeriesRecord, owner: string | null = this.#table.me): SqlSteps<boolean> {
    return (yield* this.#insert(record, owner, "DO NOTHING")).count > 0;
  }

  /** @throws Failure `series_not_running` when this process does not run it */
  *update(record: SeriesRecord): SqlSteps<void> {
    const { series_id, state } = record;
    const { me } = this.#table;
    const owner = state === "running" ? me : null;
    const { count } = yield* query(UPDATE, { series_id, state, owner, series: JSON.stringify(record), me });
    if (count === 0) throw notRunning(series_id);
  }

  /** Undefined when it is unknown. @throws Failure `invalid_request` when a living process owns it; `storage_failed` */
  *take(series_id: string): SqlSteps<SeriesRecord | undefined> {
    if ((yield* this.read(series_id)) === undefined) return undefined;
    const { me, is_free } = this.#table;
    if ((yield* query(`${OWN} AND ${is_free}`, { series_id, me })).count === 0) throw stillRunning(series_id);
    // Somebody may have let go of it, changed, before it was owned.
    return yield* this.read(series_id);
  }

  /** As `take`, whoever owns it. */
  *steal(series_id: string): SqlSteps<SeriesRecord | undefined> {
    yield* query(OWN, { series_id, me: this.#table.me });
    return yield* this.read(series_id);
  }

  /** Undefined when it is unknown. @throws Failure `newer_version`, or `storage_failed` for a damaged one */
  *read(series_id: string): SqlSteps<SeriesRecord | undefined> {
    const stored = yield* this.#stored(series_id);
    return stored && !isResults(stored) ? stored : undefined;
  }

  /** As `read`, of a table of results. */
  *results(series_id: string): SqlSteps<StoredResults | undefined> {
    const stored = yield* this.#stored(series_id);
    return stored && isResults(stored) ? stored : undefined;
  }

  *keep(results: StoredResults): SqlSteps<StoredResults> {
    const kept = withFirstDate(results, yield* this.#stored(results.series_id));
    yield* this.#insert(kept, null, "(series_id) DO UPDATE SET series = excluded.series");
    return kept;
  }

  #insert(stored: StoredSeries, owner: string | null, onConflict: string) {
    const { series_id, state } = stored;
    const row = {
      ...{ series_id, state, owner: state === "running" ? owner : null, series: JSON.stringify(stored) },
      ...this.#table.beside(stored, owner),
    };
    const names = Object.keys(row);
    const places = names.map((name) => `$${name}`);
    return query(
      `INSERT INTO @series (${names.join(", ")}) VALUES (${places.join(", ")}) ON CONFLICT ${onConflict}`,
      row,
    );
  }

  *#stored(series_id: string): SqlSteps<StoredSeries | undefined> {
    const [row] = yield* query<{ series: string }>("SELECT series FROM @series WHERE series_id = $series_id", {
      series_id,
    });
    if (row === undefined) return undefined;
    if (isOfNewer(row.series))
      throw new Failure("newer_version", "this series was begun by a newer version of abeval: use that one");
    const stored = parsedSeries(row.series);
    if (stored?.series_id === series_id) return stored;
    throw new Failure("storage_failed", "this series was stored in a form that this version of abeval cannot read");
  }
}

/** Whether it follows rules that this version does not know. Their numbers only grow. */
const isOfNewer = (text: string) => numberOf(dig(parseJson(text), "plan", "protocol")) > numberOf(SERIES_PROTOCOL);

const numberOf = (protocol: unknown) => Number(/^series\/(\d+)$/.exec(String(protocol))?.[1] ?? 0);

const UPDATE = `UPDATE @series SET state = $state, owner = $owner, series = $series
  WHERE series_id = $series_id AND owner = $me`;

const OWN = "UPDATE @series SET owner = $me WHERE series_id = $series_id";
