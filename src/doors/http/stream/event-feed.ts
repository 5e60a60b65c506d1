import type { Announcement } from "../../operation/follow-run.ts";

/** What is announced, from its start to its end or until the signal fires. */
export type Follow = (signal: AbortSignal) => AsyncIterable<Announcement>;

/** An announcement as it is sent. Its bytes end with an empty line and do not say its id. */
export interface Frame extends Pick<Announcement, "n" | "attempt"> {
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();

/** What is announced, as frames. */
export abstract class Feed {
  readonly #stop = new AbortController();
  readonly #wakes = new Set<() => void>();
  #end: { readonly error?: unknown } | undefined;

  constructor(follow: Follow) {
    this.#read(follow).then(
      () => this.#close({}),
      (error: unknown) => this.#close({ error }),
    );
  }

  /** Why there will be no more frames; undefined while there may be. */
  get end(): { readonly error?: unknown } | undefined {
    return this.#end;
  }

  /** Nobody reads it. */
  get forsaken(): boolean {
    return this.#wakes.size === 0;
  }

  /** Calls `wake` after each frame and at the end, until the returned function is called. */
  watch(wake: () => void): () => void {
    this.#wakes.add(wake);
    return () => void this.#wakes.delete(wake);
  }

  /** Undefined when it is not there yet. `place` never goes back. */
  abstract frame(place: number): Frame | undefined;

  /** Resolves when there is room for the next. */
  protected abstract keep(frame: Frame): Promise<void> | undefined;

  stop(): void {
    this.#stop.abort();
  }

  async #read(follow: Follow): Promise<void> {
    for await (const { n, attempt, event } of follow(this.#stop.signal)) {
      // It may have had another at hand, for which nobody would make room.
      if (this.#stop.signal.aborted) return;
      const room = this.keep({ n, attempt, bytes: encoder.encode(`data: ${JSON.stringify(event)}\n\n`) });
      this.#wake();
      await room;
    }
  }

  #close(end: { readonly error?: unknown }): void {
    this.#end = end;
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }
}

/** Read and encoded once for all its readers, also for those that come late. */
export class SharedFeed extends Feed {
  readonly #frames: Frame[] = [];

  frame(place: number): Frame | undefined {
    return this.#frames[place];
  }

  protected keep(frame: Frame): undefined {
    this.#frames.push(frame);
  }
}

/** For one reader: it holds the frame that waits for it, and no other. */
export class OwnFeed extends Feed {
  #place = 0;
  #frame: Frame | undefined;
  #room = Promise.withResolvers<void>();

  frame(place: number): Frame | undefined {
    if (place > this.#place) {
      this.#place = place;
      this.#frame = undefined;
      this.#room.resolve();
    }
    return this.#frame;
  }

  protected keep(frame: Frame): Promise<void> {
    this.#frame = frame;
    this.#room = Promise.withResolvers();
    return this.#room.promise;
  }

  override stop(): void {
    super.stop();
    this.#room.resolve();
  }
}
