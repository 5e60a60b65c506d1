import { dlopen } from "bun:ffi";

const STDOUT = 1;
const STDERR = 2;

/** The C library by its name on glibc, musl and macOS. */
const LIBRARIES = ["libc.so.6", "libc.so", "libSystem.B.dylib"];

/**
 * Takes stdout for the protocol alone: from now on whatever else writes to it, this program, a dependency, native code or
 * a child, writes to stderr. Done to the descriptor, so that no way of printing is forgotten.
 * @returns what writes a line to the stdout of before, in the order of the calls; it rejects when the reader is gone.
 * @throws Error where the C library cannot be found.
 */
export function claimStdout(): (line: string) => Promise<void> {
  const { dup, dup2 } = cLibrary();
  const descriptor = dup(STDOUT);
  if (descriptor < 0 || dup2(STDERR, STDOUT) < 0) throw new Error("stdout cannot be set apart for the protocol");
  // The stream was made before, perhaps, and then it has a descriptor of its own.
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

function cLibrary() {
  for (const name of LIBRARIES) {
    try {
      return dlopen(name, { dup: { args: ["i32"], returns: "i32" }, dup2: { args: ["i32", "i32"], returns: "i32" } })
        .symbols;
    } catch {
      // Not this system's name for it.
    }
  }
  throw new Error(`the C library was not found under ${LIBRARIES.join(", ")}`);
}
