import { KEEP_ALIVE_MS, STALLED_READER_MS } from "../domain/defaults.ts";
import { type Feed, type Follow, OwnFeed, SharedFeed } from "./event-feed.ts";
import { EventReader, type Pace, type ReaderOptions } from "./event-reader.ts";

const PACE: Pace = { keep_alive_ms: KEEP_ALIVE_MS, stalled_ms: STALLED_READER_MS };

/** Checks of all readers within the shorter of both times. A keep-alive or a cut may come one check late. */
const CHECKS = 15;

/** Sessions and series as server-sent events. */
export class EventStreams {
  readonly #feeds = new Map<string, Feed>();
  readonly #readers = new Set<EventReader>();
  readonly #pace: Pace;
  readonly #check_ms: number;
  /** One for all: two timers for each frame of each reader cost more than the frames. */
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(pace: Partial<Pace> = {}) {
    this.#pace = { ...PACE, ...pace };
    this.#check_ms = Math.ceil(Math.min(this.#pace.keep_alive_ms, this.#pace.stalled_ms) / CHECKS);
  }

  /** One more reader of a session. All that read it at once share what `follow` gives to the first. */
  open(session_id: string, follow: Follow, options: ReaderOptions): Response {
    const feed = this.#feeds.get(session_id) ?? new SharedFeed(follow);
    this.#feeds.set(session_id, feed);
    return this.#send(feed, options, () => {
      if (this.#feeds.get(session_id) === feed) this.#feeds.delete(session_id);
    });
  }

  /** A reader of something that may be long: `follow` is its own, and is asked for no more than the reader takes. */
  openAlone(follow: Follow, options: Pick<ReaderOptions, "idleTimeout">): Response {
    return this.#send(new OwnFeed(follow), { ...options, ids: false }, () => undefined);
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
    return new Response(new ReadableStream(reader, { highWaterMark: 0 }), { headers: EVENT_STREAM_HEADERS });
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

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies of the nginx family buffer a response unless told not to.
  "x-accel-buffering": "no",
};
