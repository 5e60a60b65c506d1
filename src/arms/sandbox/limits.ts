/** What one command may take from the machine, whatever a scenario says. */

const MiB = 1024 * 1024;

/** Processes and threads at once: a parallel test run, not a fork bomb. */
const MAX_PROCESSES = 256;

/** Bytes of one file; also stops sparse files of any claimed size. */
const MAX_FILE_BYTES = 256 * MiB;

const MAX_OPEN_FILES = 1024;

/** Bytes of heap of one process. A limit of address space would not do: with 4 GB of it WebAssembly fails in node. */
const MAX_HEAP_BYTES = 1024 * MiB;

/** Bytes of resident memory of the whole process tree. */
export const MAX_TREE_BYTES = 2048 * MiB;

/** What a program and all that it starts may take. */
export interface ProgramLimits {
  /** Processes and threads at once. */
  readonly processes: number;
  readonly file_bytes: number;
  readonly open_files: number;
  readonly heap_bytes: number;
  /** Bytes of resident memory of the whole process tree. */
  readonly tree_bytes: number;
}

export const COMMAND_LIMITS: ProgramLimits = {
  processes: MAX_PROCESSES,
  file_bytes: MAX_FILE_BYTES,
  open_files: MAX_OPEN_FILES,
  heap_bytes: MAX_HEAP_BYTES,
  tree_bytes: MAX_TREE_BYTES,
};

/** Agents are larger than what they run: some take 1 GB for themselves, and claim far more. */
export const AGENT_LIMITS: ProgramLimits = {
  processes: 512,
  file_bytes: MAX_FILE_BYTES,
  open_files: 4_096,
  heap_bytes: 4_096 * MiB,
  tree_bytes: 4_096 * MiB,
};

/** Bytes on disk of a program's home, where it has one. Some agents unpack themselves there. */
export const MAX_HOME_BYTES = 1024 * MiB;

/** Bytes on disk of HOME and /tmp together while a scenario is set up: what package managers fetch and keep. */
export const MAX_SCRATCH_BYTES = 2048 * MiB;

/** Bytes a command may print before it is stopped. */
export const MAX_PRINTED_BYTES = 64 * MiB;

export const MAX_WORKSPACE_BYTES = 2048 * MiB;

/** Free bytes of the disk that no command may use up. */
const RESERVED_BYTES = 512 * MiB;

/** Share of a small disk that stays free. */
const RESERVED_SHARE = 0.05;

/** Bytes of a disk that stay free. On a disk that is nearly full already, that is half of the rest. */
export const reserveOf = (disk: { readonly size: number; readonly free: number }): number =>
  Math.min(RESERVED_BYTES, disk.size * RESERVED_SHARE, disk.free / 2);

/** Files and directories of a workspace, besides those of its fixture. */
export const MAX_WORKSPACE_ENTRIES = 100_000;

/** Inodes of the disk that no command may use up; fewer on a small disk. */
const RESERVED_INODES = 20_000;

/** Inodes of a disk that stay free: none where a file system makes them as it goes, and reports 0 of 0. */
export const inodeReserveOf = (disk: { readonly size: number; readonly free: number }): number =>
  Math.min(RESERVED_INODES, disk.size * RESERVED_SHARE, disk.free / 2);
