import { extname, join } from "node:path";
import { SCENARIO_FILE_BYTES } from "../../../domain/defaults.ts";
import { Failure } from "../../../domain/failure.ts";
import type { KeptScenario, KeptScenarios } from "../../../domain/sent-scenario.ts";
import { GitFiles } from "../git/git-files.ts";
import { loadSent } from "../load-scenario.ts";
import { type LoadedScenario, membersOf } from "../loaded-scenario.ts";
import { readText } from "../read-text.ts";
import {
  brokenRow,
  type CatalogOptions,
  MAX_LISTED,
  openCatalog,
  rowOf,
  type ScenarioCatalog,
  type SentDefinition,
  type SentToServer,
  type SourceText,
} from "../scenario-catalog.ts";
import { byHand, changed, madeText, taken, versionOf, writeMade } from "./made-scenarios.ts";
import { demandNoTools, demandPlain } from "./plain-definition.ts";

export const openScenarios = (directory: string, options: SentOptions): SentScenarios =>
  new SentScenarios(openCatalog(directory, options), options);

interface SentOptions extends CatalogOptions {
  /** What is sent may run commands, and name files, programs and addresses. */
  readonly commands: boolean;
  /** Where it is kept for all processes of a store. Absent: in the directory. */
  readonly rows?: KeptScenarios | undefined;
}

/** A row that was read; `version` of its text. */
interface MadeReading {
  readonly version: string;
  readonly result: LoadedScenario | Failure;
}

/** The scenarios of a directory, and those that callers send. A file of the directory wins over a row of its name. */
export class SentScenarios implements ScenarioCatalog, SentToServer {
  readonly directory: string;
  readonly #files: ScenarioCatalog;
  readonly #git: GitFiles | null;
  readonly #commands: boolean;
  readonly #rows: KeptScenarios | undefined;
  readonly #readings = new Map<string, MadeReading>();
  /** One is written after the other. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(files: ScenarioCatalog, { git_fixtures, commands, rows }: SentOptions) {
    this.directory = files.directory;
    this.#files = files;
    this.#git = git_fixtures ? new GitFiles() : null;
    this.#commands = commands;
    this.#rows = rows;
  }

  async list() {
    const files = await this.#files.list();
    const made = await this.#made(new Set(files.map(({ name }) => name)));
    const rows = [];
    for (const row of made) {
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
      const row = (await this.#rows?.list())?.find((one) => one.name === name);
      if (row === undefined) throw error;
      const result = await this.#read(row);
      if (result instanceof Failure) throw result;
      return result;
    }
  }

  async source(name: string): Promise<SourceText> {
    const { file, directory } = await this.get(name);
    const text = (await this.#hasFile(name))
      ? await readText(join(directory, name + extname(file)), SCENARIO_FILE_BYTES)
      : ((await this.#rows?.text(name)) ?? "");
    return { text, version: versionOf(text) };
  }

  async sent(definition: SentDefinition): Promise<LoadedScenario> {
    return await this.#load(definition, JSON.stringify(definition));
  }

  async keep(definition: SentDefinition, expected: string | null): Promise<SourceText> {
    const text = madeText(definition);
    await membersOf(await this.#load(definition, text));
    const written = this.#written.then(() => this.#write(definition, text, expected));
    this.#written = written.catch(() => undefined);
    await written;
    return { text, version: versionOf(text) };
  }

  async #write(definition: SentDefinition, text: string, expected: string | null): Promise<void> {
    const { name } = definition;
    const isFile = await this.#hasFile(name);
    if (expected === null && isFile) throw taken(name);
    if (expected === null && (await this.list()).length >= MAX_LISTED) throw full();
    if (!this.#rows) return await writeMade(this.directory, { name, text, expected });
    if (isFile) throw byHand(name);
    const row = { name, text, version: versionOf(text), commands: !isPlain(definition) };
    if (await this.#rows.write(row, expected)) return;
    throw expected === null ? taken(name) : changed(name);
  }

  async #load(definition: SentDefinition, text: string): Promise<LoadedScenario> {
    if (!this.#commands) demandPlain(definition);
    const loaded = await loadSent({ ...{ text, directory: this.directory, git: this.#git }, name: definition.name });
    if (!this.#commands) demandNoTools(loaded.definition);
    return loaded;
  }

  /** Rows without those that a file stands for. */
  async #made(files: ReadonlySet<string>): Promise<readonly KeptScenario[]> {
    return ((await this.#rows?.list()) ?? []).filter(({ name }) => !files.has(name));
  }

  async #read({ name, version, commands }: KeptScenario): Promise<LoadedScenario | Failure> {
    if (commands && !this.#commands)
      return new Failure("invalid_scenario", `${name} runs commands, and this server has no --allow-commands`);
    const known = this.#readings.get(name);
    if (known?.version === version) return known.result;
    const text = (await this.#rows?.text(name)) ?? "";
    const reading = { version: versionOf(text), result: await this.#loadKept(name, text) };
    this.#readings.set(name, reading);
    return reading.result;
  }

  async #loadKept(name: string, text: string): Promise<LoadedScenario | Failure> {
    try {
      const loaded = await loadSent({ text, name, directory: this.directory, git: this.#git });
      if (!this.#commands) demandNoTools(loaded.definition);
      return loaded;
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
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

const isUnknown = (error: unknown): error is Failure => error instanceof Failure && error.code === "unknown_scenario";

function isPlain(definition: object): boolean {
  try {
    demandPlain(definition);
    return true;
  } catch {
    return false;
  }
}

const full = () =>
  new Failure("invalid_request", `there are ${MAX_LISTED} scenarios; delete what is not needed before you make more`);
