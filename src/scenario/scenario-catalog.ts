import { type Dirent, readdirSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, extname, isAbsolute, join, resolve } from "node:path";
import { Failure } from "../domain/failure.ts";
import type { ScenarioListing } from "../domain/scenario-listing.ts";
import { isBelow } from "./confined-path.ts";
import { didYouMean } from "./document/words.ts";
import { GitFiles } from "./git/git-files.ts";
import { loadScenario, SCENARIO_ENDINGS, wholeFileFailure } from "./load-scenario.ts";
import type { LoadedScenario } from "./loaded-scenario.ts";
import { fileStamp, treeStamp } from "./stamp.ts";
import { unusable } from "./unusable.ts";

/** Scenarios that are read for a list; a directory with more is not one of scenarios. */
const MAX_LISTED = 1_000;

/** The scenarios of a directory, read when asked and again when they change. */
export interface ScenarioCatalog {
  /** As given. */
  readonly directory: string;
  /** Sorted by name; broken files too, with their error. @throws Failure `invalid_scenario` when the directory cannot be read. */
  list(): Promise<ScenarioListing[]>;
  /** @throws Failure `unknown_scenario` or `invalid_scenario` */
  get(name: string): Promise<LoadedScenario>;
}

export interface CatalogOptions {
  /** Fixtures and prompts may come from the repository around the directory. */
  readonly git_fixtures: boolean;
}

export const openCatalog = (
  directory: string,
  { git_fixtures }: CatalogOptions = { git_fixtures: false },
): ScenarioCatalog => new DirectoryCatalog(directory, git_fixtures ? new GitFiles() : null);

interface Reading {
  readonly result: LoadedScenario | Failure;
  readonly consulted: ReadonlySet<string>;
  readonly file_stamp: string;
  /** Of the file and everything that it refers to, before it was read; undefined while it was not known what that is. */
  readonly tree_stamp: string | undefined;
}

class DirectoryCatalog implements ScenarioCatalog {
  readonly directory: string;
  readonly #git: GitFiles | null;
  readonly #readings = new Map<string, Reading>();

  constructor(directory: string, git: GitFiles | null) {
    this.directory = directory;
    this.#git = git;
  }

  async list(): Promise<ScenarioListing[]> {
    const files = this.#files();
    const rows: ScenarioListing[] = [];
    for (const [name, endings] of [...files].slice(0, MAX_LISTED)) rows.push(await this.#row(name, endings));
    for (const [name] of [...files].slice(MAX_LISTED))
      rows.push(brokenRow(name, `not read: the directory holds more than ${MAX_LISTED} scenarios`));
    return rows;
  }

  async get(name: string): Promise<LoadedScenario> {
    const files = this.#files();
    // Looked up among what is there: a path is never built from a name that somebody sent.
    const endings = files.get(name);
    if (endings === undefined) throw unknownScenario(name, [...files.keys()]);
    const result = await this.#read(name, endings, isUnchanged);
    if (result instanceof Failure) throw result;
    return result;
  }

  async #row(name: string, endings: readonly string[]): Promise<ScenarioListing> {
    const result = await this.#read(name, endings, isProbablyUnchanged);
    return result instanceof Failure ? brokenRow(name, result.message) : rowOf(result);
  }

  async #read(
    name: string,
    [ending = "", other]: readonly string[],
    isCurrent: (reading: Reading, path: string) => Promise<boolean>,
  ): Promise<LoadedScenario | Failure> {
    if (other !== undefined)
      return wholeFileFailure(this.#label(name + ending), `${name}${other} exists too; keep one of them`);
    const path = join(this.directory, name + ending);
    const known = this.#readings.get(path);
    if (known !== undefined && (await isCurrent(known, path))) return known.result;
    const reading = await this.#readAnew(path, name + ending, known);
    this.#readings.set(path, reading);
    return reading.result;
  }

  /** Stamps are taken before reading, so that a change in between makes them old. The first reading tells what to stamp. */
  async #readAnew(path: string, fileName: string, previous: Reading | undefined): Promise<Reading> {
    const consulted = new Set([resolve(path)]);
    const file_stamp = fileStamp(path);
    const tree_stamp = previous === undefined ? undefined : await treeStamp(previous.consulted);
    const result = await this.#load(path, fileName, consulted);
    const isStamped = previous !== undefined && consulted.symmetricDifference(previous.consulted).size === 0;
    return { result, consulted, file_stamp, tree_stamp: isStamped ? tree_stamp : undefined };
  }

  async #load(path: string, fileName: string, consulted: Set<string>): Promise<LoadedScenario | Failure> {
    const file = this.#label(fileName);
    try {
      if (!isBelow(await realpath(this.directory), await realpath(path)))
        return wholeFileFailure(file, "the file leads out of the scenarios directory through a link");
      return await loadScenario({ path, file, consulted, git: this.#git });
    } catch (error) {
      if (error instanceof Failure && error.code === "invalid_scenario") return error;
      if (error instanceof Failure) throw error;
      return wholeFileFailure(file, `the file ${unusable(error).message}`);
    }
  }

  /** Endings by name, sorted by name. */
  #files(): Map<string, string[]> {
    const files = new Map<string, string[]>();
    for (const { name } of this.#entries().filter(isScenario).sort(byName)) {
      const ending = extname(name);
      const stem = basename(name, ending);
      files.set(stem, [...(files.get(stem) ?? []), ending]);
    }
    return files;
  }

  #entries(): Dirent[] {
    try {
      return readdirSync(this.directory, { withFileTypes: true });
    } catch (error) {
      const reason = isMissing(error) ? "does not exist" : "cannot be read";
      throw new Failure("invalid_scenario", `the scenarios directory ${this.#label("")} ${reason}`, { cause: error });
    }
  }

  /** Messages go out over the network, so they name a host's directories by their last step only. */
  #label(fileName: string): string {
    return join(isAbsolute(this.directory) ? basename(this.directory) : this.directory, fileName);
  }
}

const isUnchanged = async ({ consulted, tree_stamp }: Reading) =>
  tree_stamp !== undefined && (await treeStamp(consulted)) === tree_stamp;

/** Enough for a list, where only names and titles are read; errors are looked at again when anything was mended. */
const isProbablyUnchanged = async (reading: Reading, path: string) =>
  reading.result instanceof Failure ? isUnchanged(reading) : fileStamp(path) === reading.file_stamp;

const isScenario = (entry: Dirent) =>
  !entry.isDirectory() && !entry.name.startsWith(".") && SCENARIO_ENDINGS.includes(extname(entry.name));

const stemOf = ({ name }: Dirent) => basename(name, extname(name));

const byName = (a: Dirent, b: Dirent) => {
  const [first, second] = stemOf(a) === stemOf(b) ? [a.name, b.name] : [stemOf(a), stemOf(b)];
  return first < second ? -1 : 1;
};

const isMissing = (error: unknown) => error instanceof Error && "code" in error && error.code === "ENOENT";

function rowOf({ definition: { name, title, description, tags, arms } }: LoadedScenario): ScenarioListing {
  const shown = arms.map(({ id, title: armTitle, model }) => ({ id, title: armTitle, model }));
  return { name, title, description, tags, arms: shown, error: null };
}

const brokenRow = (name: string, error: string): ScenarioListing => ({
  name,
  title: name,
  description: "",
  tags: [],
  arms: [],
  error,
});

function unknownScenario(name: string, known: readonly string[]): Failure {
  const hint = didYouMean(name, known);
  return new Failure("unknown_scenario", `there is no scenario ${JSON.stringify(name.slice(0, 64))}${hint}`);
}
