import { extname, join } from "node:path";
import { SCENARIO_FILE_BYTES } from "../../../domain/defaults.ts";
import { Failure, orThrow } from "../../../domain/failure.ts";
import type { ScenarioListing } from "../../../domain/scenario.ts";
import type { ScenarioStore, StoredScenario } from "../../../domain/scenario-request.ts";
import { GitFiles } from "../git/git-files.ts";
import { loadDefinition } from "../load-scenario.ts";
import { type LoadedScenario, membersOf } from "../loaded-scenario.ts";
import { readText } from "../read-text.ts";
import {
  brokenRow,
  type CatalogOptions,
  MAX_LISTED,
  type NamedDefinition,
  openCatalog,
  rowOf,
  type ScenarioCatalog,
  type ScenarioIntake,
  type SourceText,
} from "../scenario-catalog.ts";
import { demandNoTools, demandPlain } from "./plain-definition.ts";
import { byHand, changed, scenarioText, taken, versionOf, writeScenario } from "./write-scenario.ts";

/** The scenarios of a directory, and those that callers send. */
export const openIntake = (directory: string, options: IntakeOptions): IntakeCatalog =>
  new IntakeCatalog(openCatalog(directory, options), options);

interface IntakeOptions extends CatalogOptions {
  /** What is sent may run commands, and name files, programs and addresses. */
  readonly commands: boolean;
  /** Where it is kept for all processes of a store. Absent: in the directory. */
  readonly rows?: ScenarioStore | undefined;
}

/** A row that was read; `version` of its text. */
interface RowReading {
  readonly version: string;
  readonly result: LoadedScenario | Failure;
}

/** A file of the directory wins over a row of its name. */
export class IntakeCatalog implements ScenarioCatalog, ScenarioIntake {
  readonly directory: string;
  readonly #files: ScenarioCatalog;
  readonly #git: GitFiles | null;
  readonly #commands: boolean;
  readonly #rows: ScenarioStore;
  readonly #in_files: boolean;
  readonly #readings = new Map<string, RowReading>();
  /** As they were listed last. */
  #listed: readonly StoredScenario[] = [];
  /** One is written after the other. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(files: ScenarioCatalog, { git_fixtures, commands, rows }: IntakeOptions) {
    this.directory = files.directory;
    this.#files = files;
    this.#git = git_fixtures ? new GitFiles() : null;
    this.#commands = commands;
    this.#rows = rows ?? NO_ROWS;
    this.#in_files = rows === undefined;
  }

  async list() {
    const files = await this.#files.list();
    const names = new Set(files.map(({ name }) => name));
    // Files are listed also while the store is away.
    this.#listed = await this.#rows.list().catch(() => this.#listed);
    const rows: ScenarioListing[] = [];
    for (const row of this.#listed.filter(({ name }) => !names.has(name))) {
      const result = await this.#read(row);
      rows.push(result instanceof Failure ? brokenRow(row.name, result.message) : rowOf(result));
    }
    return rows.length === 0 ? files : [...files, ...rows].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async get(name: string): Promise<LoadedScenario> {
    try {
      return await this.#files.get(name);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      const row = (await this.#rows.list()).find((one) => one.name === name);
      if (row === undefined) throw error;
      return orThrow(await this.#read(row));
    }
  }

  async source(name: string): Promise<SourceText> {
    const { file, directory } = await this.get(name);
    // A row is no file: it is called by its name alone.
    const text =
      file === name
        ? await this.#rows.text(name)
        : await readText(join(directory, name + extname(file)), SCENARIO_FILE_BYTES);
    return { text, version: versionOf(text) };
  }

  async load(definition: NamedDefinition): Promise<LoadedScenario> {
    if (!this.#commands) demandPlain(definition);
    return await this.#loadText(definition.name, JSON.stringify(definition));
  }

  async keep(definition: NamedDefinition, expected: string | null): Promise<SourceText> {
    if (!this.#commands) demandPlain(definition);
    const text = scenarioText(definition);
    await membersOf(await this.#loadText(definition.name, text));
    const written = this.#written.then(() => this.#write(definition, text, expected));
    this.#written = written.catch(() => undefined);
    await written;
    return { text, version: versionOf(text) };
  }

  async #write(definition: NamedDefinition, text: string, expected: string | null): Promise<void> {
    const { name } = definition;
    const isFile = await this.#hasFile(name);
    if (expected === null && isFile) throw taken(name);
    if (expected === null && (await this.list()).length >= MAX_LISTED) throw full();
    if (this.#in_files) return await writeScenario(this.directory, { name, text, expected });
    if (isFile) throw byHand(name);
    const row = { name, text, version: versionOf(text), commands: !isPlain(definition) };
    if (await this.#rows.write(row, expected)) return;
    throw expected === null ? taken(name) : changed(name);
  }

  async #read({ name, version, commands }: StoredScenario): Promise<LoadedScenario | Failure> {
    if (commands && !this.#commands)
      return new Failure("invalid_scenario", `${name} runs commands, and this server has no --allow-commands`);
    const known = this.#readings.get(name);
    if (known?.version === version) return known.result;
    const text = await this.#rows.text(name);
    const result = await this.#loadText(name, text).catch((error: unknown) => {
      if (error instanceof Failure) return error;
      throw error;
    });
    this.#readings.set(name, { version: versionOf(text), result });
    return result;
  }

  async #loadText(name: string, text: string): Promise<LoadedScenario> {
    const loaded = await loadDefinition({ text, name, directory: this.directory, git: this.#git });
    if (!this.#commands) demandNoTools(loaded.definition);
    return loaded;
  }

  async #hasFile(name: string): Promise<boolean> {
    try {
      await this.#files.get(name);
      return true;
    } catch (error) {
      return !isUnknown(error);
    }
  }
}

const NO_ROWS: ScenarioStore = {
  list: async () => [],
  text: async () => "",
  write: async () => false,
};

const isUnknown = (error: unknown): error is Failure => error instanceof Failure && error.code === "unknown_scenario";

function isPlain(definition: object): boolean {
  try {
    demandPlain(definition);
    return true;
  } catch {
    return false;
  }
}

const full = () => new Failure("invalid_request", `there are ${MAX_LISTED} scenarios, and no more are kept`);
