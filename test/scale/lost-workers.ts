import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Series } from "../../src/domain/series.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { SessionListing } from "../../src/domain/session-list.ts";
import type { Served } from "../http/served.ts";
import { jsonPost } from "../http/service.ts";
import { describeNeeding } from "../needs.ts";
import { Fleet, startRun, streamed } from "../postgres/fleet.ts";
import { proxyTo } from "../postgres/proxy.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { problemsOfLogs, problemsOfLosses, problemsOfStream } from "../postgres/whole-logs.ts";

const read = async <T>({ url }: Served, path: string): Promise<T> => (await (await fetch(url + path)).json()) as T;
const session = (served: Served, id: string) => read<SessionOutcome>(served, `/api/sessions/${id}`);
const remove = (served: Served, path: string) => fetch(served.url + path, { method: "DELETE" });

const TRIALS = 12;

async function startSeries({ url }: Served, scenario: string): Promise<string> {
  const answer = await fetch(`${url}/api/series`, jsonPost({ scenarios: [scenario], trials: TRIALS, parallel: 2 }));
  return ((await answer.json()) as { series_id: string }).series_id;
}

describeNeeding(POSTGRES)("a worker that is lost", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await postgresServer();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());
  const aFleet = async () => new Fleet((await postgres.create()).url);

  test("in the middle of a transaction, and never heard of again, holds nobody up", async () => {
    const { url, urlBy } = await postgres.create();
    using proxy = await proxyTo(postgres.port);
    await using fleet = new Fleet(url);
    const [server, victim] = await Promise.all([fleet.server(), fleet.worker(2, urlBy(proxy.port))]);
    const ids = [await startRun(server, "lasting"), await startRun(server, "lasting")];
    const heard = ids.map((id) => streamed(server, id));
    await fleet.until("abeval.sessions WHERE length < 8");
    const { promise: cut, resolve } = Promise.withResolvers<void>();
    proxy.toServer = (bytes) => {
      if (!bytes.includes("COMMIT")) return bytes;
      // As when its machine freezes: it cannot even close its connections.
      victim.child.kill("SIGSTOP");
      proxy.hold();
      resolve();
      return Buffer.alloc(0);
    };
    await cut;
    await fleet.worker(2);
    await fleet.untilAllEnded();
    const entries = await fleet.entries();
    expect(problemsOfLogs(entries)).toEqual([]);
    for (const [at, id] of ids.entries()) {
      const log = entries.filter(({ session_id }) => session_id === id);
      const outcome = await session(server, id);
      expect(outcome.state).toBe("completed");
      expect(outcome.lost_attempts).toMatchObject([{ process_lost: true }]);
      expect(problemsOfLosses(log, outcome)).toEqual([]);
      expect(problemsOfStream((await heard[at]) ?? [], log)).toEqual([]);
    }
  });

  test("in silence is followed by one other, and by no third", async () => {
    await using fleet = await aFleet();
    const server = await fleet.server();
    let worker = await fleet.worker(1);
    const id = await startRun(server, "long");
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await fleet.until(`(SELECT WHERE NOT EXISTS (SELECT FROM abeval.entries
        WHERE attempt = ${attempt} AND kind = 'stage')) AS nothing`);
      worker.child.kill("SIGSTOP");
      worker = await fleet.worker(1);
    }
    await fleet.untilAllEnded();
    const { state, failure } = await session(server, id);
    expect({ state, message: failure?.message.split(",")[0] }).toEqual({
      state: "interrupted",
      message: "2 workers fell silent while they ran it",
    });
    const last = (await fleet.entries()).filter(({ attempt }) => attempt === 3).map(({ entry }) => entry.type);
    expect(last).toEqual(["attempt_started", "ended"]);
  });

  test("because it is told to stop gives its run back at once, as often as that happens", async () => {
    await using fleet = await aFleet();
    const server = await fleet.server();
    let worker = await fleet.worker(1);
    const id = await startRun(server, "lasting");
    const heard = streamed(server, id);
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await fleet.until(`(SELECT WHERE NOT EXISTS (SELECT FROM abeval.entries
        WHERE attempt = ${attempt} AND kind = 'decision')) AS nothing`);
      const { status } = await worker.stop();
      expect(status).toBe(0);
      expect((await session(server, id)).state).toBe("queued");
      worker = await fleet.worker(1);
    }
    await fleet.untilAllEnded();
    const entries = await fleet.entries();
    const outcome = await session(server, id);
    expect(outcome.state).toBe("completed");
    expect(outcome.lost_attempts?.map(({ process_lost }) => process_lost)).toEqual(Array(4).fill(undefined));
    expect(problemsOfLogs(entries)).toEqual([]);
    expect(problemsOfLosses(entries, outcome)).toEqual([]);
    expect(problemsOfStream((await heard) ?? [], entries)).toEqual([]);
  });

  test("while it coordinates a series leaves it to another, which goes on where it stands", async () => {
    await using fleet = await aFleet();
    const [server, coordinator] = await Promise.all([fleet.server(), fleet.worker(2)]);
    const series_id = await startSeries(server, "steps");
    await fleet.until("(SELECT WHERE 3 > (SELECT count(*) FROM abeval.sessions WHERE ended)) AS fewer");
    await coordinator.stop("SIGKILL");
    await fleet.worker(2);
    await fleet.until("abeval.series WHERE state = 'running'");
    const series = await read<Series>(server, `/api/series/${series_id}`);
    expect(series.state).toBe("completed");
    expect(series.trials.map(({ trial, state }) => ({ trial, state }))).toEqual(
      Array.from({ length: TRIALS }, (_, index) => ({ trial: index + 1, state: "completed" })),
    );
    expect(series.counts.trials).toBe(TRIALS);
    expect(problemsOfLogs(await fleet.entries())).toEqual([]);
    expect(await read<SessionListing[]>(server, "/api/sessions")).toHaveLength(TRIALS);
  });
});

describeNeeding(POSTGRES)("what runs on another server", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await postgresServer();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  test("ends with the error of its check where an answer makes that dear, and takes no worker with it", async () => {
    await using fleet = new Fleet((await postgres.create()).url);
    const [server] = await Promise.all([fleet.server(), fleet.worker(1), fleet.worker(1), fleet.worker(1)]);
    const ids = await Promise.all([1, 2, 3].map(() => startRun(server, "dear")));
    await fleet.untilAllEnded();
    for (const { state, arms, lost_attempts } of await Promise.all(ids.map((id) => session(server, id)))) {
      expect({ state, lost_attempts }).toEqual({ state: "completed", lost_attempts: undefined });
      expect(arms?.[0]?.probe?.checks).toMatchObject([
        { status: "error", reason: expect.stringMatching(/takes more than 50,000,000 steps$/) },
      ]);
    }
    expect(problemsOfLogs(await fleet.entries())).toEqual([]);
  });

  test("is stopped from anywhere: a run and a series", async () => {
    await using fleet = new Fleet((await postgres.create()).url);
    const [here, there] = await Promise.all([fleet.server(), fleet.server(), fleet.worker(4)]);
    const run = await startRun(there, "long");
    const series_id = await startSeries(there, "long");
    await fleet.until("(SELECT WHERE 3 > (SELECT count(*) FROM abeval.sessions WHERE state = 'running')) AS fewer");
    const stream = streamed(there, run);
    expect((await remove(here, `/api/runs/${run}`)).status).toBe(202);
    expect((await stream)?.at(-1)).toMatchObject({ event: "session_failed", code: "cancelled" });
    expect((await remove(here, `/api/series/${series_id}`)).status).toBe(202);
    await fleet.untilAllEnded();
    const rows = await read<SessionListing[]>(there, "/api/sessions");
    expect(rows.map(({ state }) => state)).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect(await read<Series>(there, `/api/series/${series_id}`)).toMatchObject({ state: "cancelled" });
    expect(problemsOfLogs(await fleet.entries())).toEqual([]);
    await fleet.until("abeval_queue.job WHERE state < 'completed'");
  });
});
