import { type BigIntStats, lstatSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { MATERIAL_FILES } from "../domain/defaults.ts";

const ABSENT = "absent";

/** Files looked at before others may run. One look is too short to be handed to another thread, which costs ten times as much. */
const BATCH = 256;

/** Files and directories looked at: those of the largest fixture if each of its files had a directory of its own. */
const MOST = 2 * MATERIAL_FILES;

/** Changes whenever a file, or the file that a link leads to, is written, replaced or removed; reads no bytes. */
export const fileFingerprint = (path: string): string => fingerprintOf(path, statsOf(lstatSync, path));

/**
 * The same for several files and for everything below directories. Undefined when there are more than `most`: a change
 * could hide in what was not looked at.
 */
export async function treeFingerprint(paths: Iterable<string>, most = MOST): Promise<string | undefined> {
  const lines: string[] = [];
  const pending = [...paths];
  for (const path of pending) {
    if (lines.length === most) return undefined;
    const stats = statsOf(lstatSync, path);
    lines.push(`${path} ${fingerprintOf(path, stats)}`);
    if (stats?.isDirectory()) for (const name of await namesIn(path)) pending.push(join(path, name));
    if (lines.length % BATCH === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return lines.join("\n");
}

type Look = (path: string, options: { bigint: true }) => BigIntStats;

function statsOf(look: Look, path: string): BigIntStats | null {
  try {
    return look(path, { bigint: true });
  } catch {
    return null;
  }
}

const namesIn = (directory: string) => readdir(directory).catch((): string[] => []);

function fingerprintOf(path: string, stats: BigIntStats | null): string {
  return stats?.isSymbolicLink() ? `${traces(stats)} ${traces(statsOf(statSync, path))}` : traces(stats);
}

/** What a change leaves behind. A program that puts mtime back cannot put ctime back. */
const traces = (stats: BigIntStats | null) =>
  stats === null ? ABSENT : [stats.ino, stats.size, stats.mode, stats.mtimeNs, stats.ctimeNs].join(" ");
