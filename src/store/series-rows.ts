import { Type } from "@sinclair/typebox";
import { canonicalJson } from "../domain/canonical-json.ts";
import { Failure } from "../domain/failure.ts";
import { dig, parseJson } from "../domain/lenient.ts";
import { StoredResults } from "../domain/results.ts";
import { SERIES_PROTOCOL, SeriesRecord } from "../domain/series-record.ts";
import { preferredSide } from "../domain/series-status.ts";
import { sha256 } from "../domain/sha256.ts";
import type { LedgerCounts } from "./series-store.ts";
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

/** What is asked of whom, and with what answer: the more often the same is asked, the more often chance answers. */
interface LedgerLine {
  /** The scenarios by their names; of a table its content. */
  readonly subject: string;
  /** Series with the same one are one comparison, of which all trials count together. */
  readonly compared: string;
  /** It prefers an arm. */
  readonly claimed: boolean;
}

/** Names of long suites are cut, so that an index holds them. */
export const SUBJECT_CHARS = 500;

export function ledgerLine(stored: StoredSeries): LedgerLine {
  const claimed = isClaimed(stored);
  if (isResults(stored)) return { subject: stored.content ?? stored.series_id, compared: stored.series_id, claimed };
  const { scenarios, measure = null } = stored.plan;
  return {
    subject: [...new Set(scenarios.map(({ scenario }) => scenario))].join(" ").slice(0, SUBJECT_CHARS),
    compared: sha256(canonicalJson([measure, scenarios.map(({ comparison }) => comparison)])),
    claimed,
  };
}

const isClaimed = ({ standing }: StoredSeries) => preferredSide(standing.conclusion) !== undefined;

/** Each comparison counts once, and claims where one of its series does. */
export function countsOfLines(lines: Iterable<Pick<LedgerLine, "compared" | "claimed">>): LedgerCounts {
  const claimed = new Map<string, boolean>();
  for (const line of lines) claimed.set(line.compared, line.claimed || claimed.get(line.compared) === true);
  return { comparisons: claimed.size, claims: [...claimed.values()].filter(Boolean).length };
}

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
    const claimed = isClaimed(record);
    const { count } = yield* query(UPDATE, { series_id, state, owner, claimed, series: JSON.stringify(record), me });
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
    yield* this.#insert(
      kept,
      null,
      "(series_id) DO UPDATE SET series = excluded.series, subject = excluded.subject, compared = excluded.compared, claimed = excluded.claimed",
    );
    return kept;
  }

  /** How often others asked what this series asks; itself included. */
  *ledger(stored: StoredSeries): SqlSteps<LedgerCounts> {
    const { subject } = ledgerLine(stored);
    const [row] = yield* query<LedgerCounts>(LEDGER, { subject });
    return { comparisons: row?.comparisons ?? 0, claims: row?.claims ?? 0 };
  }

  #insert(stored: StoredSeries, owner: string | null, onConflict: string) {
    const { series_id, state } = stored;
    const row = {
      ...{ series_id, state, owner: state === "running" ? owner : null, series: JSON.stringify(stored) },
      ...{ ...ledgerLine(stored), ...this.#table.beside(stored, owner) },
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

const UPDATE = `UPDATE @series SET state = $state, owner = $owner, claimed = $claimed, series = $series
  WHERE series_id = $series_id AND owner = $me`;

/** Series that a ledger reads: a page must not wait for more. */
const LEDGER_SERIES = 10_000;

/** From the index alone, in its order. */
const LEDGER = `SELECT CAST(count(*) AS integer) AS comparisons, CAST(coalesce(sum(claims), 0) AS integer) AS claims
  FROM (SELECT max(CASE WHEN claimed THEN 1 ELSE 0 END) AS claims FROM
    (SELECT compared, claimed FROM @series WHERE subject = $subject ORDER BY compared LIMIT ${LEDGER_SERIES}) AS lines
    GROUP BY compared) AS comparisons`;

const OWN = "UPDATE @series SET owner = $me WHERE series_id = $series_id";
