import { setTimeout as sleep } from "node:timers/promises";
import type { SessionOutcome } from "../src/domain/session.ts";
import type { Served } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { Fleet, startRun } from "../test/postgres/fleet.ts";
import { POOLER, poolerOf } from "../test/postgres/pooler.ts";
import { proxyTo } from "../test/postgres/proxy.ts";
import { POSTGRES, postgresServer, standbyOf, type TestDatabase } from "../test/postgres/server.ts";
import { problemsOfLogs, problemsOfLosses } from "../test/postgres/whole-logs.ts";
import { type Case, hold, Skip } from "./campaign.ts";
import { problemsOf } from "./invariants.ts";
import { type Random, whole } from "./random.ts";

const RUNS = 8;
const ENTRIES = 24;
/** Between the end of the primary and the promotion of its standby: below a lease. */
const LONGEST_MS = 4_000;

/**
 * The primary dies, its standby takes its address, still read-only, and is promoted. Runs are started all the while. The address
 * is that of a proxy, or of PgBouncer, whose settings name the standby then.
 */
export function failover(random: Random, by: "a proxy" | "PgBouncer"): Case {
  const entries = 1 + whole(random, ENTRIES);
  const read_only_ms = whole(random, LONGEST_MS);
  return {
    name: `after ${entries} entries of a run a standby takes over behind ${by}, promoted after ${read_only_ms} ms`,
    async run() {
      const missing = (by === "PgBouncer" ? [POSTGRES, POOLER] : [POSTGRES]).find(({ met }) => !met);
      if (missing) throw new Skip(`needs ${missing.what}`);
      await using primary = await postgresServer();
      const database = await primary.create();
      const { url, urlBy } = database;
      const { env, way: opened } = await wayBy(by, database, primary.port);
      using way = opened;
      await using fleet = new Fleet(url, env);
      const server = await fleet.server(0, urlBy(way.port));
      await fleet.worker(RUNS, urlBy(way.port));
      await using standby = await standbyOf(primary);
      const ids = await Promise.all(Array.from({ length: RUNS }, () => startRun(server, "steps")));
      await fleet.until(`abeval.sessions WHERE session_id = '${ids[0]}' AND length < ${entries}`);
      await primary.stop("immediate");
      way.leadTo(standby.port);
      await sleep(read_only_ms);
      const refused = await fetch(`${server.url}/api/runs/async`, jsonPost({ scenario: "steps" }));
      const told = await refused.text();
      const isTold = refused.status === 503 && refused.headers.has("retry-after");
      hold(isTold || refused.status === 200, "503 with Retry-After, or a run", { status: refused.status, told });
      await standby.promote();
      await using after = new Fleet(url.replace(String(primary.port), String(standby.port)));
      await after.untilAllEnded();
      await checkAll(after, server, refused.status === 200 ? RUNS + 1 : RUNS);
      const { status } = await server.stop();
      hold(status === 0, "the server to stop with 0", server.log());
    },
  };
}

async function wayBy(by: "a proxy" | "PgBouncer", database: TestDatabase, port: number) {
  if (by === "a proxy") return { way: await proxyTo(port), env: {} };
  const way = await poolerOf(database);
  return { way, env: { ABEVAL_DATABASE_LISTEN_URL: way.listening } };
}

async function checkAll(fleet: Fleet, { url }: Served, runs: number): Promise<void> {
  const entries = await fleet.entries();
  const logs = Map.groupBy(entries, ({ session_id }) => session_id);
  hold(logs.size === runs, `${runs} sessions`, [...logs.keys()]);
  const problems: string[] = [...problemsOfLogs(entries)];
  for (const [id, log] of logs) {
    const outcome = (await (await fetch(`${url}/api/sessions/${id}`)).json()) as SessionOutcome;
    problems.push(...problemsOf(outcome), ...problemsOfLosses(log, outcome));
    if (outcome.state !== "completed") problems.push(`${id} ${outcome.state}: ${outcome.failure?.message}`);
  }
  hold(problems.length === 0, "every run to complete once", problems.join("; "));
}
