import { chownSync, mkdirSync } from "node:fs";
import { chmod, chown, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MAX_SCRATCH_BYTES } from "./limits.ts";
import type { Mount, Owner, Sandbox, Scratch } from "./sandbox.ts";
import { makeTempDir, removeTree, tempRoot } from "./temp-dir.ts";

/** A place on disk for one program's home. Disposal removes it, whatever the program has left there. */
export interface Home extends AsyncDisposable {
  /** Absolute. Empty, and `owner`'s alone. */
  readonly path: string;
}

/** @param owner who the sandbox runs programs as */
export function makeHome(owner: Owner | null): Home {
  const { shut, inside } = makeShut(owner, ["home"]);
  return { path: join(shut, ...inside), [Symbol.asyncDispose]: () => removeTree(shut) };
}

/**
 * Room on disk for commands that share a home and temporary files. Disposal removes all of it.
 * @param max_bytes of both together
 */
export function makeScratch(owner: Owner | null, max_bytes = MAX_SCRATCH_BYTES): Scratch & AsyncDisposable {
  const { shut } = makeShut(owner, ["home", "tmp"]);
  const paths = { directory: shut, home: join(shut, "home"), tmp: join(shut, "tmp") };
  const disk = { bytes: 0, unmeasured_bytes: 0 };
  return { ...paths, max_bytes, disk, [Symbol.asyncDispose]: () => removeTree(shut) };
}

/** Files for one command. Disposal removes them. */
interface ShownFiles extends AsyncDisposable {
  /** Where the command finds them. */
  readonly path: string;
  readonly mounts: readonly Mount[];
}

/** Shows a command files that it can read and not change, at `at`; without a sandbox, in a directory of their own. */
export async function showFiles(
  { kind, owner }: Pick<Sandbox, "kind" | "owner">,
  at: string,
  files: Readonly<Record<string, string>>,
): Promise<ShownFiles> {
  const { shut } = makeShut(owner, ["files"]);
  const directory = join(shut, "files");
  const dispose = () => removeTree(shut);
  try {
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(directory, name), text, { mode: 0o444 });
      if (owner) await chown(join(directory, name), owner.uid, owner.gid);
    }
    await chmod(directory, 0o555);
  } catch (error) {
    await dispose();
    throw error;
  }
  return kind === "none"
    ? { path: directory, mounts: [], [Symbol.asyncDispose]: dispose }
    : { path: at, mounts: [{ from: directory, to: at }], [Symbol.asyncDispose]: dispose };
}

/** A program may open what it is given to everybody. What is above that stays shut. */
function makeShut(owner: Owner | null, inside: readonly string[]) {
  const shut = makeTempDir(tempRoot(owner));
  for (const name of inside) mkdirSync(join(shut, name), { mode: 0o700 });
  if (owner) for (const name of ["", ...inside]) chownSync(join(shut, name), owner.uid, owner.gid);
  return { shut, inside };
}
