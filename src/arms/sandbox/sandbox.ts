import type { Writable } from "node:stream";
import type { ProgramLimits } from "./limits.ts";

/** `open` reaches the internet but, for a model's commands, not this machine; `host` is this machine's own network. */
export type CommandNetwork = "none" | "open" | "host";

export interface ShellCommand {
  /** For `sh -c`. */
  readonly run: string;
  readonly timeout_ms: number;
  /** Output beyond this is cut to head and tail with a line that says how much is missing. */
  readonly max_output_bytes: number;
  readonly network: CommandNetwork;
}

/** A limit that a program may exceed. */
type ExceededLimit = "timeout" | "output_limit" | "memory_limit" | "disk_limit";

export interface ExecResult extends Omit<ProcessEnd, "ended"> {
  readonly ended: "exit" | ExceededLimit;
  /** stdout and stderr in the order written, as valid text. */
  readonly output: string;
  /** Bytes written, before the cut. */
  readonly bytes: number;
}

/** Disk space that the commands of one workspace have used, added up over its commands. */
export interface DiskTaken {
  bytes: number;
  /** Bytes used since the workspace was last measured. */
  unmeasured_bytes: number;
}

/** A read-only root file system in place of this machine's. The sandbox's owner owns it, and it does not change meanwhile. */
export interface ImageRoot {
  /** Absolute on this machine. */
  readonly directory: string;
  /** The user that programs run as inside. */
  readonly user: Owner;
  /** The image's own variables. HOME and TMPDIR stay the sandbox's own. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Where a working directory is mounted, and what else is mounted. */
export interface Surroundings {
  /** Where it is mounted; default /workspace. */
  readonly at?: string | undefined;
  /** Mounted read-only. */
  readonly shown?: readonly Mount[];
  /** Absolute paths inside of empty writable directories in memory, new for each program. */
  readonly private?: readonly string[];
  /** Absent: the programs of this machine. */
  readonly image?: ImageRoot | undefined;
}

/** Where a program works. */
interface WorkingDirectory {
  /** Absolute host directory, mounted as the working directory; the only place that is writable and kept. */
  readonly directory: string;
  /** These need bubblewrap. Absent: the directory alone at /workspace. */
  readonly surroundings?: Surroundings | undefined;
  /** The caller keeps it over several programs in one directory, so that their total is known. */
  readonly disk?: DiskTaken | undefined;
}

/** A home and temporary files on disk that several commands use in turn. */
export interface Scratch {
  /** Absolute host directory that holds both, and nothing else. */
  readonly directory: string;
  /** Writable as HOME. */
  readonly home: string;
  /** Writable at /tmp. */
  readonly tmp: string;
  /** Bytes that both together may use on disk. */
  readonly max_bytes: number;
  readonly disk: DiskTaken;
}

export interface SandboxedCommand extends ShellCommand, WorkingDirectory {
  /** Absent: home and temporary files are in memory (on disk without a sandbox) and are not kept. */
  readonly scratch?: Scratch;
  /** The command sees these as its environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
  /** Default: those of a command. */
  readonly limits?: ProgramLimits;
}

/** A file or directory of this machine that a program may read at another path. */
export interface Mount {
  /** Absolute path on this machine. */
  readonly from: string;
  /** Absolute path inside, below /opt, /run or /home/agent. */
  readonly to: string;
}

export interface SandboxedProgram extends WorkingDirectory {
  /** A line for `sh -c`, or a program and its arguments. */
  readonly command: string | readonly [program: string, ...args: string[]];
  readonly network: CommandNetwork;
  /** Added to the variables that every command has. HOME and TMPDIR stay the sandbox's own. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Mounted read-only. They need bubblewrap. */
  readonly mounts?: readonly Mount[];
  /**
   * Absolute host directory of its owner, writable at /home/agent; for one program at a time. Its size is bounded. Absent: a
   * home in memory that is not kept. It needs bubblewrap, as does `read_only`.
   */
  readonly home?: string;
  /**
   * Files and directories of `directory`, relative to it, that it cannot change, rename or remove: a write is EROFS. No link
   * may lead to them, and nothing else may run in the directory while the program starts.
   */
  readonly read_only?: readonly string[];
  /** Default: those of a command. */
  readonly limits?: ProgramLimits;
  /** Absent: there is no timeout. */
  readonly timeout_ms?: number;
  /** Bytes that it may print to both streams together before it is stopped. */
  readonly max_printed_bytes?: number;
}

export interface ProcessEnd {
  /** `killed`: by its caller. */
  readonly ended: "exit" | "killed" | ExceededLimit;
  /** For `disk_limit`: what was full, with the limit. */
  readonly full?: string;
  /** Null unless it ended by itself; after a signal it is 128 + the signal's number. */
  readonly exit_code: number | null;
  readonly duration_ms: number;
}

/** A running program. Disposal kills it and everything that it started, and returns when all of them are gone. */
export interface SandboxedProcess extends AsyncDisposable {
  /** Accepts writes even when the program is gone; they are then lost. */
  readonly stdin: Writable;
  /** Has one reader. The program waits until its output is read. */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Its output can still be read afterwards. @throws what kept it from being watched; Failure `killed_from_outside` */
  readonly ended: Promise<ProcessEnd>;
  /** Signals the program and what it started, except processes that left its process group. */
  signal(name: NodeJS.Signals): void;
  /**
   * Stops it and everything that it started. Returns when none of them runs. It can be killed meanwhile.
   * @throws when something keeps running
   */
  pause(): Promise<void>;
  /** Continues it after a pause. */
  resume(): Promise<void>;
  /** Ends the whole tree; `ended` tells when it is gone. */
  kill(): void;
}

/** Where commands run. */
export interface Sandbox {
  readonly kind: "bubblewrap" | "none";
  /** Who owns workspaces and runs commands; null: the user of this process. */
  readonly owner: Owner | null;
  /** Runs a command to its end. @throws as `start`; Failure `killed_from_outside` */
  run(command: SandboxedCommand, signal: AbortSignal): Promise<ExecResult>;
  /**
   * Starts a program that is talked to while it runs. `signal` kills it.
   * @throws Failure `invalid_request` for a program that cannot run as requested, `sandbox_unavailable`; `signal.reason`.
   */
  start(program: SandboxedProgram, signal: AbortSignal): Promise<SandboxedProcess>;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}
