import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { Pace } from "../../runtime/pace.ts";
import type { Owner } from "../sandbox/sandbox.ts";
import { readRegular } from "./tree/contents.ts";
import { place, safeSteps } from "./tree/place.ts";
import { type TreeEntry, walk } from "./tree/walk.ts";
import type { FileSource } from "./workspace.ts";

/**
 * Lays a directory and then inline files over a tree, in place of what stands there. Their authors are trusted,
 * the tree is not. @throws Failure `workspace_failed` when the source holds anything but files and directories.
 */
export async function layOver(root: string, source: FileSource, owner: Owner | null): Promise<void> {
  const { dir, files } = source;
  const entries = dir === null ? [] : await walk(dir);
  const pace = new Pace();
  for (const entry of entries) {
    await pace.bytes(entry.size);
    if (dir !== null && entry.kind !== "directory") layFile(root, dir, entry, owner);
  }
  for (const [path, text] of Object.entries(files)) place(root, { path, bytes: text, mode: 0o644 }, owner);
}

/** The paths at which `layOver` puts files. */
export async function overlaidPaths({ dir, files }: FileSource): Promise<readonly string[]> {
  const entries = dir === null ? [] : await walk(dir);
  const laid = entries.filter(({ kind }) => kind !== "directory").map(({ path }) => path);
  return [...laid, ...Object.keys(files).map((path) => safeSteps(path).join("/"))];
}

function layFile(root: string, dir: string, { path, kind, size, mode }: TreeEntry, owner: Owner | null): void {
  const bytes = kind === "file" ? readRegular(dir, path, size) : undefined;
  if (!bytes)
    throw new Failure("workspace_failed", `${join(path)}: is not a regular file; lay files only over a workspace`);
  place(root, { path, bytes, mode: (mode & 0o777) | 0o600 }, owner);
}
