import { constants, copyFileSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A copy of root's own executable where an unprivileged user can run it, made once for each version of it.
 * The directory has a fixed name in a place that everybody may write, so one that is not ours is never used.
 */
export function publicCopy(executable: string): string {
  const { size, mtimeMs } = statSync(executable);
  const directory = ownDirectory(join("/tmp", "abeval-runtime"));
  const copy = join(directory, `abeval-${size}-${Math.round(mtimeMs)}`);
  if (lstatSync(copy, { throwIfNoEntry: false })?.size === size) return copy;
  const draft = mkdtempSync(join(directory, "draft-"));
  copyFileSync(executable, join(draft, "abeval"), constants.COPYFILE_FICLONE);
  renameSync(join(draft, "abeval"), copy);
  rmSync(draft, { recursive: true });
  return copy;
}

function ownDirectory(path: string): string {
  try {
    mkdirSync(path, { mode: 0o755 });
  } catch (error) {
    // biome-ignore format: one reason, one line.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // node's own errors carry a code
  }
  const { uid, mode } = lstatSync(path);
  const ours = lstatSync(path).isDirectory() && uid === process.geteuid?.() && (mode & 0o022) === 0;
  return ours ? path : mkdtempSync(join(tmpdir(), "abeval-runtime-"));
}
