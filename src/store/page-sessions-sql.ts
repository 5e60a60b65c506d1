import type { SessionListRequest, SessionSort, SessionSummary } from "../domain/session-list.ts";
import { tallied } from "./page-sessions.ts";

// What the stores in SQL say alike: their columns have the same names.

/** Fields of a filter that are looked for as they are. */
export const EXACT = ["scenario", "state", "series_id", "outcome", "judge"] as const;

/** What the text of a listing holds only where its row of inputs is this one: inside a text its quotes would be escaped. */
export const inputText = (input: string): string => `"input":${JSON.stringify(input)}`;

/** Rows in a row that may be damaged without a page being shorter than it was asked for. */
export const DAMAGED = 100;

/** Whether a word stands in more than the outcome. The winner adds nothing: its name is also that of an arm. */
export function notOfOutcomeAlone(word: string): string {
  const found = (text: string) => `length(${text}) - length(replace(${text}, ${word}, ''))`;
  return `${found("searched")} > ${found("coalesce(outcome, '')")}`;
}

const by = (key: string) => (order: "asc" | "desc") => `${key} ${order} NULLS LAST, position DESC`;

const SORTS: Readonly<Record<SessionSort, (order: "asc" | "desc") => string>> = {
  created: (order) => `position ${order}`,
  scenario: by("scenario"),
  result: by("result"),
  gap: by("gap"),
  cost: by("cost"),
  duration: by("duration"),
};

export const orderOf = ({ sort = "created", order = "desc" }: SessionListRequest) => SORTS[sort](order);

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
