import { didYouMeanAmong } from "./did-you-mean.ts";
import { cut } from "./excerpt.ts";
import { Failure } from "./failure.ts";
import type { Scenario } from "./scenario.ts";
import { MAX_GROUPS, type SeriesColumn } from "./series-record.ts";

/** A longer value names no group. */
export const GROUP_VALUE_CHARS = 60;

type Row = Pick<Scenario, "input">;

/** The columns by whose values the rows of a series can be grouped: short ones, of which several rows have the same. */
export function columnsOf(rows: readonly Row[]): SeriesColumn[] {
  return fieldsOf(rows).flatMap((field) => {
    if (field === "id") return [];
    const texts = rows.map(({ input }) => textOf(input?.values[field]));
    return columnFrom(field, texts) ?? [];
  });
}

/** The names of all columns of these rows. */
export const fieldsOf = (rows: readonly Row[]): readonly string[] => [
  ...new Set(rows.flatMap(({ input }) => Object.keys(input?.values ?? {}))),
];

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

/**
 * The column of that name. @param fields the names of all columns; a stored series knows only those that can group
 * @throws Failure `invalid_request` for a column by which nothing can be grouped
 */
export function columnNamed(
  columns: readonly SeriesColumn[] | undefined = [],
  by: string,
  fields: readonly string[] = [],
): SeriesColumn {
  const found = columns.find(({ field }) => field === by);
  if (found) return found;
  const grouping = columns.map(({ field }) => field);
  throw new Failure("invalid_request", `by: ${whyNot(by, grouping, fields)}`, { details: { field: "by" } });
}

function whyNot(by: string, grouping: readonly string[], fields: readonly string[]): string {
  const can = listed("can group the rows", grouping);
  if (fields.includes(by))
    return `column "${cut(by)}" cannot group the rows: that takes at most ${MAX_GROUPS} values of at most ${GROUP_VALUE_CHARS} characters, and rows that share one; ${can}`;
  if (fields.length === 0) return `there is no column "${cut(by)}" to group by${didYouMeanAmong(by, grouping, can)}`;
  return `there is no column "${cut(by)}"${didYouMeanAmong(by, fields, `the columns are ${namesText(fields)}`)}`;
}

const listed = (what: string, names: readonly string[]) =>
  names.length === 0 ? `no column ${what}` : `columns that ${what}: ${namesText(names)}`;

const namesText = (names: readonly string[]) => cut(names.join(", "), 1_000);
