import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DoctorReport } from "../../src/domain/doctor-report.ts";
import { abeval } from "../abeval.ts";
import { describeNeeding } from "../needs.ts";
import { Fleet, startRun, streamed } from "../postgres/fleet.ts";
import { POOLER, poolerOf } from "../postgres/pooler.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { problemsOfLogs, problemsOfStream } from "../postgres/whole-logs.ts";

describeNeeding(POSTGRES, POOLER)("a pooler in transaction mode", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await postgresServer();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  test("alone is refused, with what to do", async () => {
    const database = await postgres.create();
    using pooler = await poolerOf(database);
    const env = { ABEVAL_DATABASE_URL: database.urlBy(pooler.port) };
    const { status, stderr } = await abeval(["serve", "--addr", "127.0.0.1:0", "--lease", "10"], { env });
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^abeval: postgres:.*, as with a pooler in transaction mode; set ABEVAL_DATABASE_LISTEN_URL to the server itself\n$/,
    );
  });

  test("is good for everything but what listens, also while the server behind it restarts", async () => {
    const database = await postgres.create();
    using pooler = await poolerOf(database);
    await using fleet = new Fleet(database.url, { ABEVAL_DATABASE_LISTEN_URL: database.url });
    const url = database.urlBy(pooler.port);
    const [front] = await Promise.all([fleet.server(0, url), fleet.worker(3, url), fleet.worker(3, url)]);
    const { checks } = (await (await fetch(`${front.url}/api/doctor`)).json()) as DoctorReport;
    const failed = checks.filter(({ id, status }) => id.startsWith("database.") && status === "fail");
    expect(failed).toEqual([]);
    const ids = await Promise.all(Array.from({ length: 6 }, () => startRun(front, "slow")));
    const heard = ids.map((id) => streamed(front, id));
    await fleet.until("abeval.sessions WHERE length < 8");
    await postgres.restart("fast");
    await fleet.untilAllEnded();
    const entries = await fleet.entries();
    expect(problemsOfLogs(entries)).toEqual([]);
    expect(await fleet.ask("SELECT state, count(*)::int AS of FROM abeval.sessions GROUP BY 1")).toEqual([
      { state: "completed", of: 6 },
    ]);
    for (const [at, id] of ids.entries()) {
      const log = entries.filter(({ session_id }) => session_id === id);
      expect(problemsOfStream((await heard[at]) ?? [], log)).toEqual([]);
    }
  });
});
