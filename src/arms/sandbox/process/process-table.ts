import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { breathe } from "../../../runtime/pace.ts";

interface ProcessRow {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly resident_bytes: number;
  /** Clock ticks since boot; with the pid, it names a process for good. */
  readonly started: string;
}

const PAGE_BYTES = 4096;

/** A process as /proc shows it; undefined when it is gone, or where there is no /proc. */
export function processRow(pid: number): ProcessRow | undefined {
  const text = textAt(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name stands in parentheses and may hold anything, parentheses included.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent, group] = fields;
  return {
    pid,
    state,
    parent: Number(parent),
    group: Number(group),
    resident_bytes: Number(fields[21]) * PAGE_BYTES,
    started: fields[19] ?? "",
  };
}

/** A file of the system, its bytes as characters; undefined when it is gone, or not for this user. */
export function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

/** Rows between two breaths of the event loop. */
const BATCH = 100;

/**
 * `leader`, everything in its process group, and everything that descends from these. Others have their turn meanwhile:
 * a machine can have a hundred thousand processes.
 */
export async function processTree(leader: number): Promise<readonly ProcessRow[]> {
  const rows: ProcessRow[] = [];
  for (const [index, pid] of (await processIds()).entries()) {
    if (index % BATCH === BATCH - 1) await breathe();
    rows.push(...[processRow(pid) ?? []].flat());
  }
  const children = Map.groupBy(rows, (row) => row.parent);
  const tree = new Set(rows.filter((row) => row.pid === leader || row.group === leader));
  // The loop also visits what is added to the set meanwhile.
  for (const row of tree) for (const child of children.get(row.pid) ?? []) tree.add(child);
  return [...tree];
}

export async function processIds(): Promise<readonly number[]> {
  try {
    return (await readdir("/proc")).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Ended, reaped or not. */
export function isGone(pid: number): boolean {
  const row = processRow(pid);
  return row === undefined || row.state === "Z" || row.state === "X";
}

/** A process that is gone already is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

/** Reaches every process of a group at once, so that none escapes by a fork. */
export const signalGroup = (group: number, signal: NodeJS.Signals): void => signalProcess(-group, signal);
