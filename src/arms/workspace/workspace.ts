import type { ArmNotes } from "../../domain/arm-notes.ts";
import type { Changes } from "../../domain/evidence.ts";
import type { Skill } from "../../domain/skill.ts";
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
  /** These files are laid over the copy and replace what is there. */
  readonly overlay: FileSource;
}

/** A directory (absolute, may be absent) and inline files laid over it. */
export interface FileSource {
  readonly dir: string | null;
  readonly files: FileSet["files"];
}

/** The arm's own files in its workspace, which are not part of its work. */
export interface WorkspaceNotes {
  readonly notes: ArmNotes;
  /** Paths of those that the arm removed or changed. */
  readonly changed: readonly string[];
}

export interface WorkspaceCommand extends ShellCommand {
  /** Files that the command may read; the variable holds their path. Outputs always show the path `at`. */
  readonly shown?: {
    readonly variable: string;
    readonly at: string;
    readonly files: FileSet["files"];
  };
}

/** A program that starts in a workspace. */
export interface AttachedProgram extends Omit<SandboxedProgram, "directory" | "disk" | "read_only" | "surroundings"> {
  /**
   * Globs of what the program cannot change: files of the fixture, and whole directories where a glob ends in `**`. New
   * matching files elsewhere are found only by `altered`.
   */
  readonly read_only?: readonly string[];
}

/**
 * A private copy of a fixture, made on first use: an untouched workspace costs no disk. Paths are relative, with
 * forward slashes; none may leave the workspace, not even through a link. Everything in it is hostile.
 */
export interface Workspace extends AsyncDisposable {
  /** @throws Mistake when `path` is absent, not a text file, too large, or leaves the workspace. */
  readText(path: string): Promise<string>;
  /** Makes parent directories. @throws Mistake when `path` leaves the workspace or is a directory. */
  writeText(path: string, text: string): Promise<void>;
  /** @throws Mistake when absent or a directory. */
  remove(path: string): Promise<void>;
  /**
   * Every regular file, sorted by path, without `.git`, `node_modules` and the paths that the fixture's .gitignore names.
   * @throws Mistake when there are too many entries.
   */
  list(): Promise<readonly FileEntry[]>;
  /**
   * @throws Failure `sandbox_unavailable` or `workspace_failed` for a fault of ours, never for a failing command; Mistake
   * when something that the arm left makes another command impossible.
   */
  exec(command: WorkspaceCommand, signal: AbortSignal): Promise<ExecResult>;
  /**
   * Starts a program that runs in the workspace until it is disposed, at the latest with the workspace. It is paused
   * whenever the host reads or writes here. `signal` kills it. @throws as `exec`, and Failure `invalid_request`
   */
  attach(program: AttachedProgram, signal: AbortSignal): Promise<SandboxedProcess>;
  /**
   * Paths matching `globs` that differ from the pristine copy (also added or removed), sorted. Cheap: by identity first.
   * @throws Mistake when there are too many entries.
   */
  altered(globs: readonly string[]): Promise<readonly string[]>;
  /** What differs from the pristine copy, except the arm's notes. Reads no disk when nothing was ever written. */
  changes(): Promise<Changes>;
  /**
   * A copy for the probe; `restored` lists the protected files that differed. Files that do not count as work (see `list`)
   * are in it as they were before the arm, without the arm's own files. The caller disposes it. @throws Mistake when the work is too large to copy.
   */
  fork(options: ForkOptions): Promise<{ readonly workspace: Workspace; readonly restored: readonly string[] }>;
  /** Lays files over those that exist. @throws Mistake or Failure */
  lay(files: FileSource): Promise<void>;
  /** Writes the arm's own files, once. Null for an arm without any. @throws Failure `invalid_request` where they cannot be written */
  notes(): Promise<WorkspaceNotes | null>;
  /** The skills that the arm found there when it began: those of the fixture and of its own files. */
  skills(): Promise<readonly Skill[]>;
  /** Applies a unified diff. @throws Mistake naming the hunk that does not apply. */
  applyPatch(patch: string): Promise<void>;
  /** Absolute path on the host, or null when never materialised; for `--keep-workspaces` only. */
  readonly location: string | null;
  /** The workspace's absolute path as its commands see it. */
  readonly at: string;
}

/**
 * The fixture, written to disk at most once for each session, after setup; every arm starts from the same bytes. Its disposal
 * also removes the workspaces opened from it, so nothing may run in them any more.
 */
export interface Pristine extends AsyncDisposable {
  /**
   * Runs setup steps in order, with the network of this machine. Their results are part of a repository's commit.
   * An image is unpacked here, even without steps, so that no arm's time includes it.
   * @throws Failure `setup_failed` naming the step and its last output.
   */
  setup(steps: readonly { readonly run: string; readonly timeout_s: number }[], signal: AbortSignal): Promise<void>;
  /** @param notes files that are laid over it and are not part of the work */
  open(notes?: FixtureFiles): Workspace;
  /** Text of a pristine file; null when absent or binary. */
  text(path: string): Promise<string | null>;
  /** Every regular file, including ignored ones, sorted. */
  list(): Promise<readonly FileEntry[]>;
}

/** Files that may have to be written to a directory first. */
export interface FixtureFiles extends FileSource {
  /** Writes the files below the inline ones into an empty directory; absent when `dir` holds them. @throws Failure */
  readonly fill?: (directory: string) => Promise<void>;
}

/** What a fixture is made of. */
interface FixtureSource extends FixtureFiles {
  /** Globs of what `dir` is copied without. */
  readonly exclude?: readonly string[] | undefined;
  /** The fixture becomes a git repository with one commit before setup runs. Other repositories in it are left out. */
  readonly repository?: true | undefined;
}

/** An unpacked image, and its part at the place where the workspace is mounted. */
export interface OpenedImage {
  readonly root: ImageRoot;
  /** That part's absolute path on this machine; null: none. It is the fixture where no other is given. */
  readonly work: string | null;
}

/** Where workspaces are mounted, what else is mounted, and which variables programs get. */
export interface WorkspacePlaces {
  /** Absolute path inside; default /workspace. */
  readonly at?: string | undefined;
  /** By absolute path inside: a directory of this machine, read-only; null: an empty directory that each command may write. */
  readonly also?: ReadonlyMap<string, string | null>;
  /** Variables of everything that runs there; a program's own variables override them. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The root file system, opened once, when it is needed. @throws Failure; the signal's reason when it fires */
  readonly image?: ((signal: AbortSignal) => Promise<OpenedImage>) | undefined;
}

export interface PristineOptions {
  readonly source: FixtureSource;
  /** Everything but variables needs bubblewrap. Absent: the workspace alone at /workspace. */
  readonly places?: WorkspacePlaces | undefined;
  readonly sandbox: Sandbox;
  /** Leave workspaces on disk after disposal. */
  readonly keep: boolean;
  /** Cancels the unpacking of an image. Absent: nothing does. */
  readonly signal?: AbortSignal;
  /** Bytes that setup steps may write to HOME and /tmp, which are removed after the steps. Default: 2 GiB. */
  readonly setup_bytes?: number;
  /** Measures the time to copy an arm's work. Absent: pauses of our own loop count, too. */
  readonly clock?: Clock;
}
