import { chownSync, mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { WORKSPACE_AT } from "../../domain/mount-point.ts";
import { treeMatcher } from "../../domain/path-glob.ts";
import type { Mount, Owner, Surroundings } from "../sandbox/sandbox.ts";
import { makeTempDir, removeTree, tempRoot } from "../sandbox/temp-dir.ts";
import { workspaceFailed } from "./io-failure.ts";
import { type LaidNotes, layNotes } from "./laid-notes.ts";
import { layOver } from "./lay-over.ts";
import { filesOf, type PristineTree, readTree } from "./pristine-tree.ts";
import { runSetup } from "./run-setup.ts";
import { TempWorkspace } from "./temp-workspace.ts";
import { decodedText, readRegular } from "./tree/contents.ts";
import { copyTree } from "./tree/copy-tree.ts";
import { walk } from "./tree/walk.ts";
import type {
  FileEntry,
  FixtureFiles,
  OpenedImage,
  Pristine,
  PristineOptions,
  Workspace,
  WorkspacePlaces,
} from "./workspace.ts";

/** Does no work until its first use. @throws Failure `workspace_failed` when the fixture cannot be read. */
type OpenPristine = (options: PristineOptions) => Pristine;

export const openPristine: OpenPristine = (options) => new TempPristine(options);

const NEVER = new AbortController().signal;

/** Bytes of a file that is asked for as text. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

const isEmpty = ({ dir, files, fill }: PristineOptions["source"]) =>
  dir === null && fill === undefined && Object.keys(files).length === 0;

const isUsual = ({ at, also, image }: WorkspacePlaces) =>
  at === undefined && image === undefined && (also === undefined || also.size === 0);

class TempPristine implements Pristine {
  readonly #options: PristineOptions;
  #home: string | undefined;
  #tree: Promise<PristineTree> | undefined;
  #surroundings: Promise<Surroundings | undefined> | undefined;
  #opened: Promise<OpenedImage | undefined> | undefined;

  constructor(options: PristineOptions) {
    this.#options = options;
  }

  async setup(steps: Parameters<Pristine["setup"]>[0], signal: AbortSignal): Promise<void> {
    const { source, places } = this.#options;
    const idle = steps.length === 0 && !source.repository;
    if (idle && !places?.image) return;
    const { root } = await this.#materialised();
    const surroundings = await this.#around();
    if (idle) return;
    await runSetup({ ...this.#options, steps, directory: root, surroundings }, signal);
    this.#tree = readTree(root);
  }

  open(notes?: FixtureFiles): Workspace {
    return new TempWorkspace({
      ...this.#options,
      pristine: () => this.#materialised(),
      at: this.#options.places?.at ?? WORKSPACE_AT,
      env: this.#options.places?.env ?? {},
      surroundings: () => this.#around(),
      place: () => this.#freshDirectory(),
      ...(notes && { lay: (root) => this.#layNotes(root, notes) }),
    });
  }

  /** Files of a commit are written out first. */
  async #layNotes(root: string, { fill, dir, files }: FixtureFiles): Promise<LaidNotes> {
    const { entries } = await this.#materialised();
    const { owner } = this.#options.sandbox;
    if (fill === undefined) return await layNotes({ root, source: { dir, files }, entries, owner });
    const staging = this.#freshDirectory();
    mkdirSync(staging, { mode: 0o700 });
    try {
      await fill(staging);
      return await layNotes({ root, source: { dir: staging, files }, entries, owner });
    } finally {
      await removeTree(staging);
    }
  }

  async text(path: string): Promise<string | null> {
    const { root, entries } = await this.#materialised();
    if (!entries.some((entry) => entry.path === path && entry.kind === "file")) return null;
    const bytes = readRegular(root, path, MAX_TEXT_BYTES);
    return (bytes && decodedText(bytes)) ?? null;
  }

  async list(): Promise<readonly FileEntry[]> {
    const { entries } = await this.#materialised();
    return await filesOf(entries);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const [home, tree] = [this.#home, this.#tree];
    this.#home = undefined;
    if (home === undefined) return;
    const root = (await tree?.catch(() => undefined))?.root;
    if (!this.#options.keep) return await removeTree(home);
    const shown = (await this.#surroundings?.catch(() => undefined))?.shown ?? [];
    for (const path of [...(root === undefined ? [] : [root]), ...shown.map(({ from }) => from)])
      await removeTree(path);
  }

  #materialised(): Promise<PristineTree> {
    this.#tree ??= this.#materialise();
    return this.#tree;
  }

  #around(): Promise<Surroundings | undefined> {
    this.#surroundings ??= this.#surround();
    return this.#surroundings;
  }

  #image(): Promise<OpenedImage | undefined> {
    const { places, signal = NEVER } = this.#options;
    this.#opened ??= places?.image?.(signal) ?? Promise.resolve(undefined);
    return this.#opened;
  }

  /** What is shown is copied once: those who are shown it may not be able to reach where it lies. */
  async #surround(): Promise<Surroundings | undefined> {
    const { places, sandbox } = this.#options;
    if (places === undefined || isUsual(places)) return undefined;
    const shown: Mount[] = [];
    const own: string[] = [];
    for (const [to, dir] of places.also ?? []) {
      if (dir === null) own.push(to);
      else shown.push({ from: await this.#copied(dir, sandbox.owner), to });
    }
    const image = (await this.#image())?.root;
    return { at: places.at, shown, private: own, ...(image && { image }) };
  }

  async #copied(dir: string, owner: Owner | null): Promise<string> {
    const to = this.#freshDirectory();
    try {
      await copyTree({ from: dir, to, owner, made_by: "author" });
      return to;
    } catch (error) {
      throw workspaceFailed("cannot make a copy of what stands beside the workspace", error);
    }
  }

  async #materialise(): Promise<PristineTree> {
    const { source, sandbox } = this.#options;
    const root = this.#freshDirectory();
    const { owner } = sandbox;
    const work = isEmpty(source) ? (await this.#image())?.work : undefined;
    try {
      if (work) await copyTree({ from: work, to: root, owner, made_by: "arm" });
      else if (source.fill !== undefined) await this.#copyFilled(source.fill, root);
      else if (source.dir === null) {
        mkdirSync(root, { mode: 0o700 });
        if (owner) chownSync(root, owner.uid, owner.gid);
      } else await this.#copyPart(source.dir, root);
      await layOver(root, { dir: null, files: source.files }, owner);
      if (source.repository) await removeRepositories(root);
      return await readTree(root);
    } catch (error) {
      throw workspaceFailed("cannot make a copy of the fixture", error);
    }
  }

  async #copyPart(from: string, to: string): Promise<void> {
    const entries = await walk(from, { skip: treeMatcher(this.#options.source.exclude ?? []) });
    await copyTree({ from, to, owner: this.#options.sandbox.owner, made_by: "author", entries });
  }

  /** Fills a directory apart and copies it, so that links, modes and owners are decided in one place. */
  async #copyFilled(fill: (directory: string) => Promise<void>, root: string): Promise<void> {
    const staging = this.#freshDirectory();
    mkdirSync(staging, { mode: 0o700 });
    try {
      await fill(staging);
      await copyTree({ from: staging, to: root, owner: this.#options.sandbox.owner, made_by: "author" });
    } finally {
      await removeTree(staging);
    }
  }

  /** A path that does not exist yet. Its name is random, because a command may learn it. */
  #freshDirectory(): string {
    this.#home ??= this.#makeHome();
    return join(this.#home, crypto.randomUUID());
  }

  #makeHome(): string {
    const { sandbox, keep } = this.#options;
    const root = tempRoot(sandbox.owner);
    try {
      const home = keep ? makeKeptDir(root) : makeTempDir(root);
      if (sandbox.owner) chownSync(home, sandbox.owner.uid, sandbox.owner.gid);
      return home;
    } catch (error) {
      throw workspaceFailed(`cannot make a directory in ${root}`, error);
    }
  }
}

/** Removes each repository among some files: what it knows of later days is not for the arms. */
async function removeRepositories(root: string): Promise<void> {
  const found = (await walk(root)).filter(({ path }) => /(^|\/)\.git$/i.test(path));
  for (const { path } of found) await rm(join(root, path), { recursive: true, force: true });
}

/** One that stays, because the user asked to keep it. */
const makeKeptDir = (root: string): string => mkdtempSync(join(root, "abeval-kept-"));
