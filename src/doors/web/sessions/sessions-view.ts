import { columnsWith } from "../../../domain/listed-columns.ts";
import type { SessionListRequest } from "../../../domain/session-list.ts";

/** Which sessions a reader looks at, in which order: what the address says, in the words of the server. */
export type SessionsView = { readonly [Name in (typeof FIELDS)[number]]?: SessionListRequest[Name] | undefined };

const FIELDS = [
  "scenario",
  "state",
  "series_id",
  "outcome",
  "model",
  "judge",
  "user",
  "text",
  "conflict",
  "trials",
  "sort",
  "order",
] as const;

/** What the address holds beside these fields is left out; the server refuses values that it does not know. */
export const viewOf = (parameters: URLSearchParams): SessionsView =>
  Object.fromEntries(
    FIELDS.map((name) => [name, parameters.get(name)]).filter(([, value]) => value !== null && value !== ""),
  );

/** The view as parameters of an address; always in the same order. */
export const parametersOf = (view: SessionsView): Record<string, string | null> =>
  Object.fromEntries(FIELDS.map((name) => [name, view[name] || null]));

/** Whether a view shows less than everything. */
export const isFiltered = ({ sort: _sort, order: _order, ...filter }: SessionsView): boolean =>
  Object.values(filter).some((value) => value !== undefined && value !== "");

/** Orders that tell who won. */
export const TELLING: ReadonlySet<string> = new Set(columnsWith("telling").map(([name]) => name));

/** What a blind reader sees of it: nothing is chosen or put in order by who won. */
export function blindView({
  outcome: _outcome,
  conflict: _conflict,
  sort,
  order,
  ...filter
}: SessionsView): SessionsView {
  return sort !== undefined && TELLING.has(sort) ? filter : { ...filter, sort, order };
}
