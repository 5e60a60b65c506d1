import type { SqlSteps, SqlValue } from "../sql.ts";
import type { ConnectionPool } from "./connection-pool.ts";

/** Statements go through one of these: the pool, a connection of it, or a transaction. */
export type Sql = Pick<ConnectionPool["sql"], "unsafe" | "array">;

/**
 * Runs a statement. Of rows, `int8` is text, `timestamptz` a Date, `bytea` a Buffer; `count` are those that it gave or wrote.
 * Texts are stored without U+0000, which PostgreSQL cannot hold.
 */
export async function ask<R = Record<string, unknown>>(
  sql: Sql,
  statement: string,
  values: readonly SqlValue[] = [],
): Promise<readonly R[] & { readonly count: number }> {
  return await sql.unsafe<R[]>(
    statement,
    values.map((value) => (isList(value) ? sql.array(value.map(storable), "TEXT") : storable(value))),
  );
}

const isList = (value: SqlValue) => typeof value === "object" && value !== null;

const storable = <T>(value: T) => (typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : value);

/** Runs steps one after another. */
export async function runSteps<T>(sql: Sql, steps: SqlSteps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    const { text, values } = step.value;
    const names = [...new Set(text.matchAll(PLACE).map(([, name = ""]) => name))];
    const statement = text
      .replaceAll("@", "abeval.")
      .replaceAll("COLLATE BINARY", 'COLLATE "C"')
      .replace(PLACE, (_, name: string) => `$${names.indexOf(name) + 1}`);
    step = steps.next(
      await ask(
        sql,
        statement,
        names.map((name) => values[name] ?? null),
      ),
    );
  }
  return step.value;
}

const PLACE = /\$([a-z]\w*)/g;
