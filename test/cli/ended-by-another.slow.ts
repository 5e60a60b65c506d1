import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { startAbeval } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";

test("a run whose session another process took and left without an end is over and says so", async () => {
  using directory = temporaryDirectory();
  const child = startAbeval(["run", "scenarios/log-triage.yaml", "--state-dir", directory.path]);
  const take = () => {
    using database = new Database(join(directory.path, "sessions.db"));
    database.run("PRAGMA busy_timeout = 5000");
    return database.run("UPDATE sessions SET owner = NULL, state = 'interrupted' WHERE state = 'running'").changes > 0;
  };
  await until(() => {
    try {
      return take();
    } catch {
      return false;
    }
  });
  expect(await child.exited).not.toBe(0);
  expect(await new Response(child.stderr).text()).toContain("was deleted or taken while it ran");
});
