import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "./remove-tree.ts";
import type { Owner } from "./sandbox.ts";
import { makeTempDir, tempRoot } from "./temp-dir.ts";

/** A place on disk for one program's home. Disposal removes it, whatever the program has left there. */
export interface Home extends AsyncDisposable {
  /** Absolute. Empty, and `owner`'s alone. */
  readonly path: string;
}

/** @param owner who the sandbox runs programs as */
export function makeHome(owner: Owner | null): Home {
  // The program may open its home to everybody. What is above it stays shut.
  const shut = makeTempDir(tempRoot(owner));
  const path = join(shut, "home");
  mkdirSync(path, { mode: 0o700 });
  if (owner) for (const directory of [path, shut]) chownSync(directory, owner.uid, owner.gid);
  return { path, [Symbol.asyncDispose]: () => removeTree(shut) };
}
