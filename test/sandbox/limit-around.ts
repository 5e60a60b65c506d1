import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findMemoryGroups, type MemoryGroups } from "../../src/arms/sandbox/memory-group.ts";
import type { Need } from "../machine.ts";
import { Directory } from "../workspace/harness.ts";

export const MEMORY_LIMITS: Need = {
  what: "a cgroup of version 1 that may be made (run it as root)",
  met: findMemoryGroups()?.version === "v1",
};

/** A control group of this machine with a memory limit, around whatever is put into it. Empty when it is disposed of. */
export class LimitAround implements Disposable {
  /** As /proc/self of a process in it. */
  readonly proc: string;
  readonly #directory: string;
  readonly #files: Directory;

  constructor(max_bytes: number) {
    const line = readFileSync("/proc/self/cgroup", "utf8")
      .split("\n")
      .find((it) => /:memory:/.test(it));
    const [, , path = "/"] = line?.split(":") ?? [];
    const name = `around-${crypto.randomUUID()}`;
    this.#directory = join("/sys/fs/cgroup/memory", path, name);
    mkdirSync(this.#directory);
    writeFileSync(join(this.#directory, "memory.limit_in_bytes"), String(max_bytes));
    this.#files = new Directory({
      cgroup: `4:memory:${join(path, name)}\n`,
      mountinfo: readFileSync("/proc/self/mountinfo", "utf8"),
    });
    this.proc = this.#files.path;
  }

  /** Groups of commands, in it. */
  get groups(): MemoryGroups | null {
    return findMemoryGroups(this.proc);
  }

  /** The command line that runs a program in it. */
  inside(program: readonly string[]): string[] {
    return ["sh", "-c", `echo $$ > "$0/cgroup.procs"; exec "$@"`, this.#directory, ...program];
  }

  [Symbol.dispose](): void {
    this.#files[Symbol.dispose]();
    rmdirSync(this.#directory);
  }
}
