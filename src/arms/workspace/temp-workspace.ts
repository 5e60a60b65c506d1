import type { Changes } from "../../domain/evidence.ts";
import type { Skill } from "../../domain/skill.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { showFiles } from "../sandbox/home.ts";
import type {
  DiskTaken,
  ExecResult,
  Sandbox,
  SandboxedCommand,
  SandboxedProcess,
  Surroundings,
} from "../sandbox/sandbox.ts";
import { removeTree } from "../sandbox/temp-dir.ts";
import { patchFiles } from "./diff/apply-patch.ts";
import { NO_CHANGES, unreadableChanges } from "./diff/changes.ts";
import type { CompareOptions, TreeDifference } from "./diff/compare.ts";
import { readTextFile, removeFile, writeTextFile } from "./files.ts";
import { TreeTooLarge } from "./io-failure.ts";
import { type LaidNotes, skillsAt } from "./laid-notes.ts";
import { layOver } from "./lay-over.ts";
import { filesOf, type PristineTree, readOnlyPaths, stillPlain } from "./pristine-tree.ts";
import { Residents } from "./residents.ts";
import { faultIn } from "./tree/copy-room.ts";
import { reopenRoot } from "./tree/place.ts";
import { NO_SNAPSHOT, type Snapshot } from "./tree/snapshot.ts";
import { changesOf, copyPristine, differencesOf, fillFork, type WorkingCopy, workOf } from "./working-copy.ts";
import type {
  AttachedProgram,
  FileEntry,
  FileSource,
  ForkOptions,
  Workspace,
  WorkspaceCommand,
  WorkspaceNotes,
} from "./workspace.ts";

interface TempWorkspaceOptions {
  readonly sandbox: Sandbox;
  readonly keep: boolean;
  readonly clock?: Clock | undefined;
  readonly pristine: () => Promise<PristineTree>;
  /** Where it is mounted. */
  readonly at: string;
  /** Variables of whatever is started in it. */
  readonly env: Readonly<Record<string, string>>;
  /** Asked when something is started in it. */
  readonly surroundings: () => Promise<Surroundings | undefined>;
  /** A path for a copy, which does not exist yet. */
  readonly place: () => string;
  /** Copies files to `root` and tells which stands where; default: the files of the fixture. */
  readonly fill?: (root: string) => Promise<Snapshot>;
  /** Lays the arm's own files over a copy of the fixture. */
  readonly lay?: (root: string) => Promise<LaidNotes>;
}

/**
 * A workspace in a temporary directory. Between two commands nothing of the arm runs: the programs that live in it are
 * paused. The host reads only then.
 */
export class TempWorkspace implements Workspace {
  readonly #options: TempWorkspaceOptions;
  #copy: Promise<WorkingCopy> | undefined;
  #location: string | null = null;
  readonly #disk: DiskTaken = { bytes: 0, unmeasured_bytes: 0 };
  /** Something may differ from the pristine copy. */
  #touched: boolean;
  readonly #residents = new Residents();
  #disposed = false;

  constructor(options: TempWorkspaceOptions) {
    this.#options = options;
    this.#touched = options.fill !== undefined;
  }

  get location(): string | null {
    return this.#location;
  }

  get at(): string {
    return this.#options.at;
  }

  async readText(path: string): Promise<string> {
    const { root } = await this.#materialised();
    return await this.#explained(root, `${path} cannot be read`, () => readTextFile(root, path));
  }

  async writeText(path: string, text: string): Promise<void> {
    const { root } = await this.#touch();
    await this.#explained(root, `${path} cannot be written`, () =>
      writeTextFile(root, path, text, this.#options.sandbox.owner),
    );
  }

  async remove(path: string): Promise<void> {
    const { root } = await this.#touch();
    await this.#explained(root, `${path} cannot be removed`, () => removeFile(root, path));
  }

  async list(): Promise<readonly FileEntry[]> {
    const copy = await this.#materialised();
    return await this.#residents.quietly(async () => await filesOf(await workOf(copy)));
  }

  async exec({ shown, ...command }: WorkspaceCommand, signal: AbortSignal): Promise<ExecResult> {
    const { root } = await this.#touch();
    const { sandbox, env } = this.#options;
    const surroundings = await this.#options.surroundings();
    const where = { surroundings, directory: root, disk: this.#disk };
    const run = ({ environment, mounts = [] }: Pick<SandboxedCommand, "environment" | "mounts"> = {}) =>
      sandbox.run({ ...command, ...where, mounts, environment: { ...env, ...environment } }, signal);
    try {
      if (shown === undefined) return await run();
      await using files = await showFiles(sandbox, shown.at, shown.files);
      const result = await run({ environment: { [shown.variable]: files.path }, mounts: files.mounts });
      return { ...result, output: result.output.replaceAll(files.path, shown.at) };
    } catch (error) {
      throw signal.aborted ? error : await faultIn(root, "The command cannot be started", error);
    }
  }

  async attach(program: AttachedProgram, signal: AbortSignal): Promise<SandboxedProcess> {
    const { root, pristine } = await this.#touch();
    const { sandbox, env } = this.#options;
    const bound = await readOnlyPaths(pristine.work, program.read_only ?? []);
    const surroundings = await this.#options.surroundings();
    try {
      // While the others rest: none of them can put a link where a path is about to be bound.
      const attached = await this.#residents.quietly(() => {
        const read_only = stillPlain(root, bound);
        const environment = { ...env, ...program.environment };
        return sandbox.start({ ...program, environment, read_only, surroundings, directory: root }, signal);
      });
      this.#residents.add(attached);
      return attached;
    } catch (error) {
      throw signal.aborted ? error : await faultIn(root, "The program cannot be started", error);
    }
  }

  async altered(globs: readonly string[]): Promise<readonly string[]> {
    return (await this.#residents.quietly(() => this.#differences(globs))).map((difference) => difference.path);
  }

  async changes(): Promise<Changes> {
    if (!this.#touched) return NO_CHANGES;
    try {
      const copy = await this.#materialised();
      return await this.#residents.quietly(() => changesOf(copy));
    } catch (error) {
      if (error instanceof TreeTooLarge) return unreadableChanges(error.message);
      throw error;
    }
  }

  async fork(options: ForkOptions): Promise<Awaited<ReturnType<Workspace["fork"]>>> {
    return await this.#residents.quietly(() => this.#fork(options));
  }

  async #fork({ restore: globs, overlay }: ForkOptions): Promise<Awaited<ReturnType<Workspace["fork"]>>> {
    const differences = await this.#differences(globs, { executable: true });
    const { lay: _lay, ...options } = this.#options;
    const fill = async (to: string) => {
      const { sandbox, clock = systemClock } = options;
      const pristine = await options.pristine();
      const copy = this.#touched ? this.#materialised() : undefined;
      await fillFork({ copy, pristine, to, owner: sandbox.owner, clock, differences, overlay });
      return NO_SNAPSHOT;
    };
    const workspace = new TempWorkspace({ ...options, keep: false, fill });
    try {
      await workspace.#materialised();
    } catch (error) {
      await workspace[Symbol.asyncDispose]();
      throw error;
    }
    return { workspace, restored: differences.map((difference) => difference.path) };
  }

  async lay(files: FileSource): Promise<void> {
    const { root } = await this.#touch();
    await this.#residents.quietly(() => layOver(root, files, this.#options.sandbox.owner));
  }

  async notes(): Promise<WorkspaceNotes | null> {
    const { lay } = this.#options;
    const { root, notes } = lay ? await this.#materialised() : {};
    return root && notes ? await this.#residents.quietly(() => notes.seen(root)) : null;
  }

  async skills(): Promise<readonly Skill[]> {
    const { root, entries } = await this.#options.pristine();
    const { notes } = this.#options.lay ? await this.#materialised() : {};
    const paths = entries.filter(({ kind, path }) => kind === "file" && !notes?.has(path)).map(({ path }) => path);
    return [...(notes?.skills ?? []), ...(await skillsAt(root, paths))];
  }

  async applyPatch(patch: string): Promise<void> {
    const files = await patchFiles(patch, (path) => this.readText(path));
    for (const [path, text] of files) await (text === null ? this.remove(path) : this.writeText(path, text));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.#residents[Symbol.asyncDispose]();
    await this.#copy?.catch(() => undefined);
    if (this.#location !== null && !this.#options.keep) await removeTree(this.#location);
  }

  /** @throws Mistake for what an arm's tree makes impossible; Failure for a fault of the machine. */
  async #explained<T>(root: string, what: string, work: () => T): Promise<T> {
    try {
      return await this.#residents.quietly(async () => work());
    } catch (error) {
      throw await faultIn(root, what, error);
    }
  }

  #touch(): Promise<WorkingCopy> {
    this.#touched = true;
    return this.#materialised();
  }

  async #materialised(): Promise<WorkingCopy> {
    this.#copy ??= this.#materialise();
    const copy = await this.#copy;
    reopenRoot(copy.root, this.#options.sandbox.owner);
    return copy;
  }

  async #materialise(): Promise<WorkingCopy> {
    const pristine = await this.#options.pristine();
    const root = this.#options.place();
    this.#location = root;
    const snapshot = await (this.#options.fill?.(root) ??
      copyPristine(pristine, { to: root, owner: this.#options.sandbox.owner }));
    const notes = await this.#options.lay?.(root);
    return { root, pristine, snapshot, ...(notes && { notes }) };
  }

  async #differences(globs: readonly string[], options?: CompareOptions): Promise<readonly TreeDifference[]> {
    if (!this.#touched || globs.length === 0) return [];
    return await differencesOf(await this.#materialised(), globs, options);
  }
}
