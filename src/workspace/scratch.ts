import { lstatSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxOwner, scratchRoot } from "./sandbox/owner.ts";
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
 * Removes what killed processes left in `roots`: directories of this user, a day old, whose maker is gone.
 * Never fails; what cannot be removed stays for the next time. Gives the number removed.
 */
export async function sweepScratch(now: Date, roots: readonly string[] = scratchRoots()): Promise<number> {
  const stale = roots.flatMap((root) =>
    namesIn(root)
      .filter((name) => isStale(root, name, now))
      .map((name) => join(root, name)),
  );
  await Promise.all(stale.map((path) => removeTree(path)));
  return stale.length;
}

/** Workspaces lie elsewhere than temporary files where the sandbox's user cannot reach these. */
const scratchRoots = () => [...new Set([tmpdir(), scratchRoot(sandboxOwner())])];

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
  // One of root's may have been handed to the sandbox's user. Anybody else's is a trap: its owner could put a link in its place.
  const ours = entry !== undefined && [process.geteuid?.(), sandboxOwner()?.uid].includes(entry.uid);
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
