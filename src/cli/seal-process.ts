import { dlopen } from "bun:ffi";

const PR_SET_DUMPABLE = 4;

/** The C library's names: glibc, then musl. */
const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];

/**
 * Closes this process's environment and memory to other processes of the same user: a variable that was deleted still
 * stands in /proc/<pid>/environ. Linux only, best effort; root is not kept out.
 */
export function sealProcess(): void {
  if (process.platform !== "linux") return;
  for (const library of LIBRARIES) {
    try {
      const { symbols } = dlopen(library, { prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" } });
      symbols.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
      return;
    } catch {
      // Not this library; without any the sandbox's own walls remain.
    }
  }
}
