import { closeSync, fdatasync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Waits for the disk without holding up the process, and once for all who ask while it is busy: whoever calls shares a
 * sync that began after the call.
 */
export class DiskSync implements Disposable {
  readonly #file: number;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @throws what the file system throws when the file is not there. */
  constructor(path: string) {
    this.#file = openSync(path, "r+");
    // The file's name must outlive a power cut as well.
    const directory = openSync(dirname(path), "r");
    fsyncSync(directory);
    closeSync(directory);
  }

  /** Resolves when everything written to the file before the call is on the disk. */
  async sync(): Promise<void> {
    if (this.#running === undefined) return await this.#start();
    this.#next ??= this.#running.catch(() => undefined).then(() => this.#start());
    await this.#next;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #start(): Promise<void> {
    this.#next = undefined;
    const running = new Promise<void>((resolve, reject) => {
      fdatasync(this.#file, (error) => {
        this.#running = undefined;
        if (error) reject(error);
        else resolve();
      });
    });
    this.#running = running;
    return running;
  }
}
