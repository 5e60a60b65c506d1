import { dlopen, type FFIFunction, ptr } from "bun:ffi";

/** The C library by its name on glibc, musl and macOS. */
const NAMES = [
  "libc.so.6",
  `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`,
  "libc.so",
  "libSystem.B.dylib",
];

/** Undefined where the library is not found. */
function cLibrary<Functions extends Record<string, FFIFunction>>(functions: Functions) {
  for (const name of NAMES) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // This system's library has another name.
    }
  }
  return undefined;
}

const STDOUT = 1;
const STDERR = 2;

/**
 * Reserves stdout for the protocol. From now on everything else that writes to it (this program, a dependency, native code,
 * a child) writes to stderr. It works on the descriptor, so that it covers every way of printing.
 * @returns a function that writes lines to the original stdout, in order; it rejects when the reader is gone
 * @throws Error where the C library cannot be found
 */
export function claimStdout(): (line: string) => Promise<void> {
  const library = cLibrary({
    dup: { args: ["i32"], returns: "i32" },
    dup2: { args: ["i32", "i32"], returns: "i32" },
  });
  if (library === undefined) throw new Error(`the C library was not found under ${NAMES.join(", ")}`);
  const descriptor = library.dup(STDOUT);
  if (descriptor < 0 || library.dup2(STDERR, STDOUT) < 0)
    throw new Error("stdout cannot be set apart for the protocol");
  // process.stdout may exist already, with a descriptor of its own.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const sink = Bun.file(descriptor).writer();
  let last: Promise<unknown> = Promise.resolve();
  return async (line) => {
    const write = async () => {
      sink.write(line);
      await sink.flush();
    };
    last = last.then(write);
    await last;
  };
}

const PR_SET_PDEATHSIG = 1;
const PR_SET_DUMPABLE = 4;
const PR_SET_NAME = 15;
const SIGKILL = 9;

/**
 * Hides this process's environment and memory from other processes of the same user: a deleted variable still stands in
 * /proc/<pid>/environ. Linux only. It does not keep root out. Without the C library the sandbox's own walls remain.
 */
export function sealProcess(): void {
  control(PR_SET_DUMPABLE, 0);
}

/** Has the kernel kill this process when the one that started it ends, even while this one stands still. Linux only. */
export function endWithParent(): void {
  control(PR_SET_PDEATHSIG, SIGKILL);
}

/**
 * The names of processes that serve, as `ps` shows them and everybody of the machine may read: by them `abeval drain` knows whom it
 * may signal, and how much is left. Linux keeps 15 bytes.
 */
export const NAMES_OF_SERVERS = { serves: "abeval serve", supervised: "abeval server", drained: "abeval drained" };

/** Shows how much is left for a process that takes no more work. */
export const showLeft = (left: number): void =>
  nameProcess(left === 0 ? NAMES_OF_SERVERS.drained : `abeval drain ${Math.min(left, 999)}`);

/** Linux only. */
export function nameProcess(name: string): void {
  const bytes = Buffer.from(`${name}\0`);
  control(PR_SET_NAME, ptr(bytes));
}

function control(option: number, value: number): void {
  if (process.platform !== "linux") return;
  const prctl = { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" } as const;
  cLibrary({ prctl })?.prctl(option, value, 0, 0, 0);
}
