import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Series } from "../../src/domain/series.ts";
import { abeval, startAbeval } from "../abeval.ts";
import type { Served } from "../http/served.ts";
import { jsonPost } from "../http/service.ts";
import { describeNeeding } from "../needs.ts";
import { Fleet, startRun } from "../postgres/fleet.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { problemsOfLogs } from "../postgres/whole-logs.ts";
import { until } from "../turns.ts";

const ANY_RUN = "(SELECT WHERE NOT EXISTS (SELECT FROM abeval.entries WHERE kind = 'decision')) AS nothing";

const codeOf = async (answer: Response) => {
  const { error } = (await answer.json()) as { error?: { code: string } };
  return `${answer.status} ${error?.code ?? ""}`;
};

const run = ({ url }: Served) => fetch(`${url}/api/runs/async`, jsonPost({ scenario: "brief" }));
const ready = ({ url }: Served) => fetch(`${url}/api/ready`);

describeNeeding(POSTGRES)("a drain", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await postgresServer();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  test("of a database holds all its processes, also those that start meanwhile, until it is ended", async () => {
    const { url } = await postgres.create();
    await using fleet = new Fleet(url);
    const [server] = await Promise.all([fleet.server(), fleet.worker(1)]);
    const env = { ABEVAL_DATABASE_URL: url };
    const under_way = await startRun(server, "lasting");
    await fleet.until(ANY_RUN);
    const waiting = await startRun(server, "brief");
    const answer = await fetch(`${server.url}/api/series`, jsonPost({ scenarios: ["brief"], trials: 3 }));
    const { series_id } = (await answer.json()) as { series_id: string };
    await fleet.until("(SELECT WHERE NOT EXISTS (SELECT FROM abeval.sessions WHERE trial = 1)) AS none");

    const drain = startAbeval(["drain"], { env });
    const said = new Response(drain.stderr).text();
    await until(async () => (await codeOf(await ready(server))) === "503 not_ready");
    expect(await codeOf(await run(server))).toBe("503 overloaded");
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
    expect(await drain.exited).toBe(0);
    expect(await said).toMatch(
      /^abeval: no server or worker of the database takes work \(since [^)]+Z\); this waits until nothing runs\nabeval: 1 run at work\nabeval: nothing runs any more\./,
    );

    const [late] = await Promise.all([fleet.server(), fleet.worker(2)]);
    expect(await codeOf(await run(late))).toBe("503 overloaded");
    const rows = await fleet.ask("SELECT session_id, trial, state FROM abeval.sessions ORDER BY position");
    expect(rows).toEqual([
      { session_id: under_way, trial: null, state: "completed" },
      { session_id: waiting, trial: null, state: "queued" },
      { session_id: expect.any(String), trial: 1, state: "queued" },
      ...rows.slice(3).map((row) => ({ ...(row as object), state: "queued" })),
    ]);
    expect(await fleet.ask("SELECT FROM abeval_queue.job WHERE state = 'active'")).toEqual([]);
    const { checks } = (await (await fetch(`${late.url}/api/doctor`)).json()) as {
      checks: readonly { id: string; status: string; detail: string }[];
    };
    expect(checks.find(({ id }) => id === "queue.drained")).toMatchObject({ status: "warn" });

    expect((await abeval(["drain", "--end"], { env })).status).toBe(0);
    await until(async () => (await ready(late)).status === 200);
    expect((await run(late)).status).toBe(200);
    await fleet.until("abeval.series WHERE state = 'running'");
    await fleet.untilAllEnded();
    const series = (await (await fetch(`${server.url}/api/series/${series_id}`)).json()) as Series;
    expect(series.trials.map(({ state }) => state)).toEqual(["completed", "completed", "completed"]);
    expect(problemsOfLogs(await fleet.entries())).toEqual([]);
    expect(await fleet.ask("SELECT FROM abeval.entries WHERE attempt > 1")).toEqual([]);
  });

  test("of a worker lets its run end, and leaves its series and what waits to another", async () => {
    await using fleet = new Fleet((await postgres.create()).url);
    const [server, worker] = await Promise.all([fleet.server(), fleet.worker(1)]);
    const under_way = await startRun(server, "lasting");
    await fleet.until(ANY_RUN);
    await startRun(server, "brief");
    await fetch(`${server.url}/api/series`, jsonPost({ scenarios: ["brief"], trials: 3 }));
    await fleet.until("(SELECT WHERE NOT EXISTS (SELECT FROM abeval.sessions WHERE trial = 1)) AS none");
    expect((await abeval(["drain", "--pid", String(worker.child.pid)])).status).toBe(0);
    expect(await fleet.ask("SELECT session_id FROM abeval.sessions WHERE ended")).toEqual([{ session_id: under_way }]);
    await fleet.worker(2);
    await fleet.until("abeval.series WHERE state = 'running'");
    await fleet.untilAllEnded();
    expect(problemsOfLogs(await fleet.entries())).toEqual([]);
    expect(await fleet.ask("SELECT FROM abeval.entries WHERE attempt > 1")).toEqual([]);
  });
});
