import type { SortName } from "../domain/listed-columns.ts";
import type { SessionListRequest, SessionSummary } from "../domain/session-list.ts";
import { tallied } from "./page-sessions.ts";

// What the stores in SQL say alike: their columns have the same names.

/** Whether one of these columns has the value at a place. */
export const isIn = (names: readonly string[], place: string) =>
  `(${names.map((name) => `${name} = ${place}`).join(" OR ")})`;

/** What the text of a listing holds only where its row of inputs is this one: inside a text its quotes would be escaped. */
export const inputText = (input: string): string => `"input":${JSON.stringify(input)}`;

/** Rows in a row that may be damaged without a page being shorter than it was asked for. */
export const DAMAGED = 100;

/** Whether a word stands in more than the outcome. The winner adds nothing: its name is also that of an arm. */
export function notOfOutcomeAlone(word: string): string {
  const found = (text: string) => `length(${text}) - length(replace(${text}, ${word}, ''))`;
  return `${found("searched")} > ${found("coalesce(outcome, '')")}`;
}

export const orderOf = ({ sort = "created", order = "desc" }: SessionListRequest) =>
  sort === "created" ? `position ${order}` : `${sort satisfies SortName} ${order} NULLS LAST, position DESC`;

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
