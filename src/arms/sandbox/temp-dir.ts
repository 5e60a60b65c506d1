import { spawn } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../domain/sha256.ts";
import { exitOf } from "../../runtime/exit-of.ts";
import { findProgram } from "../../runtime/find-program.ts";
import { processRow, textAt } from "./process/process-table.ts";
import type { Owner } from "./sandbox.ts";

/** Names this start of this machine and this container: process numbers mean the same in no other. Empty: unknown. */
const HERE = namespace();

function namespace(): string {
  const boot = textAt("/proc/sys/kernel/random/boot_id");
  try {
    return boot === undefined ? "" : sha256(boot + readlinkSync("/proc/self/ns/pid")).slice(0, 8);
  } catch {
    return "";
  }
}

/** Names the process that makes a directory: another one may get its pid, but not its start time as well. */
const MAKER = `${process.pid}-${processRow(process.pid)?.started ?? "0"}${HERE && `-${HERE}`}`;

const DAY_MS = 24 * 60 * 60 * 1000;

/** A fresh private directory. Its name tells a command nothing, and `sweepTempDirs` who made it. */
export const makeTempDir = (root: string = tmpdir()): string => mkdtempSync(join(root, `abeval-run-${MAKER}-`));

/** The directory for temporary files that `owner` can reach. */
export const tempRoot = (owner: Owner | null): string =>
  [tmpdir(), "/tmp", "/var/tmp"].find((path) => isReachable(`${path}/x`, owner)) ?? tmpdir();

/**
 * Removes what killed processes left in `roots`: directories of this user whose maker is gone. Those are a day old, or
 * `least_ms` where their maker would be seen if it still worked.
 * Never fails; what cannot be removed stays for the next time. Gives the number removed.
 */
export async function sweepTempDirs(
  now: Date,
  roots: readonly string[] = tempRoots(),
  least_ms = DAY_MS,
): Promise<number> {
  const stale = roots.flatMap((root) =>
    namesIn(root)
      .filter((name) => isStale(join(root, name), now, least_ms))
      .map((name) => join(root, name)),
  );
  await Promise.all(stale.map((path) => removeTree(path)));
  return stale.length;
}

/** Workspaces lie elsewhere than temporary files where the sandbox's user cannot reach these. */
const tempRoots = () => [...new Set([tmpdir(), tempRoot(sandboxOwner())])];

function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}

function isStale(path: string, now: Date, least_ms: number): boolean {
  const [, pid, started, where] =
    /^abeval-run-(\d+)-(\d+)(?:-([0-9a-f]{8}))?-[A-Za-z0-9]{6}$/.exec(basename(path)) ?? [];
  if (pid === undefined || isAlive(Number(pid), started)) return false;
  const entry = lstatSync(path, { throwIfNoEntry: false });
  // Root may have handed one to the sandbox's user. A third user's is a trap: that user could put a link in its place.
  const ours = entry !== undefined && [process.geteuid?.(), sandboxOwner()?.uid].includes(entry.uid);
  const age_ms = where !== undefined && where === HERE ? least_ms : DAY_MS;
  return entry?.isDirectory() === true && ours && now.getTime() - entry.mtimeMs >= age_ms;
}

function isAlive(pid: number, started: string | undefined): boolean {
  const row = processRow(pid);
  if (row) return row.started === started;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Who commands run as when this process is root: a number that no distribution hands out. A sandbox of root's own could
 * reach the kernel's settings, so root never makes one.
 */
export const UNPRIVILEGED = { uid: 60_817, gid: 60_817 };

export const sandboxOwner = (): Owner | null => (process.geteuid?.() === 0 ? UNPRIVILEGED : null);

/** Whether `owner` can walk down to `path`; our own user always can. */
export function isReachable(path: string, owner: Owner | null): boolean {
  if (!owner) return true;
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    const entry = lstatSync(parent, { throwIfNoEntry: false });
    if (entry === undefined || (entry.mode & (entry.uid === owner.uid ? 0o100 : 0o001)) === 0) return false;
    if (parent === "/") return true;
  }
}

/** Milliseconds that the caller waits. A removal that takes longer goes on in the background. */
const PATIENCE_MS = 2_000;

/** Milliseconds after which a removal is given up. */
const DEADLINE_MS = 60_000;

interface Removal {
  readonly patience_ms?: number;
  /** The program that removes; null: this machine has none. */
  readonly program?: string | null;
}

/**
 * Removes a directory that something hostile has filled. Never fails, and never keeps its caller for long: a slow
 * removal goes on in the background, and what cannot be removed stays on disk.
 */
export async function removeTree(directory: string, options: Removal = {}): Promise<void> {
  const { patience_ms = PATIENCE_MS, program = findProgram("rm") } = options;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patience_ms);
  await Promise.race([removeSteadily(directory, program), promise]);
  clearTimeout(timer);
}

/** What this process removes itself, in some milliseconds, as a program takes as long to start: a session leaves a dozen such trees. */
const SMALL = { entries: 200, levels: 16, bytes: 16 * 1024 * 1024, directory_bytes: 8 * 1024 };

/**
 * Removes a small tree; false when it is none, or something in it resists. Each directory is opened beneath the descriptor of the
 * one around it, and no link is followed: what still runs may put one anywhere.
 */
function removeSmall(directory: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    if (!isEmptied(directory, { ...SMALL })) return false;
    rmdirSync(directory);
    return true;
  } catch {
    return false;
  }
}

function isEmptied(directory: string, left: typeof SMALL): boolean {
  const descriptor = openSync(directory, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    // Reading many names would keep others waiting.
    if (left.levels === 0 || fstatSync(descriptor).size > left.directory_bytes) return false;
    left.levels -= 1;
    const within = `/proc/self/fd/${descriptor}`;
    const isGone = readdirSync(within).every((name) => isRemoved(join(within, name), left));
    left.levels += 1;
    return isGone;
  } finally {
    closeSync(descriptor);
  }
}

function isRemoved(path: string, left: typeof SMALL): boolean {
  const entry = lstatSync(path);
  left.entries -= 1;
  left.bytes -= entry.size;
  if (left.entries < 0 || left.bytes < 0) return false;
  if (!entry.isDirectory()) unlinkSync(path);
  else if (isEmptied(path, left)) rmdirSync(path);
  else return false;
  return true;
}

/**
 * Uses programs that walk by descriptor: depth, names that are no text and paths longer than the kernel takes do not
 * stop them. They do not follow links. Where they cannot be started, this process removes the tree.
 */
async function removeSteadily(directory: string, program: string | null): Promise<void> {
  if (removeSmall(directory)) return;
  const remove = () => ran(program, ["-rf", "--", directory]);
  if (!(await remove())) return await rm(directory, { recursive: true, force: true }).catch(ignored);
  if (!existsSync(directory)) return;
  await ran(findProgram("chmod"), ["-R", "u+rwX", "--", directory]);
  await remove();
}

/** What cannot be removed stays. */
const ignored = () => undefined;

/** False when it could not be started. The program outlives this process, and does not keep it alive. */
async function ran(program: string | null, args: readonly string[]): Promise<boolean> {
  if (program === null) return false;
  try {
    const child = spawn(program, args, { env: {}, stdio: "ignore", detached: true });
    child.unref();
    // Its own `timeout` would keep this process until then.
    const deadline = setTimeout(() => child.kill(), DEADLINE_MS).unref();
    await exitOf(child).finally(() => clearTimeout(deadline));
    return true;
  } catch {
    return false;
  }
}
