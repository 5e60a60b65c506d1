import { type BigIntStats, type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { basename, extname, isAbsolute, join, resolve } from "node:path";
import { MATERIAL_FILES } from "../../domain/defaults.ts";
import { didYouMean } from "../../domain/did-you-mean.ts";
import { errorCode, Failure, orThrow } from "../../domain/failure.ts";
import type { ScenarioListing } from "../../domain/scenario.ts";
import { refuseShortage } from "../../domain/shortage.ts";
import { isBelow } from "./confined-path.ts";
import { GitFiles } from "./git/git-files.ts";
import { isListedFile, readScenario, type ScenarioReading, wholeFileFailure } from "./load-scenario.ts";
import type { LoadedScenario } from "./loaded-scenario.ts";
import { unusable } from "./unusable.ts";

/** Scenarios that a list reads. A directory with more files holds something else. */
export const MAX_LISTED = 1_000;

/** The scenarios of a directory, read when asked and again when they change. */
export interface ScenarioCatalog {
  /** The directory as the user gave it. */
  readonly directory: string;
  /** Sorted by name; broken files too, with their error. @throws Failure `invalid_scenario` when the directory cannot be read. */
  list(): Promise<ScenarioListing[]>;
  /** @throws Failure `unknown_scenario` or `invalid_scenario` */
  get(name: string): Promise<LoadedScenario>;
}

/** A scenario as its author writes it; its schema is not looked at yet. */
export interface NamedDefinition extends Readonly<Record<string, unknown>> {
  readonly name: string;
}

export interface SourceText {
  readonly text: string;
  /** Names the text: the same for the same. */
  readonly version: string;
}

/** What a server does with scenarios that callers send. */
export interface ScenarioIntake {
  /** The text of one. @throws Failure `unknown_scenario`, `invalid_scenario` when it cannot be read */
  source(name: string): Promise<SourceText>;
  /** A scenario in the place of a file; it is not kept. @throws Failure `invalid_scenario`, `not_allowed` */
  load(definition: NamedDefinition): Promise<LoadedScenario>;
  /**
   * Keeps a scenario that was sent, with all of its rows tried.
   * @param expected the version that it replaces; null: there must be none
   * @throws Failure as `load`, and `precondition_failed` when it is not what was expected; then nothing was written
   */
  keep(definition: NamedDefinition, expected: string | null): Promise<SourceText>;
}

export interface CatalogOptions {
  /** Fixtures and prompts may come from the repository around the directory. */
  readonly git_fixtures: boolean;
  /** A directory that is missing is empty. Absent: it cannot be read. */
  readonly may_be_missing?: boolean;
}

export const openCatalog = (directory: string, options: CatalogOptions = { git_fixtures: false }): ScenarioCatalog =>
  new DirectoryCatalog(directory, options);

/** A reading with the fingerprints that its files had before they were read. */
interface CachedReading extends ScenarioReading {
  readonly file_fingerprint: string;
  /** A fingerprint of all sources; undefined while they are unknown. */
  readonly tree_fingerprint: string | undefined;
}

class DirectoryCatalog implements ScenarioCatalog {
  readonly directory: string;
  readonly #git: GitFiles | null;
  readonly #may_be_missing: boolean;
  readonly #readings = new Map<string, CachedReading>();

  constructor(directory: string, { git_fixtures, may_be_missing = false }: CatalogOptions) {
    this.directory = directory;
    this.#git = git_fixtures ? new GitFiles() : null;
    this.#may_be_missing = may_be_missing;
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
    // The name is looked up in the listing: a caller's name never becomes part of a path.
    const endings = files.get(name);
    if (endings === undefined) throw unknownScenario(name, [...files.keys()]);
    return orThrow(await this.#read(name, endings, isUnchanged));
  }

  async #row(name: string, endings: readonly string[]): Promise<ScenarioListing> {
    const result = await this.#read(name, endings, isProbablyUnchanged);
    return result instanceof Failure ? brokenRow(name, result.message) : rowOf(result);
  }

  async #read(
    name: string,
    [ending = "", other]: readonly string[],
    isCurrent: (reading: CachedReading, path: string) => Promise<boolean>,
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

  /** Takes the fingerprints before it reads, so that a change in between makes them old. The first reading finds the sources. */
  async #readAnew(path: string, fileName: string, previous: CachedReading | undefined): Promise<CachedReading> {
    const file_fingerprint = fileFingerprint(path);
    const before = previous && (await treeFingerprint(previous.sources));
    const reading = await this.#readConfined(path, this.#label(fileName));
    const isSame = previous !== undefined && reading.sources.symmetricDifference(previous.sources).size === 0;
    return { ...reading, file_fingerprint, tree_fingerprint: isSame ? before : undefined };
  }

  async #readConfined(path: string, file: string): Promise<ScenarioReading> {
    const refused = (message: string): ScenarioReading => ({
      result: wholeFileFailure(file, `the file ${message}`),
      sources: new Set([resolve(path)]),
    });
    try {
      if (!isBelow(await realpath(this.directory), await realpath(path)))
        return refused("leads out of the scenarios directory through a link");
      return await readScenario({ path, file, git: this.#git });
    } catch (error) {
      if (error instanceof Failure) throw error;
      return refused(unusable(error).message);
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
      refuseShortage(error);
      if (this.#may_be_missing && isMissing(error)) return [];
      const reason = isMissing(error) ? "does not exist" : "cannot be read";
      throw new Failure("invalid_scenario", `the scenarios directory ${this.#label("")} ${reason}`, { cause: error });
    }
  }

  /** Messages go over the network, so they show only the last step of a host's directory. */
  #label(fileName: string): string {
    return join(isAbsolute(this.directory) ? basename(this.directory) : this.directory, fileName);
  }
}

const isUnchanged = async ({ sources, tree_fingerprint }: CachedReading) =>
  tree_fingerprint !== undefined && (await treeFingerprint(sources)) === tree_fingerprint;

/** Looks at the scenario file only, which is enough for names and titles. A broken one is compared in full. */
const isProbablyUnchanged = async (reading: CachedReading, path: string) =>
  reading.result instanceof Failure ? isUnchanged(reading) : fileFingerprint(path) === reading.file_fingerprint;

const isScenario = (entry: Dirent) => !entry.isDirectory() && isListedFile(entry.name);

const stemOf = ({ name }: Dirent) => basename(name, extname(name));

const byName = (a: Dirent, b: Dirent) => {
  const [first, second] = stemOf(a) === stemOf(b) ? [a.name, b.name] : [stemOf(a), stemOf(b)];
  return first < second ? -1 : 1;
};

const isMissing = (error: unknown) => errorCode(error) === "ENOENT";

export function rowOf({ definition: { name, title, description, tags, arms } }: LoadedScenario): ScenarioListing {
  const shown = arms.map(({ id, title: armTitle, model }) => ({ id, title: armTitle, model }));
  return { name, title, description, tags, arms: shown, error: null };
}

export const brokenRow = (name: string, error: string): ScenarioListing => ({
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

const ABSENT = "absent";

/** Files looked at before others may run. One look is too short to be handed to another thread, which costs ten times as much. */
const BATCH = 256;

/** Files and directories looked at: those of the largest fixture if each of its files had a directory of its own. */
const MOST = 2 * MATERIAL_FILES;

/** Changes whenever a file, or the file that a link leads to, is written, replaced or removed; reads no bytes. */
export const fileFingerprint = (path: string): string => fingerprintOf(path, statsOf(lstatSync, path));

/**
 * The same for several files and for everything below directories. Undefined when there are more than `most`: a change
 * could hide in what was not looked at.
 */
export async function treeFingerprint(paths: Iterable<string>, most = MOST): Promise<string | undefined> {
  const lines: string[] = [];
  const pending = [...paths];
  for (const path of pending) {
    if (lines.length === most) return undefined;
    const stats = statsOf(lstatSync, path);
    lines.push(`${path} ${fingerprintOf(path, stats)}`);
    if (stats?.isDirectory()) for (const name of await namesIn(path)) pending.push(join(path, name));
    if (lines.length % BATCH === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return lines.join("\n");
}

type Look = (path: string, options: { bigint: true }) => BigIntStats;

function statsOf(look: Look, path: string): BigIntStats | null {
  try {
    return look(path, { bigint: true });
  } catch {
    return null;
  }
}

const namesIn = (directory: string) => readdir(directory).catch((): string[] => []);

function fingerprintOf(path: string, stats: BigIntStats | null): string {
  return stats?.isSymbolicLink() ? `${traces(stats)} ${traces(statsOf(statSync, path))}` : traces(stats);
}

/** What a change leaves behind. A program that puts mtime back cannot put ctime back. */
const traces = (stats: BigIntStats | null) =>
  stats === null ? ABSENT : [stats.ino, stats.size, stats.mode, stats.mtimeNs, stats.ctimeNs].join(" ");
