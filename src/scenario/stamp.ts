import { type BigIntStats, lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { MATERIAL_FILES } from "../domain/defaults.ts";

const ABSENT = "absent";

/** Files looked at before others may run. One look is so short that handing it to another thread would cost ten times as much. */
const BATCH = 256;

/** Changes whenever a file is written, replaced or removed; reads no bytes. */
export function fileStamp(path: string): string {
  const stats = statsOf(path);
  return stats === null ? ABSENT : stampOf(stats);
}

/** The same for several files and for everything below directories. */
export async function treeStamp(paths: Iterable<string>): Promise<string> {
  const stamps: string[] = [];
  const pending = [...paths];
  for (let path = pending.pop(); path !== undefined && stamps.length <= MATERIAL_FILES; path = pending.pop()) {
    const stats = statsOf(path);
    stamps.push(`${path} ${stats === null ? ABSENT : stampOf(stats)}`);
    if (stats?.isDirectory()) pending.push(...(await namesIn(path)).map((name) => join(path ?? "", name)));
    if (stamps.length % BATCH === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return stamps.join("\n");
}

function statsOf(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return null;
  }
}

const namesIn = (directory: string) => readdir(directory).catch((): string[] => []);

const stampOf = ({ ino, size, mode, mtimeNs, ctimeNs }: BigIntStats) => [ino, size, mode, mtimeNs, ctimeNs].join(" ");
