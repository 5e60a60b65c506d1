import type { KeptScenario, KeptScenarios } from "../../domain/sent-scenario.ts";
import type { PostgresDatabase } from "./connection.ts";
import { ask } from "./statement.ts";

export class PostgresScenarios implements KeptScenarios {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async list(): Promise<readonly KeptScenario[]> {
    return await this.#database.read((sql) => ask<KeptScenario>(sql, LIST));
  }

  async text(name: string): Promise<string | undefined> {
    const [row] = await this.#database.read((sql) => ask<{ scenario: string }>(sql, TEXT, [name]));
    return row?.scenario;
  }

  async write(row: KeptScenario & { readonly text: string }, expected: string | null): Promise<boolean> {
    const values = [row.name, row.version, row.commands, row.text];
    const { count } = await this.#database.write((sql) =>
      expected === null ? ask(sql, MAKE, values) : ask(sql, REPLACE, [...values, expected]),
    );
    return count > 0;
  }
}

const LIST = "SELECT name, version, commands FROM abeval.scenarios ORDER BY name";

const TEXT = "SELECT scenario FROM abeval.scenarios WHERE name = $1";

const MAKE = `INSERT INTO abeval.scenarios (name, version, commands, scenario) VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING`;

const REPLACE = `UPDATE abeval.scenarios SET version = $2, commands = $3, scenario = $4
  WHERE name = $1 AND version = $5`;
