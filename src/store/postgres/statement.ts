import type { ConnectionPool } from "./connection-pool.ts";

/** Statements go through one of these: the pool, a connection of it, or a transaction. */
export type Sql = Pick<ConnectionPool["sql"], "unsafe" | "array">;

export type Value = string | number | boolean | null | readonly (string | null)[];

/**
 * Runs a statement. Of rows, `int8` is text, `timestamptz` a Date, `bytea` a Buffer; `count` are those that it gave or wrote.
 * Texts are stored without U+0000, which PostgreSQL cannot hold.
 */
export async function ask<R = Record<string, unknown>>(
  sql: Sql,
  statement: string,
  values: readonly Value[] = [],
): Promise<readonly R[] & { readonly count: number }> {
  return await sql.unsafe<R[]>(
    statement,
    values.map((value) => (isList(value) ? sql.array(value.map(storable), "TEXT") : storable(value))),
  );
}

const isList = (value: Value) => typeof value === "object" && value !== null;

const storable = <T>(value: T) => (typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : value);
