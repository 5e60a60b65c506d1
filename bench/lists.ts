import { Database } from "bun:sqlite";
import { join } from "node:path";
import { POSTGRES, postgresServer } from "../test/postgres/server.ts";
import { inTurns, report, round } from "./measure.ts";
import { BenchDirectory, run, scripted } from "./program.ts";
import type { ServerProcess } from "./server-process.ts";

const SIZES = [1_000, 100_000, 1_000_000] as const;
const ROUNDS = 7;
const TEXTS = 1_000;

/** Milliseconds that each may take at the largest size. */
const ASKED: Readonly<Record<string, { readonly path: string; readonly goal_ms?: number }>> = {
  "newest 50": { path: "sessions?limit=50", goal_ms: 20 },
  "50 behind a page": { path: "sessions?limit=50&before=session-tiny-20260101T000000500Z", goal_ms: 20 },
  "50 with a word that all have": { path: "sessions?limit=50&text=tiny", goal_ms: 300 },
  "50 with a word that none has": { path: "sessions?limit=50&text=nowhere-to-be-found", goal_ms: 300 },
  "50 with a time that none has": { path: "sessions?limit=50&text=20990101t" },
  "figures of all": { path: "session-summary" },
  "judges' page": { path: "judges" },
};

/** Lists, searches and figures among few and very many stored sessions, over HTTP. */
export async function lists(): Promise<void> {
  const dir = new BenchDirectory();
  dir.scenario("tiny", scripted("tiny"));
  await measured("SQLite", async (sessions) => await inFile(dir, sessions));
  if (!POSTGRES.met) return console.log(`lists of PostgreSQL are not measured: ${POSTGRES.what} is missing`);
  await using postgres = await postgresServer();
  await measured("PostgreSQL", async (sessions) => {
    const { url, sql } = await postgres.create();
    const server = await dir.serve(["--database-url", url]);
    await run(server, "tiny").catch(() => Bun.sleep(2_000).then(() => run(server, "tiny")));
    const columns = await sql<{ name: string }>(`SELECT quote_ident(column_name) AS name
      FROM information_schema.columns WHERE table_schema = 'abeval' AND table_name = 'sessions'
        AND column_name NOT IN ('position', 'session_id')`);
    const names = columns.map(({ name }) => name).join(", ");
    await sql(`INSERT INTO abeval.sessions (session_id, ${names})
      SELECT 'session-tiny-20260101T' || lpad(i::text, 9, '0') || 'Z', ${names}
      FROM abeval.sessions, generate_series(1, ${sessions - 1}) AS i`);
    await sql("VACUUM ANALYZE abeval.sessions");
    return server;
  });
}

async function inFile(dir: BenchDirectory, sessions: number): Promise<ServerProcess> {
  const state = join(dir.path, `lists-${sessions}`);
  const server = await dir.serve(["--state-dir", state]);
  await run(server, "tiny");
  using database = new Database(join(state, "sessions.db"));
  const columns = database.query("SELECT name FROM pragma_table_info('sessions')").all() as { name: string }[];
  const names = columns.map(({ name }) => name).filter((name) => !["position", "session_id", "copied"].includes(name));
  // Nobody looks for the JSON copy of a session whose size is below 0.
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO sessions (session_id, copied, ${names.join(", ")})
     SELECT printf('session-tiny-20260101T%09dZ', i), -1, ${names.join(", ")} FROM n, (SELECT * FROM sessions)`,
    [sessions - 1],
  );
  // So many different scenarios, models and judges.
  database.run(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${TEXTS})
    INSERT INTO texts (text) SELECT text || ' ' || i FROM n, (SELECT text FROM texts LIMIT 1)`);
  database.run(`INSERT INTO session_texts SELECT 1 + position % ${TEXTS}, position FROM sessions WHERE TRUE
    ON CONFLICT DO NOTHING`);
  return server;
}

async function measured(store: string, filled: (sessions: number) => Promise<ServerProcess>): Promise<void> {
  const medians = new Map<string, number>();
  for (const sessions of SIZES) {
    await using server = await filled(sessions);
    for (const [what, { path, goal_ms }] of Object.entries(ASKED)) {
      const ask = async () => {
        const began = performance.now();
        const answer = await fetch(new URL(`/api/${path}`, server.url));
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
        return performance.now() - began;
      };
      await ask();
      const { asked } = await inTurns({ asked: ask }, ROUNDS);
      const few = medians.get(what) ?? asked.median;
      medians.set(what, few);
      const isLast = sessions === SIZES[2] && goal_ms !== undefined;
      report(`${store}, ${what} of ${sessions} sessions`, asked, {
        unit: "ms",
        yardstick: `${round(asked.median / few)} x of 1,000`,
        ...(isLast && { goal: `<= ${goal_ms} ms`, met: asked.median <= goal_ms }),
      });
    }
  }
}
