import { describe, expect, spyOn, test } from "bun:test";
import { connect } from "node:net";
import { EventSource } from "eventsource";
import type { Decision } from "../../src/domain/decision.ts";
import type { RunEvent } from "../../src/domain/event.ts";
import type { RunStarted } from "../../src/domain/request.ts";
import { EventStreams } from "../../src/http/event-stream.ts";
import { LiveRun } from "../../src/stream/live-runs.ts";
import { aTurn } from "../outcomes.ts";
import { aService, readStream, startRun } from "./service.ts";

const ID = "session-quick-20260102T030405678Z";

const finished = (arm_id: string): RunEvent => ({ event: "arm_finished", session_id: ID, arm_id });

/** For those who read what they are given. */
const anyTime = () => undefined;

describe("a frame", () => {
  test("is exactly `data: <json>` and an empty line", async () => {
    const run = new LiveRun();
    run.publish(finished("left"));
    run.publish(finished("right"));
    run.close();
    const text = await new EventStreams().open(run, anyTime).text();
    expect(text).toBe(`data: ${JSON.stringify(finished("left"))}\n\ndata: ${JSON.stringify(finished("right"))}\n\n`);
  });

  test("is encoded once for all readers", async () => {
    const run = new LiveRun();
    const streams = new EventStreams();
    run.publish(finished("left"));
    run.close();
    const first = async () => (await streams.open(run, anyTime).body?.getReader().read())?.value;
    expect(await first()).toBe(await first());
  });

  test("stays one line, whatever the event holds", async () => {
    const run = new LiveRun();
    const decision = aTurn(1, { summary: "one\ntwo\r\n\n\u2028data: {}\n\n" });
    run.publish({ event: "decision", session_id: ID, arm_id: "left", decision });
    run.close();
    const { text, events } = await readStream(new EventStreams().open(run, anyTime));
    expect(text.match(/\n/g)?.length).toBe(2);
    expect(events).toEqual([{ event: "decision", session_id: ID, arm_id: "left", decision }]);
  });
});

test("what a crowd of readers left behind when it came is collected before its first event", () => {
  const run = new LiveRun();
  const streams = new EventStreams();
  using collect = spyOn(Bun, "gc");
  const arrive = (count: number) => {
    for (let n = 0; n < count; n += 1) streams.open(run, anyTime);
    return collect.mock.calls;
  };
  expect(arrive(499)).toEqual([]);
  expect(arrive(1)).toEqual([[false]]);
  expect(arrive(500)).toEqual([[false], [false]]);
  run.close();
});

test("a quiet stream opens with a comment and goes on with one at every interval", async () => {
  const run = new LiveRun();
  const reader = new EventStreams({ keep_alive_ms: 20 }).open(run, anyTime).body?.getReader();
  const began = performance.now();
  const read = async () => new TextDecoder().decode((await reader?.read())?.value);
  expect([await read(), await read(), await read()]).toEqual([
    ": keep-alive\n\n",
    ": keep-alive\n\n",
    ": keep-alive\n\n",
  ]);
  expect(performance.now() - began).toBeGreaterThan(2 * 19);
  run.publish(finished("left"));
  run.close();
  expect(await read()).toBe(`data: ${JSON.stringify(finished("left"))}\n\n`);
  expect((await reader?.read())?.done).toBe(true);
});

test("the end leaves with the last frame, and a socket that does not take it may not keep it for ever", async () => {
  const run = new LiveRun();
  const timeouts: number[] = [];
  const stream = new EventStreams({ stalled_ms: 1_500 }).open(run, (seconds) => void timeouts.push(seconds)).body;
  const reader = stream?.getReader();
  await reader?.read();
  const last = reader?.read();
  run.publish(finished("one"));
  run.close();
  expect(new TextDecoder().decode((await last)?.value)).toContain("arm_finished");
  expect((await reader?.read())?.done).toBe(true);
  expect(timeouts).toEqual([2]);
});

test("a reader learns at once that it is in", async () => {
  const reader = new EventStreams({ keep_alive_ms: 60_000 }).open(new LiveRun(), anyTime).body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(": keep-alive\n\n");
  await reader?.cancel();
});

test("a reader that goes away is not woken any more", async () => {
  const run = new LiveRun();
  const watchers = new Set<() => void>();
  run.watch = (wake) => {
    watchers.add(wake);
    return () => void watchers.delete(wake);
  };
  const reader = new EventStreams().open(run, anyTime).body?.getReader();
  await reader?.read();
  expect(watchers.size).toBe(1);
  await reader?.cancel();
  expect(watchers.size).toBe(0);
});

test("a reader that takes nothing while something waits is cut off", async () => {
  const run = new LiveRun();
  for (const arm of ["one", "two", "three"]) run.publish(finished(arm));
  const reader = new EventStreams({ stalled_ms: 10 }).open(run, anyTime).body?.getReader();
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
  test("a client of another make reads every event of the run, in order", async () => {
    await using service = aService();
    const { url } = service.listen();
    const id = await startRun(service, "brief");
    const ended = Promise.withResolvers<void>();
    using source = closing(new EventSource(`${url}/api/runs/${id}/stream`));
    const events: RunEvent[] = [];
    source.client.onmessage = ({ data }) => events.push(JSON.parse(data));
    source.client.onerror = () => ended.resolve();
    await ended.promise;
    const { decisions, verdict } = service.services.store.get(id) ?? {};
    const of = (arm: string) =>
      events.flatMap((event) => (event.event === "decision" && event.arm_id === arm ? [event.decision] : []));
    expect({ left: of("left"), right: of("right") }).toEqual(decisions as Record<"left" | "right", Decision[]>);
    expect(events.filter(({ event }) => event === "arm_finished").length).toBe(2);
    expect(events.at(-1)).toEqual({ event: "verdict_ready", session_id: id, verdict } as RunEvent);
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
    await using service = aService({ app: { pace: { stalled_ms: 1_000 } } });
    const { port } = new URL(service.listen().url);
    const run = service.services.live.open(ID);
    const socket = connect(Number(port), "127.0.0.1");
    const closed = Promise.withResolvers<void>();
    socket.once("close", () => closed.resolve());
    socket.write(`GET /api/runs/${ID}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    socket.once("data", () => service.services.live.close(ID));
    run.publish(finished("one"));
    await closed.promise;
  });

  test("a reader that stops reading is dropped, costs no memory, and slows nobody", async () => {
    await using service = aService({ app: { pace: { stalled_ms: 2_000 } } });
    const { url } = service.listen();
    const run = service.services.live.open(ID);
    const left = firstLeaver(run);
    const stopped = await stoppedReader(new URL(url), `/api/runs/${ID}/stream`);
    const quick = fetch(`${url}/api/runs/${ID}/stream`).then((response) => response.text());
    const text = "x".repeat(100_000);
    const before = process.memoryUsage().rss;
    for (let seq = 1; seq <= 300; seq += 1)
      run.publish({ event: "decision", session_id: ID, arm_id: "left", decision: aTurn(seq, { summary: text }) });
    await left;
    await stopped.readOn();
    service.services.live.close(ID);
    expect((await quick).length).toBeGreaterThan(300 * text.length);
    // The frames themselves, once, and what the sockets hold.
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  });
});

const closing = (client: EventSource) => ({ client, [Symbol.dispose]: () => client.close() });

/** Resolves when the first who watched the run watches no more. */
function firstLeaver(run: LiveRun): Promise<void> {
  const left = Promise.withResolvers<void>();
  const watch = run.watch.bind(run);
  let watchers = 0;
  run.watch = (wake) => {
    const leave = watch(wake);
    const isFirst = watchers++ === 0;
    return () => {
      leave();
      if (isFirst) left.resolve();
    };
  };
  return left.promise;
}

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
