import { Failure } from "../../domain/failure.ts";
import {
  MAX_TALLIES,
  type SessionFilter,
  SessionListing,
  type SessionSummary,
  type SessionSummaryRequest,
  type SessionTally,
  searchedWords,
} from "../../domain/session-list.ts";
import {
  DAMAGED,
  EXACT,
  inputText,
  notOfOutcomeAlone,
  orderOf,
  type ResultRow,
  summaryOfRows,
} from "../sql-listings.ts";
import type { SessionQuery } from "../store.ts";
import { storedJson } from "../stored-json.ts";
import type { Database } from "./database.ts";

/** Newest first unless asked otherwise, without rows that are damaged. @throws Failure `unknown_session` for `before` */
export function readListings(database: Database, query: SessionQuery): readonly SessionListing[] {
  const { limit, before, offset = 0 } = query;
  const { where, values } = conditionsOf(query);
  const position = before === undefined ? Number.MAX_SAFE_INTEGER : positionOf(database, before);
  // First the places, from the index alone, then the listings of those that are read.
  const rows = database
    .query(
      `SELECT listing FROM
         (SELECT position AS place FROM ${INDEX} WHERE ${where} AND position < $position
          ORDER BY ${orderOf(query)} LIMIT $rows OFFSET $offset)
       CROSS JOIN sessions ON position = place`,
    )
    .iterate({ ...values, position, offset, rows: limit === undefined ? -1 : limit + DAMAGED }) as IterableIterator<{
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

export function summarizeListings(database: Database, { names, ...filter }: SessionSummaryRequest): SessionSummary {
  const { where, values } = conditionsOf(filter);
  const results = database.query(`${RESULTS} WHERE ${where} GROUP BY result`).all(values) as ResultRow[];
  const tally = (rows: string) => database.query(tallyOf(rows)).all() as SessionTally[];
  const known = names && {
    scenarios: tally(namesIn("scenario")),
    models: tally(MODELS),
    judges: tally(namesIn("judge")),
  };
  return summaryOfRows(results, known);
}

type Values = Readonly<Record<string, string>>;

const INDEX = "sessions INDEXED BY sessions_listed";

const RESULTS = `SELECT result AS name, count(*) AS sessions, sum(conflict) AS conflicts, count(cost) AS costs,
  sum(cost) AS cost_usd, coalesce(sum(duration), 0) AS wall_ms FROM ${INDEX}`;

/** Leaves out listings that were damaged before they had these columns. */
const EVERY = "searched IS NOT NULL";

function conditionsOf(filter: SessionFilter): { readonly where: string; readonly values: Values } {
  const conditions = [EVERY];
  const values: Record<string, string> = {};
  for (const name of EXACT) {
    const value = filter[name];
    if (value === undefined) continue;
    conditions.push(`${name} = $${name}`);
    values[name] = value;
  }
  if (filter.model !== undefined) {
    conditions.push("$model IN (model_a, model_b)");
    values["model"] = filter.model;
  }
  if (filter.input !== undefined) {
    conditions.push("instr(listing, $input) > 0");
    values["input"] = inputText(filter.input);
  }
  if (filter.conflict !== undefined) conditions.push("conflict = 1");
  if (filter.trials !== undefined) conditions.push("series_id IS NULL");
  for (const [index, word] of searchedWords(filter.text).entries()) {
    conditions.push(`instr(searched, $word${index}) > 0`);
    if (filter.blind) conditions.push(notOfOutcomeAlone(`$word${index}`));
    values[`word${index}`] = word;
  }
  return { where: conditions.join(" AND "), values };
}

const namesIn = (column: string) => `SELECT ${column} AS name FROM ${INDEX} WHERE ${EVERY}`;

const MODELS = `${namesIn("model_a")} UNION ALL ${namesIn("model_b")} AND model_b IS NOT model_a`;

const tallyOf = (names: string) => `SELECT name, count(*) AS sessions FROM (${names}) WHERE name IS NOT NULL
  GROUP BY name ORDER BY sessions DESC, name LIMIT ${MAX_TALLIES}`;

const parsed = storedJson(SessionListing);

function positionOf(database: Database, session_id: string): number {
  const row = database.query("SELECT position FROM sessions WHERE session_id = $session_id").get({ session_id });
  if (row === null) throw new Failure("unknown_session", `there is no session ${session_id}`);
  return (row as { position: number }).position;
}
