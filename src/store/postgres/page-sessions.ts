import { Failure } from "../../domain/failure.ts";
import { idTime } from "../../domain/session.ts";
import {
  MAX_TALLIES,
  SessionListing,
  type SessionListRequest,
  type SessionSummary,
  type SessionSummaryRequest,
  type SessionTally,
} from "../../domain/session-list.ts";
import { withUsers } from "../page-sessions.ts";
import {
  countsByResult,
  DAMAGED,
  listConditions,
  orderOf,
  type ResultRow,
  summaryOfRows,
  talliesOf,
} from "../page-sessions-sql.ts";
import { query } from "../sql.ts";
import { storedJson } from "../stored-json.ts";
import { runSteps, type Sql } from "./statement.ts";

/** Newest first unless asked otherwise, without rows that are damaged. @throws Failure `unknown_session` for `before` */
export async function readListings(sql: Sql, request: SessionListRequest): Promise<readonly SessionListing[]> {
  const { limit, offset = 0, before } = request;
  const { where, values } = listConditions(request, SEARCH);
  const above = before === undefined ? null : await positionOf(sql, before);
  if (above !== null) where.push("position < CAST($above AS bigint)");
  const ordered = `SELECT listing FROM @sessions ${whereOf(where)} ORDER BY ${orderOf(request)}
    OFFSET CAST($offset AS int) LIMIT CAST($rows AS int)`;
  const page = async (rows: number | null) => {
    const found = await runSteps(sql, query<{ listing: string }>(ordered, { ...values, above, offset, rows }));
    return { found: found.length, listings: found.flatMap(({ listing }) => parsed(listing) ?? []) };
  };
  const first = await page(limit ?? null);
  if (limit === undefined || first.listings.length === first.found) return first.listings;
  return (await page(limit + DAMAGED)).listings.slice(0, limit);
}

export async function summarizeListings(
  sql: Sql,
  { names, since, ...filter }: SessionSummaryRequest,
): Promise<SessionSummary> {
  const { where, values } = listConditions(filter, SEARCH);
  if (since !== undefined) where.push(`position > coalesce((${LAST_BEFORE}), 0)`);
  const sessions = `@sessions ${whereOf(where)}`;
  const results = await runSteps(
    sql,
    query<ResultRow>(countsByResult(sessions), { ...values, time: since === undefined ? null : idTime(since) }),
  );
  const tally = async (part: keyof typeof TALLIES) => [
    ...(await runSteps(sql, query<SessionTally>(`${TALLIES[part]} ORDER BY sessions DESC, name LIMIT ${MAX_TALLIES}`))),
  ];
  const known = names && {
    scenarios: await tally("scenarios"),
    models: await tally("models"),
    judges: await tally("judges"),
    ...withUsers(await tally("users")),
  };
  return summaryOfRows(results, known);
}

const TALLIES = talliesOf("@sessions WHERE TRUE");

const LAST_BEFORE = `SELECT position FROM @sessions
  WHERE right(session_id, length($time)) COLLATE "C" < $time ORDER BY position DESC LIMIT 1`;

const SEARCH = {
  contains: (column: string, place: string) => `strpos(${column}, ${place}) > 0`,
  /** The pattern lets an index of trigrams choose the rows, where the database has one. */
  isSearched: (word: string) => `searched LIKE '%' || ${escapedIn(word)} || '%'`,
};

const escapedIn = (word: string) => `replace(replace(replace(${word}, '\\', '\\\\'), '%', '\\%'), '_', '\\_')`;

const whereOf = (conditions: readonly string[]) => (conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "");

const parsed = storedJson(SessionListing);

async function positionOf(sql: Sql, session_id: string): Promise<string> {
  const statement = "SELECT position FROM @sessions WHERE session_id = $session_id";
  const [row] = await runSteps(sql, query<{ position: string }>(statement, { session_id }));
  if (row === undefined) throw new Failure("unknown_session", `there is no session ${session_id}`);
  return row.position;
}
