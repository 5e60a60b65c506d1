import { Failure } from "../../domain/failure.ts";
import type { ScenarioStore, StoredScenario } from "../../domain/scenario-request.ts";
import { PATIENCE_MS, type PostgresDatabase } from "./connection.ts";
import { ask } from "./statement.ts";

export class PostgresScenarios implements ScenarioStore {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async list(): Promise<readonly StoredScenario[]> {
    // A list is asked for also while the database hangs, and files stand in it.
    if (!(await this.#database.reachable()))
      throw new Failure("storage_failed", "the database does not answer", { retryable: true });
    return await this.#database.read((sql) => ask<StoredScenario>(sql, LIST), PATIENCE_MS);
  }

  async text(name: string): Promise<string> {
    const [row] = await this.#database.read((sql) => ask<{ scenario: string }>(sql, TEXT, [name]));
    if (row) return row.scenario;
    throw new Failure("unknown_scenario", `there is no scenario ${JSON.stringify(name)}`);
  }

  async write(row: StoredScenario & { readonly text: string }, expected: string | null): Promise<boolean> {
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
