import { lstatSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processRow } from "./sandbox/process-table.ts";
import { removeTree } from "./tree/remove-tree.ts";

/** The process that made a directory, for good: pids come again, start times do not. */
const OWNER = `${process.pid}-${processRow(process.pid)?.started ?? "0"}`;

const DAY_MS = 24 * 60 * 60 * 1000;

/** A fresh private directory with a name that tells a command nothing, and `sweepScratch` who made it. */
export const scratchDirectory = (root: string = tmpdir()): string => mkdtempSync(join(root, `abeval-run-${OWNER}-`));

/** One that stays: the user asked to keep it. */
export const keptDirectory = (root: string): string => mkdtempSync(join(root, "abeval-kept-"));

/**
 * Removes what killed processes left in `root`: directories of this user, a day old, whose maker is gone.
 * Never fails; what cannot be removed stays for the next time. Gives the number removed.
 */
export async function sweepScratch(now: Date, root: string = tmpdir()): Promise<number> {
  const stale = namesIn(root).filter((name) => isStale(root, name, now));
  await Promise.all(stale.map((name) => removeTree(join(root, name))));
  return stale.length;
}

function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}

function isStale(root: string, name: string, now: Date): boolean {
  const [, pid, started] = /^abeval-run-(\d+)-(\d+)-[A-Za-z0-9]{6}$/.exec(name) ?? [];
  if (pid === undefined || isAlive(Number(pid), started)) return false;
  const entry = lstatSync(join(root, name), { throwIfNoEntry: false });
  // As root, a directory may have been handed to the sandbox's user.
  const uid = process.geteuid?.();
  const ours = uid === 0 || entry?.uid === uid;
  return entry?.isDirectory() === true && ours && now.getTime() - entry.mtimeMs > DAY_MS;
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
