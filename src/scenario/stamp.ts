import { type BigIntStats, lstatSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { MATERIAL_FILES } from "../domain/defaults.ts";

const ABSENT = "absent";

/** Files looked at before others may run. One look is so short that handing it to another thread would cost ten times as much. */
const BATCH = 256;

/** Files and directories looked at: those of the largest fixture, were each of its files in a directory of its own. */
const MOST = 2 * MATERIAL_FILES;

/** Changes whenever a file, or the file that a link leads to, is written, replaced or removed; reads no bytes. */
export function fileStamp(path: string): string {
  return stampOf(path, statsOf(lstatSync, path));
}

/**
 * The same for several files and for everything below directories. Undefined when that is too much to look at: what was not
 * seen may have changed.
 */
export async function treeStamp(paths: Iterable<string>, most = MOST): Promise<string | undefined> {
  const stamps: string[] = [];
  const pending = [...paths];
  for (const path of pending) {
    if (stamps.length === most) return undefined;
    const stats = statsOf(lstatSync, path);
    stamps.push(`${path} ${stampOf(path, stats)}`);
    if (stats?.isDirectory()) for (const name of await namesIn(path)) pending.push(join(path, name));
    if (stamps.length % BATCH === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return stamps.join("\n");
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

function stampOf(path: string, stats: BigIntStats | null): string {
  if (stats === null) return ABSENT;
  return stats.isSymbolicLink() ? `${inWords(stats)} ${inWords(statsOf(statSync, path))}` : inWords(stats);
}

const inWords = (stats: BigIntStats | null) =>
  stats === null ? ABSENT : [stats.ino, stats.size, stats.mode, stats.mtimeNs, stats.ctimeNs].join(" ");
