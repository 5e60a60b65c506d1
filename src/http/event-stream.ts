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

/** The head of a response leaves with its first bytes: when no event waits, a comment tells the reader that it is in. */
const OPENING_MS = 10;

const KEEP_ALIVE = new TextEncoder().encode(": keep-alive\n\n");

/** Runs as server-sent events (spec part 6). A frame is encoded once, whatever the number of readers. */
export class EventStreams {
  readonly #frames = new WeakMap<RunEvent, Uint8Array>();
  readonly #pace: Pace;

  constructor(pace: Partial<Pace> = {}) {
    this.#pace = { ...PACE, ...pace };
  }

  open(run: LiveRun): Response {
    const source = new EventSource(run, this.#pace, (event) => this.#frame(event));
    // No queue of its own: the run's log is the queue, so a slow reader costs a position in it and no memory.
    return new Response(new ReadableStream(source, { highWaterMark: 0 }), { headers: EVENT_STREAM_HEADERS });
  }

  #frame(event: RunEvent): Uint8Array {
    const known = this.#frames.get(event);
    if (known) return known;
    const frame = new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);
    this.#frames.set(event, frame);
    return frame;
  }
}

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies of the nginx family buffer a response unless told not to.
  "x-accel-buffering": "no",
};

type Step = IteratorResult<RunEvent, void>;

/** Gives one frame each time the socket has taken the last one. */
class EventSource {
  readonly #events: AsyncGenerator<RunEvent, void, void>;
  readonly #pace: Pace;
  readonly #frame: (event: RunEvent) => Uint8Array;
  #arriving: Promise<Step> | undefined;
  #patience_ms = OPENING_MS;
  #cutOff: ReturnType<typeof setTimeout> | undefined;

  constructor(run: LiveRun, pace: Pace, frame: (event: RunEvent) => Uint8Array) {
    this.#events = run.events();
    this.#pace = pace;
    this.#frame = frame;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    clearTimeout(this.#cutOff);
    this.#arriving ??= this.#events.next();
    const step = await within(this.#arriving, this.#patience_ms);
    this.#patience_ms = this.#pace.keep_alive_ms;
    if (step === undefined) return this.#give(controller, KEEP_ALIVE);
    this.#arriving = undefined;
    if (step.done) return controller.close();
    this.#give(controller, this.#frame(step.value));
  }

  cancel(): void {
    clearTimeout(this.#cutOff);
    void this.#events.return();
  }

  /** What is given is asked for again when the socket has taken it; a reader that stalls does not ask. */
  #give(controller: ReadableStreamDefaultController<Uint8Array>, bytes: Uint8Array): void {
    controller.enqueue(bytes);
    this.#cutOff = setTimeout(() => {
      controller.error(new Error("the reader of the stream stalled"));
      void this.#events.return();
    }, this.#pace.stalled_ms);
  }
}

/** The value, or undefined when it takes longer. */
async function within<T>(value: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms);
  try {
    return await Promise.race([value, promise]);
  } finally {
    clearTimeout(timer);
  }
}
