import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../../runtime/clock.ts";
import { isReachable, makeTempDir, tempRoot, UNPRIVILEGED } from "./temp-dir.ts";

/** Only root may make names in its parent, and programs may run there. /run often forbids that. */
const SHARED_PLACE = "/var/cache/abeval";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A copy that nobody used for so long is removed. */
const KEPT_MS = 30 * DAY_MS;

/** Copies by the path of the original. They go when this process exits, and its exit handlers are global, too. */
const ownCopies = new Map<string, string>();

/**
 * A copy of root's own executable where an unprivileged user can run it. Each version is copied once, to a place that
 * only root may write. Where there is no such place, each process makes a copy and removes it when it exits.
 */
export function publicCopy(executable: string, place: string = SHARED_PLACE): string {
  const shared = sharedCopy(executable, place);
  if (shared !== undefined) return shared;
  const own = ownCopies.get(executable);
  if (own !== undefined) return own;
  const directory = makeTempDir(tempRoot(UNPRIVILEGED));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  // Enough to run what is in it by its name.
  chmodSync(directory, 0o711);
  const copy = join(directory, "abeval");
  copyProgram(executable, copy);
  ownCopies.set(executable, copy);
  return copy;
}

/** Undefined where the place cannot be used: the system is read-only, or the directory belongs to somebody else. */
function sharedCopy(executable: string, place: string): string | undefined {
  try {
    if (!isSafe(dirname(place))) return undefined;
    mkdirSync(place, { mode: 0o755, recursive: true });
    if (!isSafe(place) || !isReachable(join(place, "abeval"), UNPRIVILEGED)) return undefined;
    const { size, mtimeMs } = statSync(executable);
    const copy = join(place, `abeval-${size}-${Math.round(mtimeMs)}`);
    if (lstatSync(copy, { throwIfNoEntry: false })?.size !== size) fill(copy, executable, place);
    markUsed(copy, place);
    return copy;
  } catch {
    return undefined;
  }
}

/** The copy gets its name when it is complete, because another abeval may look for it at the same time. */
function fill(copy: string, executable: string, place: string): void {
  const draft = mkdtempSync(join(place, "draft-"));
  try {
    copyProgram(executable, join(draft, "abeval"));
    renameSync(join(draft, "abeval"), copy);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function copyProgram(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  chmodSync(to, 0o755);
}

/** Also removes what earlier versions and killed processes left there. */
function markUsed(copy: string, place: string): void {
  const now = systemClock.now();
  utimesSync(copy, now, now);
  for (const name of readdirSync(place)) {
    const path = join(place, name);
    const age_ms = now.getTime() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY);
    if (age_ms > (name.startsWith("draft-") ? DAY_MS : KEPT_MS)) rmSync(path, { recursive: true, force: true });
  }
}

/** A real directory of this user, in which nobody else can make or replace anything. */
function isSafe(directory: string): boolean {
  const { uid, mode } = lstatSync(directory);
  return lstatSync(directory).isDirectory() && uid === process.geteuid?.() && (mode & 0o022) === 0;
}
