import { Failure } from "../../domain/failure.ts";
import { type Feed, type Follow, OwnFeed, SharedFeed } from "./event-feed.ts";
import { EventReader, type ReaderOptions, type StreamTimes } from "./event-reader.ts";

/** Milliseconds between comment lines of an event stream, short enough that proxies do not close it as idle. */
const KEEP_ALIVE_MS = 15_000;

/** Milliseconds for which a reader of an event stream may read nothing while data waits. */
const STALLED_READER_MS = 30_000;

const PACE: StreamTimes = { keep_alive_ms: KEEP_ALIVE_MS, stalled_ms: STALLED_READER_MS };

/** Most readers in all. Readers of one session share what is read: a thousand take some 30 MB. */
const MAX_READERS = 4_000;

/** Most readers that share nothing: a hundred take some 30 MB. */
const MAX_ALONE = 200;

/** Checks of all readers within the shorter of both times. A keep-alive or a cut may come one check late. */
const CHECKS = 15;

/** Sessions and series as server-sent events. */
export class EventStreams {
  readonly #feeds = new Map<string, Feed>();
  readonly #readers = new Set<EventReader>();
  #alone = 0;
  #closed = false;
  readonly #pace: StreamTimes;
  readonly #check_ms: number;
  /** One timer serves all readers: two timers for each frame of each reader would cost more than the frames. */
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(pace: Partial<StreamTimes> = {}) {
    this.#pace = { ...PACE, ...pace };
    this.#check_ms = Math.ceil(Math.min(this.#pace.keep_alive_ms, this.#pace.stalled_ms) / CHECKS);
  }

  /** Readers that have not had all. */
  get readers(): number {
    return this.#readers.size;
  }

  /**
   * Ends all streams where they are, and those that are opened from then on at once. A browser asks again after an end, with its
   * last id, until another server answers; after a refusal it gives up.
   */
  close(): void {
    this.#closed = true;
    for (const reader of this.#readers) reader.close();
  }

  /** Adds a reader of a session. All its readers at one time share what `follow` gives to the first. @throws Failure `overloaded` */
  open(session_id: string, follow: Follow, options: ReaderOptions): Response {
    demandRoom(this.#readers.size, MAX_READERS, "readers of events");
    const feed = this.#feeds.get(session_id) ?? new SharedFeed(follow);
    this.#feeds.set(session_id, feed);
    return this.#send(feed, options, () => {
      if (this.#feeds.get(session_id) === feed) this.#feeds.delete(session_id);
    });
  }

  /**
   * A reader of something that may be long: `follow` is its own, and is asked for no more than the reader takes.
   * @throws Failure `overloaded`
   */
  openAlone(follow: Follow, options: Pick<ReaderOptions, "idleTimeout">): Response {
    demandRoom(this.#readers.size, MAX_READERS, "readers of events");
    demandRoom(this.#alone, MAX_ALONE, "readers of series");
    this.#alone += 1;
    return this.#send(new OwnFeed(follow), { ...options, ids: false }, () => {
      this.#alone -= 1;
    });
  }

  #send(feed: Feed, options: ReaderOptions, forget: () => void): Response {
    const reader: EventReader = new EventReader(feed, options, {
      left: () => {
        this.#leave(reader);
        if (!feed.forsaken) return;
        feed.stop();
        forget();
      },
      ended: () => options.idleTimeout(Math.ceil(this.#pace.stalled_ms / 1000)),
    });
    this.#readers.add(reader);
    // A program that was told to stop need not wait for the next check.
    this.#timer ??= setInterval(() => this.#check(), this.#check_ms).unref();
    // No queue of its own: the feed is the queue, so a slow reader costs a position in it and no memory.
    const response = new Response(new ReadableStream(reader, { highWaterMark: 0 }), { headers: EVENT_STREAM_HEADERS });
    if (this.#closed) reader.close();
    return response;
  }

  #check(): void {
    for (const reader of this.#readers) reader.check(this.#check_ms, this.#pace);
  }

  #leave(reader: EventReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function demandRoom(readers: number, most: number, what: string): void {
  if (readers < most) return;
  throw new Failure("overloaded", `${most} ${what} are there already; try again later`, { retryable: true });
}

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies of the nginx family buffer a response unless told not to.
  "x-accel-buffering": "no",
};
