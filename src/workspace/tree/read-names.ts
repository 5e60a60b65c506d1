import { existsSync, lstatSync, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { isOutOfReach } from "./io-failure.ts";

/** Bytes of a directory itself above which it is read in slices: it may hold 20,000 names. */
const LARGE_DIRECTORY_BYTES = 256 * 1024;

const FIND = "/usr/bin/find";

/** What a directory holds, in no order; nothing when it cannot be read. Stops after `limit` names. */
export async function readNames(directory: string | Buffer, limit: number): Promise<readonly Buffer[]> {
  try {
    if ((lstatSync(directory, { throwIfNoEntry: false })?.size ?? 0) <= LARGE_DIRECTORY_BYTES)
      return readdirSync(directory, { encoding: "buffer" });
    // Without it the names of a large directory arrive all at once.
    return existsSync(FIND)
      ? await namesInSlices(directory.toString(), limit)
      : await readdir(directory, { encoding: "buffer" });
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
    return [];
  }
}

/** Another process reads, so that neither time nor memory goes beyond what is taken from it. */
async function namesInSlices(directory: string, limit: number): Promise<readonly Buffer[]> {
  const command = [FIND, ".", "-mindepth", "1", "-maxdepth", "1", "-print0"];
  const child = Bun.spawn(command, { cwd: directory, env: {}, stdio: ["ignore", "pipe", "ignore"] });
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
  child.kill("SIGKILL");
  await child.exited;
  return names;
}
