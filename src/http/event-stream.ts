import { KEEP_ALIVE_MS, STALLED_READER_MS } from "../domain/defaults.ts";
import type { RunEvent } from "../domain/event.ts";
import type { LiveRun } from "../stream/live-runs.ts";

export interface Pace {
  /** Milliseconds between comment lines while nothing happens. */
  readonly keep_alive_ms: number;
  /** Milliseconds that a reader may take nothing while something waits for it. */
  readonly stalled_ms: number;
}

const PACE: Pace = { keep_alive_ms: KEEP_ALIVE_MS, stalled_ms: STALLED_READER_MS };

/** How often readers are looked after within the shorter of both times; so much later may come what is due. */
const LOOKS = 15;

/**
 * Readers after whose arrival what they left behind is collected, beside the event loop. Of a thousand who come at once
 * the collector would else stop everyone, for 10 ms and right in the first event for all of them.
 */
const CROWD = 500;

const KEEP_ALIVE = new TextEncoder().encode(": keep-alive\n\n");

/** Runs as server-sent events (spec part 6). A frame is encoded once, whatever the number of readers. */
export class EventStreams {
  readonly #frames = new WeakMap<RunEvent, Uint8Array>();
  readonly #readers = new Set<Reader>();
  readonly #pace: Pace;
  readonly #look_ms: number;
  #arrived = 0;
  /** One for all: two timers for each frame of each reader cost more than the frames. */
  #timer: Timer | undefined;

  constructor(pace: Partial<Pace> = {}) {
    this.#pace = { ...PACE, ...pace };
    this.#look_ms = Math.ceil(Math.min(this.#pace.keep_alive_ms, this.#pace.stalled_ms) / LOOKS);
  }

  /** `idleTimeout` is told for how many seconds the connection may be silent when all is said. */
  open(run: LiveRun, idleTimeout: (seconds: number) => void): Response {
    const source: Reader = new Reader(run, {
      frame: this.#frame,
      left: () => this.#forget(source),
      said: () => idleTimeout(Math.ceil(this.#pace.stalled_ms / 1000)),
    });
    this.#readers.add(source);
    this.#arrived += 1;
    if (this.#arrived % CROWD === 0) Bun.gc(false);
    // A program that was told to stop need not wait for the next look.
    this.#timer ??= setInterval(() => this.#look(), this.#look_ms).unref();
    // No queue of its own: the run's log is the queue, so a slow reader costs a position in it and no memory.
    return new Response(new ReadableStream(source, { highWaterMark: 0 }), { headers: EVENT_STREAM_HEADERS });
  }

  #look(): void {
    for (const reader of this.#readers) reader.look(this.#look_ms, this.#pace);
  }

  #forget(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #frame = (event: RunEvent): Uint8Array => {
    const known = this.#frames.get(event);
    if (known) return known;
    const frame = new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);
    this.#frames.set(event, frame);
    return frame;
  };
}

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies of the nginx family buffer a response unless told not to.
  "x-accel-buffering": "no",
};

interface Readership {
  readonly frame: (event: RunEvent) => Uint8Array;
  /** The reader went, or was sent away. */
  readonly left: () => void;
  /** There is no more for it: from now on nobody here sees whether its socket takes the last of it. */
  readonly said: () => void;
}

/** Gives one frame each time the socket has taken the last one. */
class Reader {
  readonly #run: LiveRun;
  readonly #readership: Readership;
  readonly #unwatch: () => void;
  #position = 0;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #opened = false;
  /** The socket has taken everything and asks for more. */
  #asks = false;
  /** Looks since it last took or asked for something. */
  #looks = 0;

  constructor(run: LiveRun, readership: Readership) {
    this.#run = run;
    this.#readership = readership;
    this.#unwatch = run.watch(() => this.#feed());
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  pull(): void {
    this.#looks = 0;
    this.#asks = true;
    this.#feed();
    // The head of a response leaves with its first bytes: a reader for whom nothing waits learns that it is in.
    if (this.#asks && !this.#opened) this.#give(KEEP_ALIVE);
  }

  cancel(): void {
    this.#leave();
  }

  look(look_ms: number, { keep_alive_ms, stalled_ms }: Pace): void {
    // The first look may come right after the last sign of life.
    const quiet_ms = this.#looks * look_ms;
    this.#looks += 1;
    if (this.#asks) {
      if (quiet_ms >= keep_alive_ms) this.#give(KEEP_ALIVE);
    } else if (quiet_ms >= stalled_ms) {
      this.#leave();
      this.#controller?.error(new Error("the reader of the stream stalled"));
    }
  }

  #feed(): void {
    const event = this.#asks ? this.#run.at(this.#position) : undefined;
    if (event) {
      this.#position += 1;
      this.#give(this.#readership.frame(event));
    }
    // Without waiting to be asked: the end then leaves together with the last frame.
    if (this.#run.ended && this.#run.at(this.#position) === undefined) {
      this.#leave();
      // Before the end: of a request that is answered the runtime forgets whose connection it was.
      this.#readership.said();
      this.#controller?.close();
    }
  }

  #leave(): void {
    this.#unwatch();
    this.#readership.left();
  }

  /** What is given is asked for again when the socket has taken it; a reader that stalls does not ask. */
  #give(bytes: Uint8Array): void {
    this.#opened = true;
    this.#asks = false;
    this.#looks = 0;
    this.#controller?.enqueue(bytes);
  }
}
