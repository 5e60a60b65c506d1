import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { jsonPost } from "../http/service.ts";
import { describeNeeding } from "../needs.ts";
import { Fleet } from "../postgres/fleet.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { problemsOfLogs } from "../postgres/whole-logs.ts";

const ROUNDS = 4;

describeNeeding(POSTGRES)("a contest on a database", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await postgresServer();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  test("goes on where its worker was killed: each arm has one run in a round, and every pair is judged on it", async () => {
    const { url, sql } = await postgres.create();
    await using fleet = new Fleet(url);
    const [server, coordinator] = await Promise.all([fleet.server(), fleet.worker(3)]);
    const asked = { scenarios: ["contest"], trials: ROUNDS, contest: { mode: "best", keep_running: true } };
    const started = await fetch(`${server.url}/api/series`, jsonPost(asked));
    expect([started.status, await started.clone().text()]).toEqual([202, expect.any(String)]);
    await fleet.until("(SELECT WHERE 4 > (SELECT count(*) FROM abeval.sessions WHERE ended)) AS fewer");
    await coordinator.stop("SIGKILL");
    await fleet.worker(3);
    await fleet.until("abeval.series WHERE state = 'running'");
    const stored = await sql<{ trial_row: string }>("SELECT trial_row FROM abeval.sessions");
    const rows = stored.map(({ trial_row }) => JSON.parse(trial_row) as TrialRow);
    const whole = rows.filter(({ state }) => state === "completed");
    const places = whole.map(({ place, pair }) => `${place?.round} ${pair}`);
    expect(places.toSorted()).toEqual([1, 2, 3, 4].flatMap((round) => [0, 1, 2].map((pair) => `${round} ${pair}`)));
    for (const round of [1, 2, 3, 4]) {
      const own = whole.filter(({ place }) => place?.round === round);
      const ran = own.flatMap(({ session_id, pair = 0, stored_runs }) =>
        (["a", "b"] as const).map((side) => [PAIRS[pair]?.[side], stored_runs?.[side] ?? session_id]),
      );
      for (const arm of ["left", "middle", "right"])
        expect(new Set(ran.flatMap(([id, session_id]) => (id === arm ? [session_id] : []))).size).toBe(1);
    }
    for (const { session_id } of whole) {
      const session = (await (await fetch(`${server.url}/api/sessions/${session_id}`)).json()) as SessionOutcome;
      expect(session.arms.map(({ changes }) => changes?.files.length)).toEqual([1, 1]);
      expect(Object.values(session.decisions).every(({ length }) => length > 8)).toBe(true);
    }
    expect(problemsOfLogs(await fleet.entries())).toEqual([]);
  });
});

const PAIRS = [
  { a: "left", b: "middle" },
  { a: "left", b: "right" },
  { a: "middle", b: "right" },
];
