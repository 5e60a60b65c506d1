import type { RunEvent } from "../../domain/event.ts";
import { wholeJson } from "../../domain/whole-json.ts";
import { ownTurn } from "../../runtime/pace.ts";
import type { Announcement } from "../operation/follow-run.ts";

/** What is announced, from its start to its end or until the signal fires. */
export type Follow = (signal: AbortSignal) => AsyncIterable<Announcement>;

/** An announcement as it is sent. Its bytes end with an empty line and do not say its id. */
interface Frame extends Pick<Announcement, "n" | "attempt"> {
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();

/** Frames of events that several feeds have. */
const encoded = new WeakMap<RunEvent, Uint8Array>();

function bytesOf(event: RunEvent): Uint8Array {
  const bytes = encoded.get(event) ?? encoder.encode(`data: ${wholeJson(event)}\n\n`);
  encoded.set(event, bytes);
  return bytes;
}

/** Readers that are told of a frame in one turn: some milliseconds. */
const TURN_READERS = 50;

/** What is announced, as frames. */
export abstract class Feed {
  readonly #stop = new AbortController();
  readonly #wakes = new Set<() => void>();
  /** Those that are still to be called. */
  readonly #due = new Set<() => void>();
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

  /** Whether the feed has no reader. */
  get forsaken(): boolean {
    return this.#wakes.size === 0;
  }

  /** Calls `wake` after each frame and at the end, until the returned function is called. */
  watch(wake: () => void): () => void {
    this.#wakes.add(wake);
    return () => {
      this.#wakes.delete(wake);
      this.#due.delete(wake);
    };
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
      const room = this.keep({ n, attempt, bytes: bytesOf(event) });
      this.#wake();
      await room;
    }
  }

  #close(end: { readonly error?: unknown }): void {
    this.#end = end;
    this.#wake();
  }

  #wake(): void {
    const isUnderWay = this.#due.size > 0;
    for (const wake of this.#wakes) this.#due.add(wake);
    if (!isUnderWay) void this.#wakeInTurns();
  }

  /** Calls it in its turn while others are told of a frame. False: nobody is. */
  later(wake: () => void): boolean {
    if (this.#due.size > 0) this.#due.add(wake);
    return this.#due.size > 0;
  }

  async #wakeInTurns(): Promise<void> {
    let called = 0;
    for (const wake of this.#due) {
      if (called > 0 && called % TURN_READERS === 0) await ownTurn();
      // It may have left meanwhile.
      if (this.#due.delete(wake)) wake();
      called += 1;
    }
  }
}

/** A feed that is read and encoded once for all its readers, including late ones. */
export class SharedFeed extends Feed {
  readonly #frames: Frame[] = [];

  frame(place: number): Frame | undefined {
    return this.#frames[place];
  }

  protected keep(frame: Frame): undefined {
    this.#frames.push(frame);
  }
}

/** A feed for one reader holds only the frame that the reader takes next. */
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
