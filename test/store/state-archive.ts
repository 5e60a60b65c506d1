import { join } from "node:path";
import { temporaryDirectory } from "../temporary.ts";

/** A state directory that an earlier version left, in a place of its own. */
export function stateOf(archive: string): ReturnType<typeof temporaryDirectory> {
  const directory = temporaryDirectory();
  const { success, stderr } = Bun.spawnSync(["tar", "-xzf", join(import.meta.dir, archive), "-C", directory.path]);
  if (!success) throw new Error(stderr.toString());
  return directory;
}
