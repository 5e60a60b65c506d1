import { Database } from "bun:sqlite";
import { join } from "node:path";
import { type Ground, run } from "./program.ts";
import { startBenchProvider } from "./provider.ts";

/** A state directory with one session of `scenario` that really ran, and its rows again until there are `sessions`. */
export async function filledState(ground: Ground, scenario: string, sessions: number): Promise<string> {
  const state = join(ground.path, `state-${sessions}`);
  {
    await using provider = startBenchProvider();
    await using server = await ground.serve(["--state-dir", state], provider);
    await run(server, scenario);
  }
  using database = new Database(join(state, "sessions.db"));
  const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
  const id = "printf('session-hello-20260102T%09dZ', i)";
  database.transaction(() => {
    // Before the sessions, of which there is only the one that ran.
    database.run(
      `${numbers} INSERT INTO decisions (session_id, arm_id, seq, decision)
       SELECT ${id}, arm_id, seq, decision FROM n, (SELECT * FROM decisions)`,
      [sessions - 1],
    );
    database.run(
      `${numbers} INSERT INTO sessions (session_id, scenario, state, owner, copied, listing, outcome)
       SELECT ${id}, scenario, state, NULL, 1, listing, outcome FROM n, (SELECT * FROM sessions)`,
      [sessions - 1],
    );
  })();
  return state;
}
