import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MAX_TREE_BYTES } from "./limits.ts";
import { processRow, textAt } from "./process/process-table.ts";

/** A control group of the kernel that limits one command's memory: heaps, memory files, shared memory, tmpfs. */
export interface MemoryGroup {
  /** Puts processes into it, with all that they start later. @throws what the kernel says */
  add(pids: readonly number[]): void;
  /** Whether the kernel has killed a process in it for lack of memory: at its own limit, or at one around it. */
  oomKill(): OomKill | undefined;
  /** Removes it when its processes are gone or just ending. Never fails: what is left is removed by a later process. */
  remove(): Promise<void>;
}

type OomKill = "own" | "outer";

/** Makes such groups. */
export interface MemoryGroups {
  readonly version: "v1" | "v2";
  /** @param max_bytes swap included */
  open(max_bytes?: number): MemoryGroup;
}

/** The files of the two versions. */
interface Layout {
  readonly limits: (max_bytes: number) => readonly (readonly [file: string, value: string | number])[];
  /** Holds a line `oom_kill <n>`. The number counts kills in this group, whichever limit they are for. */
  readonly events: string;
  /** Whether the limit of this very group was reached. */
  readonly reached: (group: string, max_bytes: number) => boolean;
}

/** The kernel kills when the next charge does not fit: a huge page at most. */
const MAX_CHARGE_BYTES = 2 ** 21;

const LAYOUTS: Readonly<Record<MemoryGroups["version"], Layout>> = {
  v1: {
    // The order matters: the second limit must not be below the first.
    limits: (max) => [
      ["memory.limit_in_bytes", max],
      ["memory.memsw.limit_in_bytes", max],
    ],
    events: "memory.oom_control",
    // Newer kernels keep no count of failures there.
    reached: (group, max) =>
      ["memory.max_usage_in_bytes", "memory.memsw.max_usage_in_bytes"].some(
        (file) => Number(textAt(join(group, file))) > max - MAX_CHARGE_BYTES,
      ),
  },
  v2: {
    limits: (max) => [
      ["memory.max", max],
      ["memory.swap.max", 0],
      ["memory.oom.group", 1],
    ],
    events: "memory.events",
    // Unlike a kill, it is counted where the limit is. No group is below this one.
    reached: (group) => /^oom [1-9]/m.test(textAt(join(group, "memory.events")) ?? ""),
  },
};

/** Files that a kernel without swap accounting, or an older one, lacks. */
const OPTIONAL = new Set(["memory.memsw.limit_in_bytes", "memory.swap.max", "memory.oom.group"]);

/** The control groups that this process may use; null where it was given none. */
export function findMemoryGroups(proc = "/proc/self"): MemoryGroups | null {
  for (const version of ["v2", "v1"] as const) {
    try {
      const own = ownDirectory(proc, version);
      const parent = own && (version === "v1" ? own : delegated(own));
      if (parent === undefined) continue;
      sweep(parent);
      const groups: MemoryGroups = {
        version,
        open: (max = MAX_TREE_BYTES) => openGroup(parent, LAYOUTS[version], max),
      };
      // Tried out: a directory that can be written may still refuse limits.
      const group = groups.open();
      void group.remove();
      return groups;
    } catch {
      // Not for this user.
    }
  }
  return null;
}

/** The directory of the group that this process is in. */
function ownDirectory(proc: string, version: MemoryGroups["version"]): string | undefined {
  const mounted = version === "v2" ? / - cgroup2 / : / - cgroup \S+ \S*\bmemory\b/;
  const mount = linesOf(join(proc, "mountinfo")).find((line) => mounted.test(line));
  const line = linesOf(join(proc, "cgroup")).find((it) =>
    version === "v2" ? it.startsWith("0::") : /^\d+:([^:]*,)?memory[,:]/.test(it),
  );
  const path = line?.split(":").slice(2).join(":");
  const [, , , root = "", target = ""] = mount?.split(" ") ?? [];
  if (path === undefined || target === "" || !path.startsWith(root === "/" ? "" : root)) return undefined;
  return join(target, root === "/" ? path : path.slice(root.length));
}

/** The subgroup for this program itself: a group that limits its children may hold no process. */
const SELF = "abeval-self";

/** This process, and the one that started it and may be its supervisor. */
const OWN = new Set([process.pid, process.ppid].map(String));

/**
 * A version 2 group that belongs to this program alone, ready for groups below it. One that it shares with others, such as
 * a login session, is left as it is.
 */
function delegated(own: string): string | undefined {
  if (basename(own) === SELF) return dirname(own);
  if (!wordsOf(join(own, "cgroup.controllers")).includes("memory")) return undefined;
  if (wordsOf(join(own, "cgroup.subtree_control")).includes("memory")) return own;
  const inside = wordsOf(join(own, "cgroup.procs"));
  if (inside.some((pid) => !OWN.has(pid))) return undefined;
  mkdirSync(join(own, SELF), { recursive: true });
  for (const pid of inside) writeFileSync(join(own, SELF, "cgroup.procs"), pid);
  writeFileSync(join(own, "cgroup.subtree_control"), "+memory");
  return own;
}

/** Tells `sweep` which process made a group. */
const PREFIX = `abeval-${process.pid}-${processRow(process.pid)?.started ?? "0"}-`;

function openGroup(parent: string, { limits, events, reached }: Layout, max_bytes: number): MemoryGroup {
  const directory = join(parent, PREFIX + crypto.randomUUID());
  mkdirSync(directory);
  const remove = () => removeGroup(directory);
  try {
    for (const [file, value] of limits(max_bytes)) setLimit(join(directory, file), String(value));
  } catch (error) {
    void remove();
    throw error;
  }
  return {
    add: (pids) => {
      for (const pid of pids) writeFileSync(join(directory, "cgroup.procs"), String(pid));
    },
    oomKill: () => {
      if (oomKillsIn(join(directory, events)) === 0) return undefined;
      return reached(directory, max_bytes) ? "own" : "outer";
    },
    remove,
  };
}

/** Processes of the group of this process that the kernel has killed for lack of memory; 0 where nobody counts. */
export function oomKillsAround(proc = "/proc/self"): number {
  for (const version of ["v2", "v1"] as const) {
    const own = textAt(join(proc, "cgroup")) === undefined ? undefined : ownDirectory(proc, version);
    const kills = own === undefined ? 0 : oomKillsIn(join(own, LAYOUTS[version].events));
    if (kills > 0) return kills;
  }
  return 0;
}

const oomKillsIn = (path: string): number => Number(/^oom_kill (\d+)/m.exec(textAt(path) ?? "")?.[1] ?? 0);

function setLimit(path: string, value: string): void {
  try {
    writeFileSync(path, value, { flag: "r+" });
  } catch (error) {
    if (!OPTIONAL.has(basename(path))) throw error;
  }
}

/** Removes the groups that killed processes left. The kernel refuses to remove one that is in use. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid, started] = /^abeval-(\d+)-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && processRow(Number(pid))?.started !== started) void removeGroup(join(parent, name));
  }
}

/** Milliseconds between two tries, and tries. */
const RETRY_MS = 5;
const TRIES = 100;

async function removeGroup(directory: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      return rmdirSync(directory);
    } catch (error) {
      // EBUSY: something in it is still ending. With any other error it is gone, or not ours.
      if ((error as NodeJS.ErrnoException).code !== "EBUSY") return; // node's own errors carry a code
      await sleep(RETRY_MS);
    }
  }
}

const linesOf = (path: string) => readFileSync(path, "utf8").split("\n");
const wordsOf = (path: string) => readFileSync(path, "utf8").split(/\s+/).filter(Boolean);
