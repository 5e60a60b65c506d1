/** Rows of a list, newest first, as far as they were read. */
interface Rows<T> {
  readonly rows: readonly T[];
  /** There are no older ones. */
  readonly complete: boolean;
}

/** Rows shown at first, and each time that a reader asks for more. */
export const SHOWN_ROWS = 50;

/** Most rows that the server gives at once. */
const PAGE = 500;

/** Reads `wanted` rows, page after page. */
export async function readRows<T>(
  wanted: number,
  read: (limit: number, last: T | undefined) => Promise<readonly T[]>,
): Promise<Rows<T>> {
  const rows: T[] = [];
  while (rows.length < wanted) {
    const limit = Math.min(PAGE, wanted - rows.length);
    const page = await read(limit, rows.at(-1));
    rows.push(...page);
    if (page.length < limit) return { rows, complete: true };
  }
  return { rows, complete: false };
}
