import { join } from "node:path";
import { inTurns, report, round, sampleOf } from "./measure.ts";
import { BenchDirectory, overProvider, post } from "./program.ts";
import { startBenchProvider } from "./provider.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { readUntil, type StreamReader } from "./sockets.ts";

const READERS = 1_000;

/** One run with 1,000 readers: how late its verdict reaches the last of them. */
export async function stream(): Promise<void> {
  const dir = new BenchDirectory();
  dir.scenario("hello", overProvider("hello"));
  const grown: Record<"one" | "ours", number[]> = { one: [], ours: [] };
  const lag = async (whose: "one" | "ours", readers: number) => {
    const { lag_ms, grown_mib } = await announce(dir, readers);
    grown[whose].push(grown_mib);
    return lag_ms;
  };
  const lags = await inTurns(
    {
      one: () => lag("one", 1),
      bare: async () => (await announceBare(READERS)).lag_ms,
      ours: () => lag("ours", READERS),
    },
    7,
  );
  const ratio = round(lags.ours.median / lags.bare.median);
  report(`verdict_ready at the last of ${READERS} readers`, lags.ours, {
    unit: "ms",
    yardstick: `${ratio} x a bare stream (${round(lags.bare.median)} ms); one reader ${round(lags.one.median)} ms`,
    goal: "<= 50 ms",
    met: lags.ours.median <= 50,
  });
  const one = sampleOf(grown.one).median;
  const memory = sampleOf(grown.ours.map((mib) => mib - one));
  report("  memory over itself with one reader", memory, {
    unit: "MiB",
    // A server loads what runs a session with its first run.
    yardstick: `with one reader ${round(one)} MiB over a server that has run nothing`,
    goal: "<= 30 MiB",
    met: memory.median <= 30,
  });
}

interface Announced {
  readonly lag_ms: number;
  readonly grown_mib: number;
}

/** From the judge's last answer to the last reader's verdict. @throws Error when a reader missed an event. */
async function announce(dir: BenchDirectory, subscribers: number): Promise<Announced> {
  const judging = Promise.withResolvers<void>();
  let answered = 0;
  await using provider = startBenchProvider({
    async judging() {
      await judging.promise;
      answered = performance.now();
    },
  });
  await using server = await dir.serve([], provider);
  await fetch(new URL("/api/health", server.url));
  const idle = server.resident_mib();
  const started = await post(server, "hello", "/api/runs/async");
  const { session_id } = (await started.json()) as { session_id: string };
  const readers = await openReaders(server, `/api/runs/${session_id}/stream`, subscribers);
  judging.resolve();
  const ends = await Promise.all(readers.map(({ done }) => done));
  const grown_mib = server.resident_mib() - idle;
  const events = new Set(ends.map(({ text }) => text().match(/^data: /gm)?.length));
  if (events.size !== 1) throw new Error(`readers got ${[...events].join(", ")} events`);
  return { lag_ms: Math.max(...ends.map(({ at }) => at)) - answered, grown_mib };
}

async function announceBare(subscribers: number): Promise<Announced> {
  await using server = await startServer([process.execPath, join(import.meta.dir, "yardstick/bare-stream.ts")]);
  const idle = server.resident_mib();
  const readers = await openReaders(server, "/", subscribers);
  const began = performance.now();
  void fetch(new URL("/send", server.url));
  const ends = await Promise.all(readers.map(({ done }) => done));
  return { lag_ms: Math.max(...ends.map(({ at }) => at)) - began, grown_mib: server.resident_mib() - idle };
}

async function openReaders({ url }: ServerProcess, path: string, count: number): Promise<readonly StreamReader[]> {
  const readers = await Promise.all(Array.from({ length: count }, () => readUntil(url, path, "verdict_ready")));
  await Promise.all(readers.map(({ opened }) => opened));
  await Bun.sleep(200);
  return readers;
}
