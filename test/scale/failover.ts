import { expect, test } from "bun:test";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { jsonPost } from "../http/service.ts";
import { describeNeeding } from "../needs.ts";
import { Fleet, startRun } from "../postgres/fleet.ts";
import { POSTGRES, postgresServer } from "../postgres/server.ts";
import { problemsOfLogs } from "../postgres/whole-logs.ts";
import { until } from "../turns.ts";

/** Longer than a promotion, shorter than a lease. */
const READ_ONLY_MS = 3_000;

describeNeeding(POSTGRES)("a database that is away for a while", () => {
  const answered = async (url: string, request?: RequestInit) => {
    const answer = await fetch(url, request);
    const { error } = (await answer.json()) as { error?: { code: string; message: string } };
    return { status: answer.status, again: answer.headers.get("retry-after"), ...error };
  };

  test("read-only, as before a standby is promoted: runs go on, who would start one is told, readers read", async () => {
    await using own = await postgresServer();
    const { url, sql } = await own.create();
    await using fleet = new Fleet(url);
    const front = await fleet.server();
    await fleet.worker(4);
    const ids = await Promise.all(Array.from({ length: 4 }, () => startRun(front, "slow")));
    await fleet.until("(SELECT WHERE 4 > (SELECT count(*) FROM abeval.sessions WHERE length > 4)) AS few");
    await sql("ALTER SYSTEM SET default_transaction_read_only = on");
    await sql("SELECT pg_reload_conf()");
    const message = "the database takes no writes just now; nothing was done, try again";
    // What was known a second ago counts for a second.
    await until(
      async () => (await answered(`${front.url}/api/runs`, jsonPost({ scenario: "none" }))).message === message,
    );
    expect(await answered(`${front.url}/api/runs/async`, jsonPost({ scenario: "brief" }))).toEqual({
      ...{ status: 503, again: "2", code: "not_ready" },
      message,
    });
    expect((await fetch(`${front.url}/api/sessions/${ids[0]}`)).status).toBe(200);
    await Bun.sleep(READ_ONLY_MS);
    await sql("ALTER SYSTEM RESET default_transaction_read_only");
    await sql("SELECT pg_reload_conf()");
    await fleet.untilAllEnded();
    const outcomes = await Promise.all(
      ids.map(async (id) => (await (await fetch(`${front.url}/api/sessions/${id}`)).json()) as SessionOutcome),
    );
    expect(outcomes.map(({ state, lost_attempts }) => [state, lost_attempts])).toEqual(
      ids.map(() => ["completed", undefined]),
    );
    expect(problemsOfLogs(await fleet.entries())).toEqual([]);
    expect(await startRun(front, "brief")).toStartWith("session-brief-");
  });

  test("gone: every request that needs it is refused, and says when to come again", async () => {
    await using own = await postgresServer();
    const { url } = await own.create();
    await using fleet = new Fleet(url);
    const front = await fleet.server(1);
    await own.stop("fast");
    const gone = { status: 503, again: "2", code: "not_ready" };
    for (const path of ["sessions", "sessions/session-a-20260102T030405678Z", "session-summary", "series", "judges"])
      expect(await answered(`${front.url}/api/${path}`)).toMatchObject(gone);
    for (const path of ["runs", "runs/async"])
      expect(await answered(`${front.url}/api/${path}`, jsonPost({ scenario: "brief" }))).toMatchObject(gone);
    expect(await answered(`${front.url}/api/scenarios/brief`)).toMatchObject({ status: 200 });
    await own.start();
    await fleet.until("(SELECT WHERE false) AS none");
    expect(await startRun(front, "brief")).toStartWith("session-brief-");
    await fleet.untilAllEnded();
  });
});
