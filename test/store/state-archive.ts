import { join } from "node:path";
import { temporaryDirectory } from "../temporary.ts";

/** A state directory that an earlier version left, in a place of its own. */
export function stateOf(archive: string): ReturnType<typeof temporaryDirectory> {
  const directory = temporaryDirectory();
  unpackState(archive, directory.path);
  return directory;
}

/** Lays what an earlier version left into a directory. */
export function unpackState(archive: string, directory: string): void {
  const { success, stderr } = Bun.spawnSync(["tar", "-xzf", join(import.meta.dir, archive), "-C", directory]);
  if (!success) throw new Error(stderr.toString());
}
