import { cut } from "./excerpt.ts";
import { counted } from "./number-text.ts";
import type { SeriesCluster } from "./series-record.ts";
import type { SeriesResult } from "./series-result.ts";

/** Characters of a column's name in a sentence. */
const NAME_CHARS = 60;

/** `20 clusters of `question``. */
export const clustersText = ({ field, count }: NonNullable<SeriesResult["clusters"]>): string =>
  `${counted(count, "cluster")} of \`${cut(field, NAME_CHARS)}\``;

/** A text without what nobody reads as a difference: the width and case of letters, and blanks. */
const readAs = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();

/** A value as it is compared. Empty: there is none. */
export const comparedValue = (value: unknown): string =>
  value === undefined || value === null ? "" : readAs(typeof value === "string" ? value : JSON.stringify(value));

/** The numbers of equal texts, from 0 in the order in which they first occur. */
function numbered(texts: readonly string[]): readonly number[] {
  const numbers = new Map<string, number>();
  for (const text of texts) if (!numbers.has(text)) numbers.set(text, numbers.size);
  return texts.map((text) => numbers.get(text) ?? 0);
}

/** The places of rows whose text a row before them has. Rows of one cluster repeat nothing: together they count once. */
export function repeatingRows(texts: readonly string[], of_row?: readonly number[]): readonly number[] {
  const clusters = new Map<string, number>();
  return texts.flatMap((text, row) => {
    const own = of_row?.[row] ?? row;
    const before = clusters.get(text);
    if (before === undefined) clusters.set(text, own);
    return before === undefined || before === own ? [] : [row];
  });
}

/** What is wrong with a row that is in no cluster. */
export const noCluster = (row: string, field: string): string =>
  `the row "${cut(row)}" has no value for ${cut(field)}, by which rows are clustered; give it in every row, or in none`;

/** The clusters of a column; why there are none, where all rows have one value. @param texts one for each row, none empty */
export function clusterFrom(field: string, texts: readonly string[]): SeriesCluster | string {
  const of_row = [...numbered(texts)];
  if (of_row.some((cluster) => cluster > 0)) return { field, of_row };
  return `every row has the same "${cut(field)}", so there is one cluster, and one shows nothing; take a column with two values or more`;
}
