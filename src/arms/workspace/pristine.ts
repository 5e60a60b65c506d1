import { chownSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { WORKSPACE_AT } from "../../domain/mount-point.ts";
import type { SetupStep } from "../../domain/task.ts";
import { makeScratch } from "../sandbox/home.ts";
import { MAX_PRINTED_BYTES, SETUP_LIMITS } from "../sandbox/limits.ts";
import { removeTree } from "../sandbox/remove-tree.ts";
import type { ExecResult, Mount, Owner, Surroundings } from "../sandbox/sandbox.ts";
import { makeKeptDir, makeTempDir, tempRoot } from "../sandbox/temp-dir.ts";
import { commitAll, removeRepositories } from "./first-commit.ts";
import { workspaceFailed } from "./io-failure.ts";
import { type LaidNotes, layNotes } from "./laid-notes.ts";
import { layOver } from "./lay-over.ts";
import { filesOf, type PristineTree, readTree } from "./pristine-tree.ts";
import { TempWorkspace } from "./temp-workspace.ts";
import { decodedText, readRegular } from "./tree/contents.ts";
import { copyTree } from "./tree/copy-tree.ts";
import type {
  FileEntry,
  FixtureFiles,
  OpenedImage,
  OpenPristine,
  Pristine,
  PristineOptions,
  Workspace,
  WorkspacePlaces,
} from "./workspace.ts";

export const openPristine: OpenPristine = (options) => new TempPristine(options);

/** Bytes of a file that is asked for as text. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** Bytes of a setup step's output that its failure shows. */
const SETUP_OUTPUT_BYTES = 4_096;

/** Where systems keep the certificates that they trust. */
const CERTIFICATES = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/** Node and Python bring certificates of their own, to which registries behind a company's proxy are unknown. */
function trust(): Readonly<Record<string, string>> {
  const file = CERTIFICATES.find((path) => existsSync(path));
  return file === undefined ? {} : { NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: file, REQUESTS_CA_BUNDLE: file };
}

const isEmpty = ({ dir, files, fill }: PristineOptions["source"]) =>
  dir === null && fill === undefined && Object.keys(files).length === 0;

function reasonOf({ ended, exit_code, full }: ExecResult, { timeout_s }: SetupStep): string {
  switch (ended) {
    case "exit":
      return `exit code ${exit_code}`;
    case "timeout":
      return `it was stopped after ${timeout_s} s; a larger \`timeout_s\` of the step gives it more`;
    case "disk_limit":
      return `it was stopped at a limit of the disk: ${full}`;
    case "memory_limit":
      return `it was stopped when its processes held more than ${SETUP_LIMITS.tree_bytes / 2 ** 30} GiB of memory`;
    case "output_limit":
      return `it was stopped when it had printed more than ${MAX_PRINTED_BYTES / 2 ** 20} MiB`;
  }
}

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
    const { sandbox, setup_bytes, source, places } = this.#options;
    if (steps.length === 0 && !source.repository) return;
    const { root } = await this.#materialised();
    // What the steps leave in it is theirs alone: no arm and no other session sees it.
    await using scratch = makeScratch(sandbox.owner, setup_bytes);
    const place = {
      directory: root,
      surroundings: await this.#around(),
      disk: { bytes: 0, unmeasured_bytes: 0 },
      scratch,
      limits: SETUP_LIMITS,
      environment: { ...(places?.image ? {} : trust()), ...places?.env },
    };
    if (source.repository) await commitAll(sandbox, place, signal);
    for (const [index, step] of steps.entries()) {
      const { run, timeout_s } = step;
      const limits = { timeout_ms: timeout_s * 1000, max_output_bytes: SETUP_OUTPUT_BYTES, network: "host" } as const;
      const result = await sandbox.run({ run, ...place, ...limits }, signal);
      if (result.ended === "exit" && result.exit_code === 0) continue;
      const said = result.output.trim();
      const message = `task.setup[${index}] \`${run}\` failed (${reasonOf(result, step)})${said && `: ${said}`}`;
      throw new Failure("setup_failed", message, { details: { step: index, run } });
    }
    if (source.repository && steps.length > 0) await commitAll(sandbox, place, signal);
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
    this.#opened ??= this.#options.places?.image?.() ?? Promise.resolve(undefined);
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
      } else await copyTree({ from: source.dir, to: root, owner, made_by: "author" });
      await layOver(root, { dir: null, files: source.files }, owner);
      if (source.repository) await removeRepositories(root);
      return await readTree(root);
    } catch (error) {
      throw workspaceFailed("cannot make a copy of the fixture", error);
    }
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
