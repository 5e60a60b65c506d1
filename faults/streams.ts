import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionOutcome } from "../src/domain/session.ts";
import { EventStreams } from "../src/doors/http/event-stream.ts";
import { readSession } from "../src/store/read-session.ts";
import { aService, readStream, startRun, type TestService } from "../test/http/service.ts";
import { aTurn } from "../test/outcomes.ts";
import { openRun } from "../test/stored.ts";
import { type Campaign, type Case, hold, numbered, within } from "./campaign.ts";
import { pick, type Random, randomOfCase, whole } from "./random.ts";

const CLIENTS = 200;
const FLOODS = 5;
const STALLED_MS = 200;
const RUN_MS = 5_000;

/** Readers that stall or go away, beside one that reads everything. */
export const campaign: Campaign = {
  about: "stalled and vanishing stream clients beside one that reads",
  at_once: 4,
  cases: async ({ seed, count, shared }) => {
    const service = shared.use(
      aService({ persistent: true, app: { streams: new EventStreams({ stalled_ms: STALLED_MS }) } }),
    );
    const url = new URL(service.listen().url);
    return [
      ...numbered(count(CLIENTS), (index) => clientCase(randomOfCase(seed, index), service, url)),
      ...numbered(count(FLOODS), (index) => floodCase(service, url, index)),
    ];
  },
};

type Behaviour = (url: URL, path: string, random: Random) => Promise<Socket>;

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  "stops reading": async (url, path) => {
    const socket = await asking(url, `GET ${path} HTTP/1.1\r\nHost: ${url.hostname}\r\n\r\n`);
    return socket.pause();
  },
  "is reset": async (url, path, random) => {
    const socket = await asking(url, `GET ${path} HTTP/1.1\r\nHost: ${url.hostname}\r\n\r\n`);
    await sleep(whole(random, 100));
    return socket.resetAndDestroy();
  },
  "goes away": async (url, path, random) => {
    const socket = await asking(url, `GET ${path} HTTP/1.1\r\nHost: ${url.hostname}\r\n\r\n`);
    await sleep(whole(random, 100));
    return socket.destroy();
  },
  "goes away in the middle of asking": async (url, path) => {
    const socket = await asking(url, `GET ${path} HTTP/1.1\r\nHo`);
    return socket.destroy();
  },
  "says it has nothing more to say": async (url, path) => {
    const socket = await asking(url, `GET ${path} HTTP/1.1\r\nHost: ${url.hostname}\r\n\r\n`);
    return socket.end();
  },
  "asks twice on one connection": async (url, path) => {
    const request = `GET ${path} HTTP/1.1\r\nHost: ${url.hostname}\r\n\r\n`;
    return await asking(url, request + request);
  },
  "leaves a blocking run": async (url, _path, random) => {
    const body = '{"scenario":"brief"}';
    const head = `POST /api/runs HTTP/1.1\r\nHost: ${url.hostname}\r\nContent-Type: application/json\r\n`;
    const socket = await asking(url, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    await sleep(whole(random, 100));
    return socket.destroy();
  },
};

async function asking({ hostname, port }: URL, text: string): Promise<Socket> {
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.write(text, () => resolve());
  await promise;
  return socket;
}

const ODD_CLIENTS = 4;

/** A run with odd clients and a good one. The good one gets every event, the run ends, and its stream is closed. */
function clientCase(random: Random, service: TestService, url: URL): Case {
  const names = Array.from({ length: ODD_CLIENTS }, () => pick(random, Object.keys(BEHAVIOURS)));
  return {
    name: `a run with clients of which each ${names.join(", ")}`,
    async run() {
      const id = await startRun(service, "brief");
      const path = `/api/runs/${id}/stream`;
      const good = fetch(url.origin + path).then((response) =>
        readStream(response as unknown as Parameters<typeof readStream>[0]),
      );
      const sockets = await Promise.all(names.map((name) => BEHAVIOURS[name]?.(url, path, random)));
      const { events } = await within(RUN_MS, "the good client to read to the end", good);
      for (const socket of sockets) socket?.destroy();
      const { verdict, decisions, state } =
        (await readSession(service.services.store, id)) ?? ({} as Partial<SessionOutcome>);
      const heard = events.filter(({ event }) => event === "decision").length;
      hold(state === "completed", "the run to complete", state);
      hold(heard === Object.values(decisions ?? {}).flat().length, "the good client to hear every decision", events);
      hold(Bun.deepEquals(events.at(-1)?.["verdict"], verdict), "the verdict as its last event", events.at(-1));
      hold(service.services.runs.live(id) === undefined, "the run to have no live sender any more");
      hold((await fetch(url.origin + path)).status === 404, "404 on the stream of a run that is over");
    },
  };
}

const FLOOD_EVENTS = 200;
const FLOOD_TEXT = "x".repeat(100_000);

/** More events than a socket holds. The reader that stalls is cut off; the one that reads gets everything. */
const floodCase = (service: TestService, url: URL, index: number): Case => ({
  name: `a stream of ${FLOOD_EVENTS} large events with a reader that stalls`,
  async run() {
    const id = `session-flood-20260102T03040500${index}Z`;
    const run = await openRun(service.services, id);
    const path = `/api/runs/${id}/stream`;
    const stalled = await asking(url, `GET ${path} HTTP/1.1\r\nHost: ${url.hostname}\r\n\r\n`);
    stalled.pause();
    const quick = fetch(url.origin + path).then((response) => response.text());
    for (let seq = 1; seq <= FLOOD_EVENTS; seq += 1) await run.decide(aTurn(seq, { summary: FLOOD_TEXT }));
    await sleep(STALLED_MS * 3);
    const closed = Promise.withResolvers<void>();
    stalled.once("close", () => closed.resolve());
    stalled.resume();
    await within(RUN_MS, "the reader that stalled to be cut off while the run goes on", closed.promise);
    await run.end();
    hold((await quick).length > FLOOD_EVENTS * FLOOD_TEXT.length, "the other reader to get everything");
  },
});
