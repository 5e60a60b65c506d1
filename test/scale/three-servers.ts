import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SessionListing } from "../../src/domain/session-list.ts";
import type { Served } from "../http/served.ts";
import { jsonPost } from "../http/service.ts";
import { describeNeeding } from "../needs.ts";
import { Fleet } from "../postgres/fleet.ts";
import { roundRobin } from "../postgres/round-robin.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { problemsOfLogs } from "../postgres/whole-logs.ts";

const RUNS = 200;
const CLIENTS = 8;
const PLACES = 4;

interface Sent {
  readonly accepted: readonly string[];
  /** Nobody knows whether these were accepted. */
  readonly unanswered: number;
}

/** Starts runs, each as often as it takes to be told its id. */
async function startRuns(url: string, runs: number): Promise<Sent> {
  const accepted: string[] = [];
  let unanswered = 0;
  const left = Array(runs).keys();
  const client = async () => {
    for (const _ of left)
      for (;;) {
        const answer = await fetch(`${url}/api/runs/async`, jsonPost({ scenario: "brief" }));
        if (answer.status === 502) {
          unanswered += 1;
          continue;
        }
        const text = await answer.text();
        expect(text).toContain('"session_id"');
        accepted.push((JSON.parse(text) as { session_id: string }).session_id);
        break;
      }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return { accepted, unanswered };
}

/** Those that it is in the middle of. What it has asked of the database is done before. */
const runsOf = (worker_id = "") => `SELECT FROM abeval.sessions WHERE owner = '${worker_id}' AND NOT ended FOR UPDATE`;

/** Kills a server that has work: it can end none between the look and the signal. */
async function killAtWork({ child, stop }: Served, work: () => Promise<readonly unknown[]>): Promise<void> {
  child.kill("SIGSTOP");
  while ((await work()).length === 0) {
    child.kill("SIGCONT");
    await Bun.sleep(10);
    child.kill("SIGSTOP");
  }
  await stop("SIGKILL");
}

describeNeeding(POSTGRES)("three servers on one database", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await postgresServer();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  test("a request that is sent to two servers with one key runs once: at the same moment, later, and after a restart", async () => {
    await using fleet = new Fleet((await postgres.create()).url);
    const [one, other, _worker] = await Promise.all([fleet.server(), fleet.server(), fleet.worker(2)]);
    const ask = async (url: string, path: string, body: object, key: string) => {
      const { headers, ...rest } = jsonPost(body);
      const answer = await fetch(`${url}${path}`, { ...rest, headers: { ...headers, "idempotency-key": key } });
      const { session_id, series_id } = (await answer.json()) as { session_id?: string; series_id?: string };
      return `${answer.status} ${session_id ?? series_id}`;
    };
    const everywhere = (path: string, body: object, key: string) =>
      Promise.all([one, other, one, other].map(({ url }) => ask(url, path, body, key)));
    for (const key of ["a", "b", "c", "d", "e"])
      expect(new Set(await everywhere("/api/runs/async", { scenario: "brief" }, key)).size).toBe(1);
    const series = await everywhere("/api/series", { scenarios: ["brief"], trials: 2 }, "series");
    expect([...new Set(series)]).toEqual([expect.stringMatching(/^202 series-/)]);
    const blocking = new Set(await everywhere("/api/runs", { scenario: "brief" }, "blocking"));
    expect([...blocking]).toEqual([expect.stringMatching(/^200 session-brief-/)]);
    await one.stop("SIGKILL");
    const restarted = await fleet.server();
    expect(blocking).toContain(await ask(restarted.url, "/api/runs", { scenario: "brief" }, "blocking"));
    expect(series).toContain(await ask(restarted.url, "/api/series", { scenarios: ["brief"], trials: 2 }, "series"));
    await fleet.until("abeval.series WHERE state = 'running'");
    expect(await fleet.ask("SELECT count(*)::int AS runs FROM abeval.sessions")).toEqual([{ runs: 8 }]);
  });

  test("behind a plain proxy: of 200 runs all complete once, though one server is killed in the middle", async () => {
    await using fleet = new Fleet((await postgres.create()).url);
    const first = await fleet.server(PLACES);
    const [itself] = await fleet.ask<{ worker_id: string }>("SELECT worker_id FROM abeval.workers");
    const others = await Promise.all([fleet.server(PLACES), fleet.server(PLACES)]);
    await using proxy = roundRobin([first, ...others].map(({ url }) => url));
    const sending = startRuns(proxy.url, RUNS);
    const third = `SELECT FROM abeval.sessions WHERE ended OFFSET ${Math.floor(RUNS / 3)}`;
    await fleet.until(`(SELECT WHERE NOT EXISTS (${third})) AS fewer`);
    await killAtWork(first, () => fleet.ask(runsOf(itself?.worker_id)));
    const { accepted, unanswered } = await sending;
    await fleet.untilAllEnded();

    const rows = (await (await fetch(`${proxy.url}/api/sessions`)).json()) as SessionListing[];
    const ids = new Set(rows.map(({ session_id }) => session_id));
    expect(new Set(accepted).size).toBe(RUNS);
    expect(accepted.filter((id) => !ids.has(id))).toEqual([]);
    expect(ids.size).toBe(rows.length);
    expect(rows.length).toBeLessThanOrEqual(RUNS + unanswered);
    expect(rows.filter(({ state }) => state !== "completed")).toEqual([]);
    const entries = await fleet.entries();
    expect(problemsOfLogs(entries)).toEqual([]);
    expect(entries.some(({ attempt }) => attempt > 1)).toBe(true);
  }, 300_000);
});
