import { closeSync, fdatasync, fstatSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";

type Sync = (descriptor: number, done: (error: Error | null) => void) => void;

/**
 * Waits for the disk without holding up the process, and once for all who ask while it is busy: whoever calls shares a
 * sync that began after the call.
 */
export class DiskSync implements Disposable {
  readonly #descriptor: number;
  readonly #sync: Sync;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #disposed = false;

  /** @throws what the file system throws when the file is not there. */
  constructor(path: string, sync: Sync = fdatasync) {
    syncDirectory(dirname(path));
    this.#descriptor = openSync(path, "r+");
    this.#sync = sync;
  }

  /** What is written now is gone with this process. A file that was only moved takes it along. */
  get removed(): boolean {
    return fstatSync(this.#descriptor).nlink === 0;
  }

  /** Resolves when everything written to the file before the call is on the disk. */
  async sync(): Promise<void> {
    if (this.#running === undefined) return await this.#start();
    this.#next ??= this.#running.catch(() => undefined).then(() => this.#start());
    await this.#next;
  }

  /** A sync that runs may end; none begins any more. */
  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const close = () => closeSync(this.#descriptor);
    if (this.#running === undefined) close();
    else void this.#running.then(close, close);
  }

  async #start(): Promise<void> {
    this.#next = undefined;
    if (this.#disposed) throw new Error("the file is closed");
    this.#running = new Promise<void>((resolve, reject) => {
      this.#sync(this.#descriptor, (error) => {
        this.#running = undefined;
        if (error) reject(error);
        else resolve();
      });
    });
    await this.#running;
  }
}

/** A file's name must outlive a power cut as well. */
function syncDirectory(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
