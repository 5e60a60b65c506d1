import type { Feed } from "./event-feed.ts";

type Frame = NonNullable<ReturnType<Feed["frame"]>>;

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

const encoder = new TextEncoder();

const KEEP_ALIVE = encoder.encode(": keep-alive\n\n");

const withId = ({ n, attempt, bytes }: Frame) => Buffer.concat([encoder.encode(`id: ${attempt}.${n}\n`), bytes]);
