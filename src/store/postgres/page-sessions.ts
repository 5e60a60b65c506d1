import { Failure } from "../../domain/failure.ts";
import { FILTERED_COLUMNS } from "../../domain/listed-columns.ts";
import { idTime } from "../../domain/session.ts";
import {
  MAX_TALLIES,
  type SessionFilter,
  SessionListing,
  type SessionListRequest,
  type SessionSummary,
  type SessionSummaryRequest,
  type SessionTally,
  searchedWords,
} from "../../domain/session-list.ts";
import { withUsers } from "../page-sessions.ts";
import {
  DAMAGED,
  inputText,
  isIn,
  notOfOutcomeAlone,
  orderOf,
  type ResultRow,
  summaryOfRows,
} from "../page-sessions-sql.ts";
import { storedJson } from "../stored-json.ts";
import { ask, type Sql, type Value } from "./statement.ts";

/** Newest first unless asked otherwise, without rows that are damaged. @throws Failure `unknown_session` for `before` */
export async function readListings(sql: Sql, query: SessionListRequest): Promise<readonly SessionListing[]> {
  const { limit, offset = 0 } = query;
  const { where, values } = conditionsOf(query);
  if (query.before !== undefined) {
    values.push(await positionOf(sql, query.before));
    where.push(`position < $${values.length}::bigint`);
  }
  const ordered = `SELECT listing FROM abeval.sessions ${whereOf(where)} ORDER BY ${orderOf(query)}
    OFFSET $${values.length + 1}::int LIMIT $${values.length + 2}::int`;
  const page = async (rows: number | null) => {
    const found = await ask<{ listing: string }>(sql, ordered, [...values, offset, rows]);
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
  const { where, values } = conditionsOf(filter);
  if (since !== undefined) where.push(`position > coalesce((${lastBefore(values.push(idTime(since)))}), 0)`);
  const results = await ask<ResultRow>(sql, `${RESULTS} ${whereOf(where)} GROUP BY result`, values);
  const tally = async (rows: string) => [...(await ask<SessionTally>(sql, tallyOf(rows)))];
  const known = names && {
    scenarios: await tally(namesIn("scenario")),
    models: await tally(MODELS),
    judges: await tally(namesIn("judge")),
    ...withUsers(await tally(namesIn("asked_by"))),
  };
  return summaryOfRows(results, known);
}

const lastBefore = (place: number) => `SELECT position FROM abeval.sessions
  WHERE right(session_id, length($${place})) COLLATE "C" < $${place} ORDER BY position DESC LIMIT 1`;

const RESULTS = `SELECT result AS name, count(*)::int AS sessions, (count(*) FILTER (WHERE conflict))::int AS conflicts,
  count(cost)::int AS costs, sum(cost) AS cost_usd, coalesce(sum(duration), 0) AS wall_ms FROM abeval.sessions`;

function conditionsOf(filter: SessionFilter): { readonly where: string[]; readonly values: Value[] } {
  const where: string[] = [];
  const values: Value[] = [];
  const add = (value: string, condition: (place: string) => string) => {
    values.push(value);
    where.push(condition(`$${values.length}`));
  };
  for (const [parameter, names] of FILTERED_COLUMNS) {
    const value = filter[parameter];
    if (value !== undefined) add(value, (place) => isIn(names, place));
  }
  if (filter.input !== undefined) add(inputText(filter.input), (place) => `strpos(listing, ${place}) > 0`);
  if (filter.conflict !== undefined) where.push("conflict");
  if (filter.trials !== undefined) where.push("series_id IS NULL");
  const beside = (place: string) => (filter.blind ? ` AND ${notOfOutcomeAlone(place)}` : "");
  for (const word of searchedWords(filter.text)) add(word, (place) => `${isSearched(place)}${beside(place)}`);
  return { where, values };
}

/** The pattern lets an index of trigrams choose the rows, where the database has one. */
const isSearched = (word: string) => `searched LIKE '%' || ${escapedIn(word)} || '%'`;

const escapedIn = (word: string) => `replace(replace(replace(${word}, '\\', '\\\\'), '%', '\\%'), '_', '\\_')`;

const whereOf = (conditions: readonly string[]) => (conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "");

const namesIn = (column: string) => `SELECT ${column} AS name FROM abeval.sessions`;

const MODELS = `${namesIn("model_a")} UNION ALL ${namesIn("model_b")} WHERE model_b IS DISTINCT FROM model_a`;

const tallyOf = (names: string) => `SELECT name, count(*)::int AS sessions FROM (${names}) AS names
  WHERE name IS NOT NULL GROUP BY name ORDER BY sessions DESC, name LIMIT ${MAX_TALLIES}`;

const parsed = storedJson(SessionListing);

async function positionOf(sql: Sql, session_id: string): Promise<string> {
  const statement = "SELECT position FROM abeval.sessions WHERE session_id = $1";
  const [row] = await ask<{ position: string }>(sql, statement, [session_id]);
  if (row === undefined) throw new Failure("unknown_session", `there is no session ${session_id}`);
  return row.position;
}
