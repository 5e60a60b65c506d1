import { spawn } from "node:child_process";
import { lstatSync, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { exitOf } from "../../../runtime/exit-of.ts";
import { lines } from "../../../runtime/lines.ts";
import { isOutOfReach } from "../io-failure.ts";

/** Bytes of a directory's own list of names. A longer one is read in slices: it may hold 20,000 names. */
const LARGE_DIRECTORY_BYTES = 256 * 1024;

/** No file system has longer names. */
const NAME_BYTES = 4_096;

const FIND = "/usr/bin/find";

/** What a directory holds, in no order; nothing when it cannot be read. Stops after `limit` names. */
export async function readNames(
  directory: string | Buffer,
  limit: number,
  find: string = FIND,
): Promise<readonly Buffer[]> {
  try {
    if ((lstatSync(directory, { throwIfNoEntry: false })?.size ?? 0) <= LARGE_DIRECTORY_BYTES)
      return readdirSync(directory, { encoding: "buffer" });
    // Bun and Node read the names of a large directory all at once, so a program reads them.
    return (
      (await namesInSlices(find, directory.toString(), limit)) ?? (await readdir(directory, { encoding: "buffer" }))
    );
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
    return [];
  }
}

/**
 * Another process reads the directory, and this one takes as many names as it wants. Undefined when that process could
 * not be started or broke off: a part of the names must not pass for all.
 */
async function namesInSlices(find: string, directory: string, limit: number): Promise<readonly Buffer[] | undefined> {
  const options = [".", "-mindepth", "1", "-maxdepth", "1", "-print0"];
  const child = spawn(find, options, { cwd: directory, env: {}, stdio: ["ignore", "pipe", "ignore"] });
  const ended = exitOf(child).catch(() => undefined);
  const names = await namesFrom(child.stdout, limit).catch(() => []);
  const isWhole = names.length <= limit;
  if (!isWhole) child.kill("SIGKILL");
  const status = await ended;
  return isWhole && status !== 0 ? undefined : names;
}

/** Names, each printed behind `./` and before a NUL; stops after `limit`. */
async function namesFrom(printed: AsyncIterable<Buffer>, limit: number): Promise<readonly Buffer[]> {
  const names: Buffer[] = [];
  for await (const name of lines(printed, NAME_BYTES, () => undefined, "NUL")) {
    names.push(Buffer.from(name.subarray(2)));
    if (names.length > limit) break;
  }
  return names;
}
