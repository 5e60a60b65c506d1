import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { until } from "../turns.ts";
import { aService } from "./service.ts";

test("a run whose session is deleted meanwhile stops, and its caller is told so; that is no internal error", async () => {
  await using service = aService({ persistent: true });
  const answer = service.post("/api/runs", { scenario: "brief" });
  const [one] = await until(async () => {
    const rows = await service.services.store.list({ state: "running" });
    return rows.length > 0 && rows;
  });
  {
    using database = new Database(join(service.services.state_dir ?? "", "sessions.db"));
    for (const table of ["sessions", "entries"]) database.run(`DELETE FROM ${table}`);
  }
  expect((await answer).status).toBe(503);
  expect(await (await answer).json()).toEqual({
    error: { code: "interrupted", message: `${one?.session_id} was deleted or taken while it ran` },
  });
  expect(service.notices.filter((line) => /internal|error/.test(line))).toEqual([]);
  expect((await service.get(`/api/sessions/${one?.session_id}`)).status).toBe(404);
  expect(service.services.runs.all()).toEqual([]);
});
