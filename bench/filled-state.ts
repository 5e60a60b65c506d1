import { Database } from "bun:sqlite";
import { join } from "node:path";
import { type BenchDirectory, run } from "./program.ts";
import { startBenchProvider } from "./provider.ts";

/** A state directory with one session of `scenario` that really ran. Its rows are copied until there are `sessions`. */
export async function filledState(dir: BenchDirectory, scenario: string, sessions: number): Promise<string> {
  const state = join(dir.path, `state-${sessions}`);
  {
    await using provider = startBenchProvider();
    await using server = await dir.serve(["--state-dir", state], provider);
    await run(server, scenario);
  }
  using database = new Database(join(state, "sessions.db"));
  const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
  const id = "printf('session-hello-20260102T%09dZ', i)";
  database.transaction(() => {
    // Before the sessions are copied, while there is only one.
    database.run(
      `${numbers} INSERT INTO entries (session_id, n, attempt, entry)
       SELECT ${id}, number, attempt, entry FROM n, (SELECT n AS number, attempt, entry FROM entries)`,
      [sessions - 1],
    );
    // Nobody looks for the JSON copy of a session whose size is below 0.
    database.run(
      `${numbers} INSERT INTO sessions (session_id, scenario, state, owner, copied, listing)
       SELECT ${id}, scenario, state, NULL, -1, listing FROM n, (SELECT * FROM sessions)`,
      [sessions - 1],
    );
  })();
  return state;
}
