import { columnsWith, FILTERED_COLUMNS } from "../domain/listed-columns.ts";
import {
  type SessionFilter,
  type SessionListRequest,
  type SessionSummary,
  searchedWords,
} from "../domain/session-list.ts";
import { tallied } from "./page-sessions.ts";

// What the stores in SQL say alike: their columns have the same names.

/** How a database looks for the value at a place. */
interface TextSearch {
  /** In a column. */
  readonly contains: (column: string, place: string) => string;
  /** Among the words of a session. */
  readonly isSearched: (place: string) => string;
}

interface Conditions {
  readonly where: string[];
  readonly values: Record<string, string>;
}

/** What a session must be to be listed; each value stands at the place of its name. */
export function listConditions(filter: SessionFilter, { contains, isSearched }: TextSearch): Conditions {
  const where: string[] = [];
  const values: Record<string, string> = {};
  const add = (name: string, value: string | undefined, condition: (place: string) => string) => {
    if (value === undefined) return;
    where.push(condition(`$${name}`));
    values[name] = value;
  };
  for (const [parameter, names] of FILTERED_COLUMNS)
    add(parameter, filter[parameter], (place) => `(${names.map((name) => `${name} = ${place}`).join(" OR ")})`);
  const input = filter.input === undefined ? undefined : inputText(filter.input);
  add("input", input, (place) => contains("listing", place));
  if (filter.conflict !== undefined) where.push("conflict");
  if (filter.trials !== undefined) where.push("series_id IS NULL");
  const beside = (place: string) => (filter.blind ? ` AND ${notOfOutcomeAlone(place)}` : "");
  for (const [index, word] of searchedWords(filter.text).entries())
    add(`word${index}`, word, (place) => `${isSearched(place)}${beside(place)}`);
  return { where, values };
}

/** What the text of a listing holds only where its row of inputs is this one: inside a text its quotes would be escaped. */
const inputText = (input: string): string => `"input":${JSON.stringify(input)}`;

/** Rows in a row that may be damaged without a page being shorter than it was asked for. */
export const DAMAGED = 100;

/** Whether a word stands in more than the outcome. The winner adds nothing: its name is also that of an arm. */
function notOfOutcomeAlone(word: string): string {
  const found = (text: string) => `length(${text}) - length(replace(${text}, ${word}, ''))`;
  return `${found("searched")} > ${found("coalesce(outcome, '')")}`;
}

/** Only these stand in a statement, whatever is asked for. */
const ORDERS: ReadonlyMap<string, string> = new Map([
  ...columnsWith("sort").map(([name]) => [name, name] as const),
  ["created", "position"],
]);

export function orderOf({ sort = "created", order }: SessionListRequest): string {
  const [column = "position", direction] = [ORDERS.get(sort), order === "asc" ? "ASC" : "DESC"];
  return column === "position" ? `position ${direction}` : `${column} ${direction} NULLS LAST, position DESC`;
}

/** Counts the sessions of `from`, which ends with its conditions, by result. */
export const countsByResult = (from: string): string =>
  `SELECT result AS name, CAST(count(*) AS int) AS sessions, CAST(count(*) FILTER (WHERE conflict) AS int) AS conflicts,
    CAST(count(cost) AS int) AS costs, sum(cost) AS cost_usd, coalesce(sum(duration), 0) AS wall_ms
  FROM ${from} GROUP BY result`;

/** For each part of `known`, how many of the sessions of `from` have each name. */
export function talliesOf(from: string): Readonly<Record<"scenarios" | "models" | "judges" | "users", string>> {
  const names = (column: string) => `SELECT ${column} AS name FROM ${from}`;
  const tally = (rows: string) => `SELECT name, CAST(count(*) AS int) AS sessions FROM (${rows}) AS names
    WHERE name IS NOT NULL GROUP BY name`;
  return {
    scenarios: tally(names("scenario")),
    models: tally(`${names("model_a")} UNION ALL ${names("model_b")} AND model_b IS DISTINCT FROM model_a`),
    judges: tally(names("judge")),
    users: tally(names("asked_by")),
  };
}

/** Counts of the sessions with one result; a null name stands for damaged rows. */
export interface ResultRow {
  readonly name: string | null;
  readonly sessions: number;
  readonly conflicts: number;
  /** Sessions whose cost is known. */
  readonly costs: number;
  readonly cost_usd: number | null;
  readonly wall_ms: number;
}

export function summaryOfRows(results: readonly ResultRow[], known?: SessionSummary["known"]): SessionSummary {
  const sum = (key: keyof Omit<ResultRow, "name">) => results.reduce((total, row) => total + (row[key] ?? 0), 0);
  const [sessions, costs] = [sum("sessions"), sum("costs")];
  return {
    sessions,
    results: tallied(results.flatMap(({ name, sessions }) => (name === null ? [] : { name, sessions }))),
    conflicts: sum("conflicts"),
    cost_usd: costs === 0 ? null : sum("cost_usd"),
    cost_unknown: sessions - costs,
    wall_ms: sum("wall_ms"),
    ...(known && { known }),
  };
}
