import type { ArmNotes } from "../../domain/arm-notes.ts";
import type { Changes } from "../../domain/evidence.ts";
import type { FileSet } from "../../domain/task.ts";
import type { Clock } from "../../runtime/clock.ts";
import type {
  ExecResult,
  ImageRoot,
  Sandbox,
  SandboxedProcess,
  SandboxedProgram,
  ShellCommand,
} from "../sandbox/sandbox.ts";

export interface FileEntry {
  readonly path: string;
  readonly size: number;
}

export interface ForkOptions {
  /** Globs put back to the pristine state first. */
  readonly restore: readonly string[];
  /** Laid over the copy, replacing what is there. */
  readonly overlay: FileSource;
}

/** A directory (absolute, may be absent) and inline files laid over it. */
export interface FileSource {
  readonly dir: string | null;
  readonly files: FileSet["files"];
}

/** Files of the arm's own that lie in its workspace, and are no part of its work. */
export interface WorkspaceNotes {
  readonly notes: ArmNotes;
  /** The paths of those that are gone, or say something else than at first. */
  readonly changed: readonly string[];
}

/** A command that is run in a workspace. */
export interface WorkspaceCommand extends ShellCommand {
  /** Files that it may read: the variable says where they are. Outputs show the path `at`, whatever it is. */
  readonly shown?: {
    readonly variable: string;
    readonly at: string;
    readonly files: FileSet["files"];
  };
}

/** A program that is started in a workspace. */
export interface AttachedProgram extends Omit<SandboxedProgram, "directory" | "disk" | "read_only" | "surroundings"> {
  /**
   * Globs of what it cannot change: files of the fixture, and whole directories where a glob ends in a double star. New
   * files elsewhere that fit are seen by `altered` alone.
   */
  readonly read_only?: readonly string[];
}

/**
 * A private copy of a fixture, made on first use: one that is never touched costs no disk. Paths are relative, with
 * forward slashes; none may leave the workspace, also not through a link. Everything in it is hostile.
 */
export interface Workspace extends AsyncDisposable {
  /** @throws Mistake when `path` is absent, not a text file, too large, or leaves the workspace. */
  readText(path: string): Promise<string>;
  /** Makes parent directories. @throws Mistake when `path` leaves the workspace or is a directory. */
  writeText(path: string, text: string): Promise<void>;
  /** @throws Mistake when absent or a directory. */
  remove(path: string): Promise<void>;
  /**
   * Every regular file, sorted by path; `.git`, `node_modules` and what the fixture's .gitignore names are left out.
   * @throws Mistake when there are too many entries.
   */
  list(): Promise<readonly FileEntry[]>;
  /**
   * @throws Failure `sandbox_unavailable` or `workspace_failed` for a fault of ours, never for a failing command; Mistake
   * when what the arm left behind is in the way of another command.
   */
  exec(command: WorkspaceCommand, signal: AbortSignal): Promise<ExecResult>;
  /**
   * Starts a program that lives in the workspace until it is disposed of, at the latest with the workspace. It is paused
   * whenever the host reads or writes here. `signal` kills it. @throws as `exec`, and Failure `invalid_request`
   */
  attach(program: AttachedProgram, signal: AbortSignal): Promise<SandboxedProcess>;
  /**
   * Paths matching `globs` that differ from the pristine copy (also added or removed), sorted. Cheap: by identity first.
   * @throws Mistake when there are too many entries.
   */
  altered(globs: readonly string[]): Promise<readonly string[]>;
  /** What differs from the pristine copy, but for the arm's notes. Never touches disk when nothing was ever written. */
  changes(): Promise<Changes>;
  /**
   * A copy for the probe; `restored` lists the protected files that differed. What does not count as work (see `list`) is
   * in it as it was before the arm, which had no files of its own. The caller disposes it. @throws Mistake when the work is too large to be copied.
   */
  fork(options: ForkOptions): Promise<{ readonly workspace: Workspace; readonly restored: readonly string[] }>;
  /** Lays files over what stands there. @throws Mistake or Failure */
  lay(files: FileSource): Promise<void>;
  /** Lays them, unless they lie already. Null for an arm without any. @throws Failure `invalid_request` where they cannot lie there */
  notes(): Promise<WorkspaceNotes | null>;
  /** Applies a unified diff. @throws Mistake naming the hunk that does not apply. */
  applyPatch(patch: string): Promise<void>;
  /** Absolute path on the host, or null when never materialised; for `--keep-workspaces` only. */
  readonly location: string | null;
  /** Where its commands find it: an absolute path inside. */
  readonly at: string;
}

/**
 * The fixture, materialised at most once a session, after setup; every arm starts from the same bytes. Its disposal removes
 * the workspaces that were opened of it, too: nothing may work in them any more.
 */
export interface Pristine extends AsyncDisposable {
  /**
   * Runs setup steps in order, with the network of this machine. What they leave belongs to the commit of a repository.
   * An image is unpacked here, also without steps: that is no arm's time.
   * @throws Failure `setup_failed` naming the step and its last output.
   */
  setup(steps: readonly { readonly run: string; readonly timeout_s: number }[], signal: AbortSignal): Promise<void>;
  /** @param notes laid over it, and no part of the work. */
  open(notes?: FixtureFiles): Workspace;
  /** Text of a pristine file; null when absent or binary. */
  text(path: string): Promise<string | null>;
  /** Every regular file of it, also ignored ones, sorted. */
  list(): Promise<readonly FileEntry[]>;
}

/** Files that may have to be written before they lie in a directory. */
export interface FixtureFiles extends FileSource {
  /** Writes what lies below the inline files into an empty directory; absent when they lie in `dir`. @throws Failure */
  readonly fill?: (directory: string) => Promise<void>;
}

/** What a fixture is made of. */
interface FixtureSource extends FixtureFiles {
  /** The fixture becomes a git repository with one commit before its setup runs. Other repositories in it are left out. */
  readonly repository?: true | undefined;
}

/** An image that was unpacked, and what of it lies where the workspace is mounted. */
export interface OpenedImage {
  readonly root: ImageRoot;
  /** Absolute on this machine; null: nothing. The fixture, where no other is given. */
  readonly work: string | null;
}

/** Where workspaces stand, beside what, and what programs find there. */
export interface WorkspacePlaces {
  /** Absolute path inside; default /workspace. */
  readonly at?: string | undefined;
  /** By absolute path inside: a directory of this machine, read-only; null: an empty place for each command to write to. */
  readonly also?: ReadonlyMap<string, string | null>;
  /** Variables of whatever is run or started there; those of one program come before them. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The root around them, asked for once, when it is needed. @throws Failure; the signal's reason when it fires */
  readonly image?: ((signal: AbortSignal) => Promise<OpenedImage>) | undefined;
}

export interface PristineOptions {
  readonly source: FixtureSource;
  /** But for variables they need bubblewrap. Absent: alone at /workspace. */
  readonly places?: WorkspacePlaces | undefined;
  readonly sandbox: Sandbox;
  /** Leave workspaces on disk after disposal. */
  readonly keep: boolean;
  /** Gives up the unpacking of an image. Absent: nothing does. */
  readonly signal?: AbortSignal;
  /** That setup steps may keep in HOME and /tmp, which are gone when the steps are over. Default: 2 GiB. */
  readonly setup_bytes?: number;
  /** By which an arm's work has to be copied in time. Absent: also the pauses of our own loop count. */
  readonly clock?: Clock;
}
/** Costs nothing until its first use. @throws Failure `workspace_failed` when the fixture cannot be read. */
export type OpenPristine = (options: PristineOptions) => Pristine;
