import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode, wordsOf } from "../../../domain/failure.ts";
import { systemEntropy } from "../../../runtime/clock.ts";
import { UsageError } from "../flags/arguments.ts";

/**
 * A file that appears whole or not at all. A device or a pipe is written to directly. Opened before anything is spent, so
 * that a path that cannot be written is refused in time.
 */
export class OutFile {
  readonly #flag: string;
  readonly #path: string;
  /** Open from the start for a pipe or device, so that a reader that leaves is noticed. */
  readonly #stream: number | undefined;

  /** @throws UsageError when the path cannot be written. */
  constructor(flag: string, path: string) {
    this.#flag = flag;
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.isDirectory()) throw new UsageError(`--${flag} ${path}: is a directory`);
      const replaceable = stats === undefined || stats.isFile();
      this.#path = stats?.isFile() ? realpathSync(path) : path;
      this.#stream = replaceable ? undefined : openStream(path);
      if (replaceable) this.#tryDirectory();
    } catch (error) {
      throw error instanceof UsageError ? error : new UsageError(refusal(flag, path, error));
    }
  }

  /** Identifies the file, however its path is written. Undefined for a device or a pipe, which several flags may share. */
  get place(): string | undefined {
    return this.#stream === undefined ? join(realpathSync(dirname(this.#path)), basename(this.#path)) : undefined;
  }

  /** Null, or one line that says why the file was not written. */
  write(text: string): string | null {
    const temporary = this.#temporary();
    try {
      if (this.#stream === undefined) replace(this.#path, temporary, text);
      else writeFileSync(this.#stream, text);
      return null;
    } catch (error) {
      rmSync(temporary, { force: true });
      return refusal(this.#flag, this.#path, error);
    }
  }

  #tryDirectory(): void {
    const temporary = this.#temporary();
    closeSync(openSync(temporary, "wx"));
    rmSync(temporary, { force: true });
  }

  #temporary = () => join(dirname(this.#path), `.${basename(this.#path)}.${systemEntropy(4)}.tmp`);
}

/** A pipe without a reader fails at once when opened without waiting. */
function openStream(path: string): number {
  const probe = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    return openSync(path, constants.O_WRONLY);
  } finally {
    closeSync(probe);
  }
}

function replace(path: string, temporary: string, text: string): void {
  const file = openSync(temporary, "wx", 0o644);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

const refusal = (flag: string, path: string, error: unknown) =>
  `--${flag} ${path}: cannot be written (${isUnread(error) ? "nobody reads from it" : firstWords(error)})`;

const isUnread = (error: unknown) => errorCode(error) === "ENXIO";

const firstWords = (error: unknown) => wordsOf(error).split(",")[0];
