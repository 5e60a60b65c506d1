import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemEntropy } from "../clock.ts";
import { UsageError } from "./arguments.ts";

/**
 * A file that appears whole or not at all; a device or a pipe is written to as it is. Tried before anything is spent, so
 * that a path that cannot be written is refused then.
 */
export class OutFile {
  readonly #flag: string;
  readonly #path: string;
  readonly #replaceable: boolean;

  /** @throws UsageError when the path cannot be written. */
  constructor(flag: string, path: string) {
    this.#flag = flag;
    try {
      this.#path = existsSync(path) ? realpathSync(path) : path;
      this.#replaceable = !existsSync(path) || statSync(path).isFile();
      if (existsSync(path) && statSync(path).isDirectory()) throw new UsageError(`--${flag} ${path}: is a directory`);
      if (this.#replaceable) this.#tryDirectory();
      else accessSync(this.#path, constants.W_OK);
    } catch (error) {
      throw error instanceof UsageError ? error : new UsageError(refusal(flag, path, error));
    }
  }

  /** Null, or one line that says why the file is not there. */
  write(text: string): string | null {
    const temporary = this.#temporary();
    try {
      if (this.#replaceable) replace(this.#path, temporary, text);
      else writeFileSync(this.#path, text);
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
  `--${flag} ${path}: cannot be written (${error instanceof Error ? error.message.split(",")[0] : String(error)})`;
