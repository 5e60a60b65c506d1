import type { BigIntStats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { MATERIAL_FILES } from "../domain/defaults.ts";

const ABSENT = "absent";

/** Changes whenever a file is written, replaced or removed; reads no bytes. */
export async function fileStamp(path: string): Promise<string> {
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  return stats === null ? ABSENT : stampOf(stats);
}

/** The same for several files and for everything below directories. */
export async function treeStamp(paths: Iterable<string>): Promise<string> {
  const stamps: string[] = [];
  const pending = [...paths];
  for (let path = pending.pop(); path !== undefined && stamps.length <= MATERIAL_FILES; path = pending.pop()) {
    const stats = await lstat(path, { bigint: true }).catch(() => null);
    stamps.push(`${path} ${stats === null ? ABSENT : stampOf(stats)}`);
    if (stats?.isDirectory()) pending.push(...(await namesIn(path)).map((name) => join(path ?? "", name)));
  }
  return stamps.join("\n");
}

const namesIn = (directory: string) => readdir(directory).catch((): string[] => []);

const stampOf = ({ ino, size, mode, mtimeNs, ctimeNs }: BigIntStats) => [ino, size, mode, mtimeNs, ctimeNs].join(" ");
