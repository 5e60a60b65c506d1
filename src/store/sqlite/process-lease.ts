import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode, Failure } from "../../domain/failure.ts";
import { Database } from "./database.ts";

/**
 * Says which process a session belongs to: each holds an exclusive lock on a small database of its own for as long as it
 * lives. The lock goes with the process, however it dies, and cannot be confused by a reused process id.
 */
export class ProcessLease implements Disposable {
  readonly id: string;
  readonly #directory: string;
  readonly #lock: Database;

  constructor(stateDir: string, id: string) {
    this.id = id;
    this.#directory = ownersDirectory(stateDir);
    makeOwnDirectory(this.#directory);
    this.#lock = new Database(join(this.#directory, `${id}.db`), { create: true });
    this.#lock.run("BEGIN EXCLUSIVE");
  }

  /** A path for a temporary file that a later start removes if this process dies. */
  temporary(name: string): string {
    return join(this.#directory, `${this.id}~${name}`);
  }

  isAlive(id: string): boolean {
    return id === this.id || isLocked(join(this.#directory, `${id}.db`));
  }

  /** Removes what dead owners left behind. What is no file, or is named otherwise, is not ours. */
  sweep(): void {
    const files = readdirSync(this.#directory, { withFileTypes: true }).filter((entry) => entry.isFile());
    const ours = Map.groupBy(files, ({ name }) => /^(\w+)[~.]/.exec(name)?.[1]);
    for (const [owner, left] of ours) {
      if (owner === undefined || this.isAlive(owner)) continue;
      for (const { name } of left) rmSync(join(this.#directory, name), { force: true });
    }
  }

  [Symbol.dispose](): void {
    this.#lock.close();
    // Somebody may have moved the state directory meanwhile: then its next start sweeps.
    for (const name of existsSync(this.#directory) ? readdirSync(this.#directory) : [])
      if (name.startsWith(this.id)) rmSync(join(this.#directory, name), { force: true });
  }
}

const ownersDirectory = (stateDir: string) => join(stateDir, ".owners");

/** Whether a process that lives has the state directory open. */
export function isInUse(stateDir: string): boolean {
  const directory = ownersDirectory(stateDir);
  if (!existsSync(directory)) return false;
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.some(({ name }) => isLocked(join(directory, name)));
}

function isLocked(path: string): boolean {
  try {
    using lock = new Database(path, { readwrite: true, create: false });
    lock.run("PRAGMA busy_timeout = 0");
    lock.run("BEGIN EXCLUSIVE");
    return false;
  } catch (error) {
    return errorCode(error)?.startsWith("SQLITE_BUSY") === true;
  }
}

/**
 * Makes a directory of ours inside the state directory. One that is a link is refused: what is written into it, or swept
 * from it, would lie in a place that nobody gave us.
 * @throws Failure `storage_failed`
 */
export function makeOwnDirectory(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Failure(
      "storage_failed",
      `${path}: is a link; put a directory in its place, or link the whole state directory`,
    );
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
