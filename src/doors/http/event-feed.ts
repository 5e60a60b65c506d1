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

/** How long a stream may be silent. */
export interface StreamTimes {
  /** Milliseconds between comment lines while nothing happens. */
  readonly keep_alive_ms: number;
  /** Milliseconds that a reader may take nothing while something waits for it. */
  readonly stalled_ms: number;
}

export interface ReaderOptions {
  /** The id of the last event that the reader has, `<attempt>.<n>`. What is no such id is taken as none. */
  readonly after?: string | undefined;
  /** Whether events carry their ids. */
  readonly ids: boolean;
  /** Called at the end with the seconds that the connection may be silent from then on. */
  idleTimeout(seconds: number): void;
}

interface Readership {
  /** The reader went, or was sent away. */
  readonly left: () => void;
  /** The reader has all frames. Whether its socket takes the last one can no longer be seen. */
  readonly ended: () => void;
}

/** Gives one frame each time the socket has taken the last one. */
export class EventReader {
  readonly #feed: Feed;
  readonly #options: ReaderOptions;
  readonly #readership: Readership;
  readonly #unwatch: () => void;
  /** The reader has the log up to this place. */
  readonly #after: number;
  #place = 0;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #opened = false;
  /** The socket has taken everything and asks for more. */
  #asks = false;
  /** Checks since it last took or asked for something. */
  #checks = 0;

  constructor(feed: Feed, options: ReaderOptions, readership: Readership) {
    this.#feed = feed;
    this.#options = options;
    this.#readership = readership;
    this.#after = Number(/^\d+\.(\d+)$/.exec(options.after ?? "")?.[1] ?? 0);
    this.#unwatch = feed.watch(this.#next);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  pull(): void {
    this.#checks = 0;
    this.#asks = true;
    // A thousand who took the last frame would take all that came since in one turn.
    if (!this.#feed.later(this.#next)) this.#next();
    if (this.#opened) return;
    // The head of a response leaves with its first bytes: a reader for whom nothing waits learns that it is in.
    setImmediate(() => {
      if (this.#asks && !this.#opened) this.#give(KEEP_ALIVE);
    });
  }

  cancel(): void {
    this.#leave();
  }

  /** Ends the stream after what the reader has. */
  close(): void {
    this.#leave();
    this.#controller?.close();
  }

  check(check_ms: number, { keep_alive_ms, stalled_ms }: StreamTimes): void {
    // The first check may come right after the last sign of life.
    const quiet_ms = this.#checks * check_ms;
    this.#checks += 1;
    if (this.#asks) {
      if (quiet_ms >= keep_alive_ms) this.#give(KEEP_ALIVE);
    } else if (quiet_ms >= stalled_ms) {
      this.#leave();
      this.#controller?.error(new Error("the reader of the stream stalled"));
    }
  }

  readonly #next = (): void => {
    const frame = this.#asks ? this.#frame() : undefined;
    if (frame) {
      this.#place += 1;
      this.#give(this.#options.ids ? withId(frame) : frame.bytes);
    }
    // The end is sent unasked, so that it leaves together with the last frame.
    const { end } = this.#feed;
    if (end === undefined || this.#frame() !== undefined) return;
    this.#leave();
    // Before the end: of a request that is answered the runtime forgets whose connection it was.
    this.#readership.ended();
    if (end.error === undefined) this.#controller?.close();
    else this.#controller?.error(end.error);
  };

  /** The next that the reader does not have. */
  #frame(): Frame | undefined {
    // The end of the frames is never passed: an id of 400 digits makes `#after` infinite.
    while ((this.#feed.frame(this.#place)?.n ?? Number.NaN) <= this.#after) this.#place += 1;
    return this.#feed.frame(this.#place);
  }

  #leave(): void {
    this.#asks = false;
    this.#unwatch();
    this.#readership.left();
  }

  /** The socket asks again after it has taken the bytes. A stalled reader does not ask. */
  #give(bytes: Uint8Array): void {
    this.#opened = true;
    this.#asks = false;
    this.#checks = 0;
    this.#controller?.enqueue(bytes);
  }
}

const encode = (text: string) => encoder.encode(text);

const KEEP_ALIVE = encode(": keep-alive\n\n");

const withId = ({ n, attempt, bytes }: Frame) => Buffer.concat([encode(`id: ${attempt}.${n}\n`), bytes]);
