import type { Writable } from "node:stream";
import type { ProgramLimits } from "./limits.ts";

/** `open` leads out and, for a model's commands, not to this machine; `host` is the network of this machine itself. */
export type CommandNetwork = "none" | "open" | "host";

export interface ShellCommand {
  /** For `sh -c`. */
  readonly run: string;
  readonly timeout_ms: number;
  /** Output beyond this is cut to head and tail with a line that says how much is missing. */
  readonly max_output_bytes: number;
  readonly network: CommandNetwork;
}

/** What a program may take too much of. */
type ExceededLimit = "timeout" | "output_limit" | "memory_limit" | "disk_limit";

/** `exit_code` is null unless the command ended by itself; a death by signal is 128 + its number. */
export interface ExecResult {
  readonly ended: "exit" | ExceededLimit;
  /** Of `disk_limit`: what was full, with the limit. */
  readonly full?: string;
  readonly exit_code: number | null;
  /** stdout and stderr in the order written, as valid text. */
  readonly output: string;
  /** Bytes written, before the cut. */
  readonly bytes: number;
  readonly duration_ms: number;
}

/** What the commands of one workspace have taken from its disk, added up from command to command. */
export interface DiskTaken {
  bytes: number;
  /** Taken since the workspace was measured. */
  unmeasured_bytes: number;
}

/** A root in place of this machine's, which nobody can write. Its owner is the sandbox's; nobody changes it meanwhile. */
export interface ImageRoot {
  /** Absolute on this machine. */
  readonly directory: string;
  /** Who programs are inside. */
  readonly user: Owner;
  /** The image's own variables. HOME and TMPDIR stay the sandbox's own. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Where a working directory stands inside, and beside what. */
export interface Surroundings {
  /** Where it is mounted; default /workspace. */
  readonly at?: string | undefined;
  /** Shown read-only. */
  readonly shown?: readonly Mount[];
  /** Absolute paths inside: empty, writable, in memory, and anew for each program. */
  readonly private?: readonly string[];
  /** Absent: the programs of this machine. */
  readonly image?: ImageRoot | undefined;
}

/** Where a program works. */
interface WorkingDirectory {
  /** Absolute host directory, mounted as the working directory; the only place that is writable and kept. */
  readonly directory: string;
  /** They need bubblewrap. Absent: alone at /workspace. */
  readonly surroundings?: Surroundings | undefined;
  /** Kept by whoever runs several programs in one directory, so that its size is known over all of them. */
  readonly disk?: DiskTaken | undefined;
}

/** A home and temporary files on disk that several commands share, one after the other. */
export interface Scratch {
  /** Absolute host directory that holds both, and nothing else. */
  readonly directory: string;
  /** Writable as HOME. */
  readonly home: string;
  /** Writable at /tmp. */
  readonly tmp: string;
  /** The bytes that both together may take on disk. */
  readonly max_bytes: number;
  readonly disk: DiskTaken;
}

export interface SandboxedCommand extends ShellCommand, WorkingDirectory {
  /** Absent: a home and temporary files in memory that nobody keeps; without a sandbox, on disk. */
  readonly scratch?: Scratch;
  /** Variables as a program's. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
  /** Default: those of a command. */
  readonly limits?: ProgramLimits;
}

/** A file or directory of this machine that a program may read at a path of its own. */
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
  /** Shown read-only. They need bubblewrap. */
  readonly mounts?: readonly Mount[];
  /**
   * Absolute host directory of its owner, writable at /home/agent; for one program at a time. Its size is bounded. Absent: a
   * home in memory that nobody keeps. It needs bubblewrap, as does `read_only`.
   */
  readonly home?: string;
  /**
   * Files and directories of `directory`, relative to it, that it cannot change, rename or remove: a write is EROFS. No link
   * may lead to them, and nothing else may work in the directory while the program starts.
   */
  readonly read_only?: readonly string[];
  /** Default: those of a command. */
  readonly limits?: ProgramLimits;
  /** Absent: it may run as long as its caller wants. */
  readonly timeout_ms?: number;
  /** Bytes that it may print to both streams together before it is stopped. */
  readonly max_printed_bytes?: number;
}

export interface ProcessEnd {
  /** `killed`: by its caller. */
  readonly ended: "exit" | "killed" | ExceededLimit;
  /** Of `disk_limit`: what was full, with the limit. */
  readonly full?: string;
  /** Null unless it ended by itself; a death by signal is 128 + its number. */
  readonly exit_code: number | null;
  readonly duration_ms: number;
}

/** A program that runs. Disposal kills it with everything that it started, and returns when all of that is gone. */
export interface SandboxedProcess extends AsyncDisposable {
  /** Takes writes also when the program is gone; they are lost then. */
  readonly stdin: Writable;
  /** It has one reader. A program whose output nobody reads has to wait. */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** What it printed can still be read afterwards. @throws what kept it from being watched */
  readonly ended: Promise<ProcessEnd>;
  /** Reaches the program and what it started, unless that left its process group. */
  signal(name: NodeJS.Signals): void;
  /**
   * Stops it with everything that it started. Returns when nothing of that runs. It can be killed meanwhile.
   * @throws when something goes on running
   */
  pause(): Promise<void>;
  /** Lets it go on after a pause. */
  resume(): Promise<void>;
  /** Ends the whole tree; `ended` tells when it is gone. */
  kill(): void;
}

/** Where commands run. */
export interface Sandbox {
  readonly kind: "bubblewrap" | "none";
  /** Who owns workspaces and runs commands; null: the user of this process. */
  readonly owner: Owner | null;
  /** Runs a command to its end. @throws as `start` */
  run(command: SandboxedCommand, signal: AbortSignal): Promise<ExecResult>;
  /**
   * Starts a program that is talked to while it runs. `signal` kills it.
   * @throws Failure `invalid_request` for a program that cannot be had as asked, `sandbox_unavailable`; `signal.reason`.
   */
  start(program: SandboxedProgram, signal: AbortSignal): Promise<SandboxedProcess>;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export type SandboxProbe =
  | { readonly ok: true; readonly version: string; readonly ms: number }
  | { readonly ok: false; readonly reason: string; readonly fix: string };
