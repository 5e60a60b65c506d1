import { didYouMean } from "./did-you-mean.ts";
import { cut } from "./excerpt.ts";
import { Failure } from "./failure.ts";
import type { Scenario } from "./scenario.ts";
import { MAX_GROUPS, type SeriesColumn } from "./series-record.ts";

/** A longer value names no group. */
export const GROUP_VALUE_CHARS = 60;

type Row = Pick<Scenario, "input">;

/** The columns by whose values the rows of a series can be grouped: short ones, of which several rows have the same. */
export function columnsOf(rows: readonly Row[]): SeriesColumn[] {
  const fields = new Set(rows.flatMap(({ input }) => Object.keys(input?.values ?? {})));
  return [...fields]
    .filter((field) => field !== "id")
    .flatMap((field) => {
      const texts = rows.map(({ input }) => textOf(input?.values[field]));
      return columnFrom(field, texts) ?? [];
    });
}

/** The column with these values, one for each row; undefined where it groups nothing. */
export function columnFrom(field: string, texts: readonly string[]): SeriesColumn | undefined {
  if (texts.some((text) => text.length > GROUP_VALUE_CHARS)) return undefined;
  const values = [...new Set(texts)];
  if (values.length > MAX_GROUPS || values.length === texts.length) return undefined;
  const places = new Map(values.map((value, place) => [value, place]));
  return { field, values, of_row: texts.map((text) => places.get(text) ?? 0) };
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);

/** The column of that name. @throws Failure `invalid_request` for one by which nothing can be grouped */
export function columnNamed(columns: readonly SeriesColumn[] | undefined = [], by: string): SeriesColumn {
  const found = columns.find(({ field }) => field === by);
  if (found) return found;
  const names = columns.map(({ field }) => field);
  const known =
    names.length === 0
      ? "the rows of this series have no column with few short values"
      : `${didYouMean(by, names) ? `${didYouMean(by, names).replace(/^; /, "")} ` : ""}the columns are ${names.join(", ")}`;
  throw new Failure("invalid_request", `by: nothing can be grouped by "${cut(by)}"; ${known}`, {
    details: { field: "by" },
  });
}
