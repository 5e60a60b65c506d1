import { Failure } from "../../domain/failure.ts";
import { idTime } from "../../domain/session.ts";
import {
  type SessionFilter,
  SessionListing,
  type SessionListRequest,
  type SessionSummary,
  type SessionSummaryRequest,
  type SessionTally,
  searchedWords,
} from "../../domain/session-list.ts";
import { breathe } from "../../runtime/pace.ts";
import { tallied, withUsers } from "../page-sessions.ts";
import {
  countsByResult,
  DAMAGED,
  listConditions,
  orderOf,
  type ResultRow,
  summaryOfRows,
  talliesOf,
} from "../page-sessions-sql.ts";
import { demandReader } from "../store.ts";
import { storedJson } from "../stored-json.ts";
import type { Database } from "./database.ts";
import { placesOf } from "./session-texts.ts";

/** Rows of the index that are looked at in one turn of the event loop: some milliseconds. */
const TURN_ROWS = 20_000;

/**
 * Newest first unless asked otherwise, without rows that are damaged. Others have their turn while many rows are looked at.
 * @throws Failure `unknown_session` for `before`; `cancelled`
 */
export async function readListings(
  database: Database,
  query: SessionListRequest,
  signal: AbortSignal | undefined,
): Promise<readonly SessionListing[]> {
  const { limit, sort, order, offset } = query;
  const places = await placesOf(database, searchedWords(query.text), signal);
  if (limit === undefined || sort !== undefined || order !== undefined || offset !== undefined || places)
    return listingsAmong(database, { ...query, places }, { from: 0, below: belowOf(database, query) });
  const found: SessionListing[] = [];
  for await (const turn of turns(database, belowOf(database, query), signal)) {
    found.push(...listingsAmong(database, { ...query, limit: limit - found.length }, turn));
    if (found.length >= limit) break;
  }
  return found;
}

interface Positions {
  readonly from: number;
  readonly below: number;
}

/** Positions from the newest down, a part in each turn of the event loop. Rows that come meanwhile are in none. */
async function* turns(
  database: Database,
  top: number,
  signal: AbortSignal | undefined,
  rows = TURN_ROWS,
): AsyncGenerator<Positions> {
  const { last } = database.query("SELECT coalesce(max(position), 0) AS last FROM sessions").get() as { last: number };
  for (let below = Math.min(top, last + 1); below > 0; below -= rows) {
    yield { from: below - rows, below };
    await breathe();
    demandReader(signal);
  }
}

const belowOf = (database: Database, { before }: SessionListRequest) =>
  before === undefined ? Number.MAX_SAFE_INTEGER : positionOf(database, before);

function listingsAmong(
  database: Database,
  query: SessionListRequest & Placed,
  { from, below }: Positions,
): readonly SessionListing[] {
  const { limit, offset = 0 } = query;
  const { where, values } = placedConditions(query);
  // First the places, from the index alone, then the listings of those that are read.
  const rows = database
    .query(
      `SELECT listing FROM
         (SELECT position AS place FROM ${INDEX} WHERE ${where} AND position >= $from AND position < $below
          ORDER BY ${orderOf(query)} LIMIT $rows OFFSET $offset)
       CROSS JOIN sessions ON position = place`,
    )
    .iterate({ ...values, from, below, offset, rows: limit === undefined ? -1 : limit + DAMAGED }) as IterableIterator<{
    listing: string;
  }>;
  const listings: SessionListing[] = [];
  for (const { listing } of rows) {
    if (listings.length === limit) break;
    const row = parsed(listing);
    if (row) listings.push(row);
  }
  return listings;
}

export async function summarizeListings(
  database: Database,
  { names, since, ...filter }: SessionSummaryRequest,
  signal: AbortSignal | undefined,
): Promise<SessionSummary> {
  const places = await placesOf(database, searchedWords(filter.text), signal);
  const { where, values } = placedConditions({ ...filter, places });
  const begun = since === undefined ? 0 : await beginningOf(database, idTime(since), signal);
  const results: ResultRow[] = [];
  const known = { scenarios: new Map<string, number>(), models: new Map(), judges: new Map(), users: new Map() };
  const parts = Object.keys(known) as (keyof typeof known)[]; // as they are written here
  for await (const turn of turns(database, Number.MAX_SAFE_INTEGER, signal)) {
    results.push(
      ...(database
        .query(countsByResult(`${INDEX} WHERE ${where} AND position >= $begun AND ${AMONG}`))
        .all({ ...values, ...turn, begun }) as ResultRow[]),
    );
    for (const part of names === undefined ? [] : parts)
      for (const { name, sessions } of database.query(TALLIES[part]).iterate({ ...turn }) as Iterable<SessionTally>)
        known[part].set(name, (known[part].get(name) ?? 0) + sessions);
  }
  const tally = (counts: ReadonlyMap<string, number>) =>
    tallied([...counts].map(([name, sessions]) => ({ name, sessions })));
  const { scenarios, models, judges, users } = known;
  const told = {
    scenarios: tally(scenarios),
    models: tally(models),
    judges: tally(judges),
    ...withUsers(tally(users)),
  };
  return summaryOfRows(added(results), names && told);
}

/** Behind the last session from before a moment. */
async function beginningOf(database: Database, time: string, signal: AbortSignal | undefined): Promise<number> {
  // No index has the ids in this order: a row takes five times as long.
  for await (const turn of turns(database, Number.MAX_SAFE_INTEGER, signal, TURN_ROWS / 5)) {
    const last = database.query(LAST_BEFORE).get({ ...turn, time }) as { position: number } | null;
    if (last) return last.position + 1;
  }
  return 0;
}

/** One row for each result. */
const added = (rows: readonly ResultRow[]): ResultRow[] =>
  [...Map.groupBy(rows, ({ name }) => name).values()].map((same) =>
    same.reduce((one, other) => ({
      name: one.name,
      sessions: one.sessions + other.sessions,
      conflicts: one.conflicts + other.conflicts,
      costs: one.costs + other.costs,
      cost_usd: sumOrNull(one.cost_usd, other.cost_usd),
      wall_ms: one.wall_ms + other.wall_ms,
    })),
  );

const sumOrNull = (one: number | null, other: number | null) =>
  one === null || other === null ? (one ?? other) : one + other;

const AMONG = "position >= $from AND position < $below";

const LAST_BEFORE = `SELECT position FROM sessions WHERE substr(session_id, -length($time)) < $time AND ${AMONG}
  ORDER BY position DESC LIMIT 1`;

const INDEX = "sessions INDEXED BY sessions_listed";

/** Leaves out listings that were damaged before they had these columns. */
const EVERY = "searched IS NOT NULL";

/** Where alone sessions with the words can be; undefined: anywhere. */
interface Placed {
  readonly places?: readonly number[] | undefined;
}

function placedConditions({ places, ...filter }: SessionFilter & Placed) {
  const { where, values } = listConditions(filter, SEARCH);
  const placed = places ? ["position IN (SELECT value FROM json_each($places))"] : [];
  return {
    where: [EVERY, ...placed, ...where].join(" AND "),
    values: { ...values, ...(places && { places: JSON.stringify(places) }) },
  };
}

const SEARCH = {
  contains: (column: string, place: string) => `instr(${column}, ${place}) > 0`,
  isSearched: (place: string) => `instr(searched, ${place}) > 0`,
};

const TALLIES = talliesOf(`${INDEX} WHERE ${EVERY} AND ${AMONG}`);

const parsed = storedJson(SessionListing);

function positionOf(database: Database, session_id: string): number {
  const row = database.query("SELECT position FROM sessions WHERE session_id = $session_id").get({ session_id });
  if (row === null) throw new Failure("unknown_session", `there is no session ${session_id}`);
  return (row as { position: number }).position;
}
