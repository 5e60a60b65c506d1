import { lstatSync, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { isOutOfReach } from "./io-failure.ts";

/** Bytes of a directory itself above which it is read in slices: it may hold 20,000 names. */
const LARGE_DIRECTORY_BYTES = 256 * 1024;

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
    // Without the program the names of a large directory arrive all at once.
    return (
      (await namesInSlices(find, directory.toString(), limit)) ?? (await readdir(directory, { encoding: "buffer" }))
    );
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
    return [];
  }
}

/**
 * Another process reads, so that neither time nor memory goes beyond what is taken from it. Undefined when it could not be
 * started or broke off: part of the names must not pass for all.
 */
async function namesInSlices(find: string, directory: string, limit: number): Promise<readonly Buffer[] | undefined> {
  const child = started([find, ".", "-mindepth", "1", "-maxdepth", "1", "-print0"], directory);
  if (!child) return undefined;
  const names: Buffer[] = [];
  let rest = Buffer.alloc(0);
  for await (const chunk of child.stdout) {
    const text = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = text.indexOf(0); end !== -1; end = text.indexOf(0, from)) {
      // Each name is printed behind `./`.
      names.push(text.subarray(from + 2, end));
      from = end + 1;
    }
    rest = text.subarray(from);
    if (names.length > limit) break;
  }
  if (names.length <= limit) return (await child.exited) === 0 ? names : undefined;
  child.kill("SIGKILL");
  await child.exited;
  return names;
}

function started(command: string[], cwd: string) {
  try {
    return Bun.spawn(command, { cwd, env: {}, stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}
