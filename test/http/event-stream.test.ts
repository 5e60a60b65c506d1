import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { EventSource } from "eventsource";
import type { RunEvent } from "../../src/domain/event.ts";
import type { RunStarted } from "../../src/domain/request.ts";
import type { ReaderOptions } from "../../src/doors/http/event-reader.ts";
import { EventStreams } from "../../src/doors/http/event-stream.ts";
import type { Announcement } from "../../src/doors/operation/follow-run.ts";
import { aTurn } from "../outcomes.ts";
import { openRun } from "../stored.ts";
import { turnsDuring, until } from "../turns.ts";
import { aService, readStream, startRun } from "./service.ts";

const ID = "session-quick-20260102T030405678Z";

const finished = (arm_id: string): RunEvent => ({ event: "arm_finished", session_id: ID, arm_id });

/** A log that grows as the test wants. */
class GrowingLog {
  readonly #announcements: Announcement[] = [];
  #changed = Promise.withResolvers<void>();
  #closed = false;
  /** How often it was followed, and how many follow it now. */
  followed = 0;
  followers = 0;

  announce(...events: readonly RunEvent[]): this {
    for (const event of events) this.#announcements.push({ n: this.#announcements.length + 2, attempt: 1, event });
    this.#wake();
    return this;
  }

  close(): this {
    this.#closed = true;
    this.#wake();
    return this;
  }

  follow = async function* (this: GrowingLog, signal: AbortSignal): AsyncGenerator<Announcement, void, void> {
    this.followed += 1;
    this.followers += 1;
    signal.addEventListener("abort", () => this.#wake());
    for (let place = 0; !signal.aborted; ) {
      const announcement = this.#announcements[place];
      if (announcement) {
        place += 1;
        yield announcement;
      } else if (this.#closed) break;
      else await this.#changed.promise;
    }
    this.followers -= 1;
  }.bind(this);

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

const open = (
  log: GrowingLog,
  { streams = new EventStreams(), ...options }: Partial<ReaderOptions> & { readonly streams?: EventStreams } = {},
) => streams.open(ID, log.follow, { ids: false, idleTimeout: () => undefined, ...options });

describe("a frame", () => {
  test("is read and encoded once for all who read at the same time", async () => {
    const log = new GrowingLog().announce(finished("left"));
    const streams = new EventStreams();
    const readers = [open(log, { streams }), open(log, { streams })].map(({ body }) => body?.getReader());
    const [first, second] = await Promise.all(readers.map((reader) => reader?.read()));
    expect(first?.value).toBeDefined();
    expect(first?.value).toBe(second?.value);
    expect(log.followed).toBe(1);
    log.close();
  });

  test("of an event that two feeds have is encoded once", async () => {
    const log = new GrowingLog().announce(finished("left")).close();
    const streams = new EventStreams();
    const alone = () => streams.openAlone(log.follow, { idleTimeout: () => undefined }).body?.getReader();
    const [first, second] = await Promise.all([alone(), alone()].map((reader) => reader?.read()));
    expect(first?.value).toBeDefined();
    expect(first?.value).toBe(second?.value);
  });

  test("reaches a thousand readers in several turns: others are answered in between", async () => {
    const log = new GrowingLog().announce(finished("left"));
    const streams = new EventStreams();
    const readers = Array.from({ length: 1_000 }, () => open(log, { streams }).body?.getReader());
    const readAll = () => Promise.all(readers.map((reader) => reader?.read()));
    await readAll();
    const next = readAll();
    const turns = await turnsDuring(() => {
      log.announce(finished("right")).close();
      return next;
    });
    expect(turns).toBeGreaterThanOrEqual(10);
    expect((await next).every((read) => read?.value !== undefined)).toBe(true);
  });

  test("is one of many that readers who fell behind take in turns, a thousand of them too", async () => {
    const log = new GrowingLog().announce(finished("left"));
    const streams = new EventStreams();
    const readers = Array.from({ length: 1_000 }, () => open(log, { streams }).body?.getReader());
    await Promise.all(readers.map((reader) => reader?.read()));
    log.announce(...Array.from({ length: 10 }, (_, nth) => finished(`${nth}`))).close();
    const turns = await turnsDuring(() =>
      Promise.all(readers.map(async (reader) => Array.fromAsync({ length: 10 }, () => reader?.read()))),
    );
    // Ten frames for each, fifty readers a turn.
    expect(turns).toBeGreaterThan(100);
  });

  test("stays one line, whatever the event holds", async () => {
    const decision = aTurn(1, { summary: "one\ntwo\r\n\n\u2028data: {}\n\n" });
    const log = new GrowingLog().announce({ event: "decision", session_id: ID, arm_id: "left", decision }).close();
    const { text, events } = await readStream(open(log));
    expect(text.match(/\n/g)?.length).toBe(2);
    expect(events).toEqual([{ event: "decision", session_id: ID, arm_id: "left", decision }]);
  });
});

test("streams that are closed end where they are, each at an event, and new ones end at once, so that a browser asks again", async () => {
  const log = new GrowingLog().announce(finished("left"));
  const streams = new EventStreams();
  const readers = [open(log, { streams }), streams.openAlone(log.follow, { idleTimeout: () => undefined })].map(
    ({ body }) => body?.getReader(),
  );
  for (const reader of readers) expect((await reader?.read())?.done).toBe(false);
  streams.close();
  for (const reader of readers) expect((await reader?.read())?.done).toBe(true);
  await until(() => log.followers === 0);
  expect(await open(log, { streams }).text()).toBe("");
  expect(streams.readers).toBe(0);
});

test("what is followed for one reader alone is followed at its pace, to the end", async () => {
  const log = new GrowingLog().announce(...["one", "two", "three", "four"].map(finished));
  let given = 0;
  const follow: typeof log.follow = async function* (signal) {
    for await (const announcement of log.follow(signal)) {
      given += 1;
      yield announcement;
    }
  };
  const reader = new EventStreams().openAlone(follow, { idleTimeout: () => undefined }).body?.getReader();
  const read = async () => new TextDecoder().decode((await reader?.read())?.value);
  const seen = [await read(), await read()];
  await new Promise(setImmediate);
  expect(given).toBeLessThanOrEqual(3);
  log.close();
  seen.push(await read(), await read());
  expect(seen).toEqual(["one", "two", "three", "four"].map((arm) => `data: ${JSON.stringify(finished(arm))}\n\n`));
  expect((await reader?.read())?.done).toBe(true);
});

test("a reader alone that leaves ends what was followed for it", async () => {
  const log = new GrowingLog().announce(finished("one"), finished("two"), finished("three"));
  const reader = new EventStreams().openAlone(log.follow, { idleTimeout: () => undefined }).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await new Promise(setImmediate);
  expect(log.followers).toBe(0);
});

const tellOverloaded = (open: () => unknown) => {
  try {
    return open();
  } catch (error) {
    return error;
  }
};

test.each([
  ["of a session", 4_000, (streams: EventStreams, log: GrowingLog) => open(log, { streams })],
  [
    "alone",
    200,
    (streams: EventStreams, log: GrowingLog) => streams.openAlone(log.follow, { idleTimeout: () => undefined }),
  ],
])("a reader %s finds no room beside %p others, and does when one has left", async (_, most, openOne) => {
  const [streams, log] = [new EventStreams(), new GrowingLog()];
  const readers = Array.from({ length: most }, () => openOne(streams, log));
  expect(tellOverloaded(() => openOne(streams, log))).toMatchObject({ code: "overloaded", retryable: true });
  await readers[7]?.body?.cancel();
  expect(openOne(streams, log)).toBeInstanceOf(Response);
  expect(tellOverloaded(() => openOne(streams, log))).toMatchObject({ code: "overloaded" });
});

test("a reader alone that leaves ends also what does not look whether it left", async () => {
  let ended = false;
  const follow = async function* () {
    try {
      for (const n of [2, 3, 4]) yield { n, attempt: 1, event: finished("one") };
    } finally {
      ended = true;
    }
  };
  const reader = new EventStreams().openAlone(follow, { idleTimeout: () => undefined }).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await new Promise(setImmediate);
  expect(ended).toBe(true);
});

describe("a reader that asks for ids", () => {
  const log = () => new GrowingLog().announce(finished("one"), finished("two"), finished("three")).close();
  const idsOf = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);

  test("gets one with each event: the attempt, and the place in the log", async () => {
    const text = await open(log(), { ids: true }).text();
    expect(idsOf(text)).toEqual(["1.2", "1.3", "1.4"]);
    expect(text).toStartWith(`id: 1.2\ndata: ${JSON.stringify(finished("one"))}\n\n`);
  });

  test("goes on behind the last that it has", async () => {
    expect(idsOf(await open(log(), { ids: true, after: "1.3" }).text())).toEqual(["1.4"]);
    expect(idsOf(await open(log(), { ids: true, after: "1.4" }).text())).toEqual([]);
  });

  test("gets only the end when its id names a place that no number can hold", async () => {
    expect(await open(log(), { ids: true, after: `1.${"9".repeat(400)}` }).text()).toBe("");
  });

  test.each(["", "nonsense", "-1", "1.x"])("gets everything when %p is no id", async (after) => {
    expect(idsOf(await open(log(), { ids: true, after }).text())).toEqual(["1.2", "1.3", "1.4"]);
  });
});

test("a quiet stream opens with a comment and goes on with one at every interval", async () => {
  const log = new GrowingLog();
  const began = performance.now();
  const reader = open(log, { streams: new EventStreams({ keep_alive_ms: 20 }) }).body?.getReader();
  const read = async () => new TextDecoder().decode((await reader?.read())?.value);
  expect([await read(), await read(), await read()]).toEqual([
    ": keep-alive\n\n",
    ": keep-alive\n\n",
    ": keep-alive\n\n",
  ]);
  expect(performance.now() - began).toBeGreaterThan(2 * 19);
  log.announce(finished("left")).close();
  expect(await read()).toBe(`data: ${JSON.stringify(finished("left"))}\n\n`);
  expect((await reader?.read())?.done).toBe(true);
});

test("a socket that does not take the end may not keep it for ever", async () => {
  const log = new GrowingLog();
  const timeouts: number[] = [];
  const streams = new EventStreams({ stalled_ms: 1_500 });
  const reader = open(log, { streams, idleTimeout: (seconds) => void timeouts.push(seconds) }).body?.getReader();
  await reader?.read();
  const last = reader?.read();
  log.announce(finished("one")).close();
  expect(new TextDecoder().decode((await last)?.value)).toContain("arm_finished");
  expect((await reader?.read())?.done).toBe(true);
  expect(timeouts).toEqual([2]);
});

test("a reader learns at once that it is in", async () => {
  const streams = new EventStreams({ keep_alive_ms: 60_000 });
  const reader = open(new GrowingLog(), { streams }).body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(": keep-alive\n\n");
  await reader?.cancel();
});

test("a log is followed as long as somebody reads it", async () => {
  const log = new GrowingLog();
  const streams = new EventStreams();
  const readers = [open(log, { streams }), open(log, { streams })].map(({ body }) => body?.getReader());
  for (const reader of readers) await reader?.read();
  expect(log.followers).toBe(1);
  await readers[0]?.cancel();
  expect(log.followers).toBe(1);
  await readers[1]?.cancel();
  await new Promise(setImmediate);
  expect(log.followers).toBe(0);
});

test("a log that cannot be read breaks the stream off", async () => {
  const broken = async function* (): AsyncGenerator<Announcement> {
    yield { n: 2, attempt: 1, event: finished("left") };
    throw new Error("the disk is gone");
  };
  const { body } = new EventStreams().open(ID, broken, { ids: false, idleTimeout: () => undefined });
  await expect(new Response(body).text()).rejects.toThrow("the disk is gone");
});

test("a reader that takes nothing while something waits is cut off", async () => {
  const log = new GrowingLog().announce(finished("one"), finished("two"), finished("three"));
  const reader = open(log, { streams: new EventStreams({ stalled_ms: 10 }) }).body?.getReader();
  await reader?.read();
  await expect(reader?.closed).rejects.toThrow("stalled");
});

test("a reader that goes away leaves the run as it was", async () => {
  await using service = aService();
  const id = await startRun(service);
  const gone = await service.get(`/api/runs/${id}/stream`);
  const stays = service.get(`/api/runs/${id}/stream`).then(readStream);
  await gone.body?.cancel();
  const { events } = await stays;
  expect(events.at(-1)?.["event"]).toBe("verdict_ready");
});

describe("over a socket", () => {
  test("a client that lost its connection goes on behind the last event that it has", async () => {
    await using service = aService();
    const run = await openRun(service.services, ID);
    for (const seq of [1, 2, 3]) await run.decide(aTurn(seq));
    const path = `/api/runs/${ID}/stream`;
    const whole = await service.get(`${path}?ids=1`);
    const rest = await service.fetch(path, { headers: { "last-event-id": "1.3" } });
    const plain = await service.get(path);
    await run.end();
    const idsOf = async (response: Response) =>
      [...(await response.text()).matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    expect(await idsOf(whole as Response)).toEqual(["1.2", "1.3", "1.4"]);
    expect(await idsOf(rest as Response)).toEqual(["1.4"]);
    expect(await idsOf(plain as Response)).toEqual([]);
  });

  test("a client of another make gives up on a run that is over", async () => {
    await using service = aService();
    const { url } = service.listen();
    const { session_id } = (await (await service.post("/api/runs", { scenario: "quick" })).json()) as RunStarted;
    const refused = Promise.withResolvers<number | undefined>();
    using source = closing(new EventSource(`${url}/api/runs/${session_id}/stream`));
    source.client.onerror = ({ code }) => refused.resolve(code);
    expect(await refused.promise).toBe(404);
    expect(source.client.readyState).toBe(EventSource.CLOSED);
  });

  test("a connection that has read a stream to its end is idle like any other", async () => {
    await using service = aService({ app: { streams: new EventStreams({ stalled_ms: 1_000 }) } });
    const { port } = new URL(service.listen().url);
    const run = await openRun(service.services, ID);
    const socket = connect(Number(port), "127.0.0.1");
    const closed = Promise.withResolvers<void>();
    socket.once("close", () => closed.resolve());
    socket.write(`GET /api/runs/${ID}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    socket.once("data", () => void run.end());
    await run.decide(aTurn(1));
    await closed.promise;
  });

  test("a reader that stops reading is dropped, costs no memory, and slows nobody", async () => {
    await using service = aService({ app: { streams: new EventStreams({ stalled_ms: 1_000, keep_alive_ms: 2_000 }) } });
    const { url } = service.listen();
    const run = await openRun(service.services, ID);
    const stopped = await stoppedReader(new URL(url), `/api/runs/${ID}/stream`);
    const quick = (await fetch(`${url}/api/runs/${ID}/stream`)).body?.pipeThrough(new TextDecoderStream()).getReader();
    const text = "x".repeat(100_000);
    const before = process.memoryUsage().rss;
    for (let seq = 1; seq <= 300; seq += 1) await run.decide(aTurn(seq, { summary: text }));
    let read = 0;
    while (read < 300 * text.length) read += (await quick?.read())?.value?.length ?? 0;
    // A stream is quiet for longer than a reader may stall.
    while (!(await quick?.read())?.value?.includes("keep-alive"));
    await stopped.readOn();
    await run.end();
    expect((await quick?.read())?.done).toBe(true);
    // The frames themselves, once, and what the sockets hold.
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  });
});

const closing = (client: EventSource) => ({ client, [Symbol.dispose]: () => client.close() });

/** A connection that asks and then reads nothing more until `readOn`, which resolves at its end. */
async function stoppedReader({ hostname, port }: URL, path: string): Promise<{ readonly readOn: () => Promise<void> }> {
  const socket = connect(Number(port), hostname);
  const closed = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  socket.once("data", () => {
    socket.pause();
    opened.resolve();
  });
  socket.on("error", () => undefined);
  socket.once("close", () => closed.resolve());
  await opened.promise;
  return {
    readOn: () => {
      // A paused socket hears of its end only when it reads again.
      socket.resume();
      return closed.promise;
    },
  };
}
