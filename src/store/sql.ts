/**
 * SQL that SQLite and PostgreSQL both read: `@` stands before a table's name, `$name` for a value. What asks is written as steps,
 * which wait for nobody; each database runs them in its own way.
 */
interface Statement {
  readonly text: string;
  readonly values: Readonly<Record<string, SqlValue>>;
}

export type SqlValue = string | number | boolean | null | readonly (string | null)[];

/** The rows of a statement; `count` are those that it gave or wrote. */
export type SqlAnswer<Row = unknown> = readonly Row[] & { readonly count: number };

export type SqlSteps<T> = Generator<Statement, T, SqlAnswer>;

/** A single step. */
export function* query<Row = unknown>(text: string, values: Statement["values"] = {}): SqlSteps<SqlAnswer<Row>> {
  return (yield { text, values }) as SqlAnswer<Row>; // as the statement has them
}

/** Runs steps for a reader, or for a writer: all of them or none, perhaps again after a try that failed. @throws Failure */
export interface SqlDriver {
  read<T>(steps: () => SqlSteps<T>): Promise<T>;
  write<T>(steps: () => SqlSteps<T>): Promise<T>;
}
