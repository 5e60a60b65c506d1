import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemEntropy } from "../clock.ts";
import { UsageError } from "./arguments.ts";

/**
 * A file that appears whole or not at all. Opened before anything is spent, so that a path that cannot be written is
 * refused then; without `write` nothing is left behind.
 * @throws UsageError when the path cannot be written.
 */
export class OutFile implements Disposable {
  readonly #path: string;
  readonly #temporary: string;
  #descriptor: number | undefined;

  constructor(flag: string, path: string) {
    this.#path = path;
    if (existsSync(path) && statSync(path).isDirectory()) throw new UsageError(`--${flag} ${path}: is a directory`);
    this.#temporary = join(dirname(path), `.${basename(path)}.${systemEntropy(4)}.tmp`);
    try {
      this.#descriptor = openSync(this.#temporary, "wx", 0o644);
    } catch (error) {
      const reason = error instanceof Error ? error.message.split(",")[0] : String(error);
      throw new UsageError(`--${flag} ${path}: cannot be written (${reason})`);
    }
  }

  write(text: string): void {
    if (this.#descriptor === undefined) return;
    writeFileSync(this.#descriptor, text);
    fsyncSync(this.#descriptor);
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    renameSync(this.#temporary, this.#path);
  }

  [Symbol.dispose](): void {
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    rmSync(this.#temporary, { force: true });
  }
}
