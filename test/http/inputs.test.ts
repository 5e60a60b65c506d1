import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "../../src/domain/scenario.ts";
import type { Series } from "../../src/domain/series.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { SessionListing } from "../../src/domain/session-list.ts";
import { talkServices, talkText } from "../session/series.ts";
import { aService } from "./service.ts";

test("a table over HTTP: its template, one row, and the series of all rows", async () => {
  const { resolveModel } = talkServices({ judge: () => "a" });
  await using service = aService({ persistent: true, services: { resolveModel } });
  const inputs = "inputs: [{id: late, greeting: Hello}, {id: soon, greeting: Hi}]\ntask:";
  const text = talkText("talk")
    .replace("task:", inputs)
    .replace(/prompt: [^,}\n]+/, 'prompt: "Say {{greeting}}."');
  writeFileSync(join(service.services.catalog.directory, "talk.yaml"), text);
  const scenario = async (query: string) =>
    (await (await service.get(`/api/scenarios/talk${query}`)).json()) as Scenario;
  expect(await scenario("")).toMatchObject({ inputs: { count: 2 }, task: { prompt: "Say {{greeting}}." } });
  expect(await scenario("?input=soon")).toMatchObject({ input: { id: "soon" }, task: { prompt: "Say Hi." } });
  expect((await service.get("/api/scenarios/talk?input=son")).status).toBe(422);

  const refused = await service.post("/api/runs", { scenario: "talk" });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("name one as `input` (late, soon), or run them all as a series");
  const [late, soon] = await Promise.all(
    ["late", "soon"].map(async (input) => {
      const response = await service.post("/api/runs", { scenario: "talk", input });
      return (await response.json()) as SessionOutcome;
    }),
  );
  expect(late?.input).toEqual({ id: "late", values: { id: "late", greeting: "Hello" } });
  const rows = (await (await service.get("/api/sessions?input=soon")).json()) as SessionListing[];
  expect(rows.map(({ session_id, input }) => [session_id, input])).toEqual([[soon?.session_id ?? "", "soon"]]);
  const [a, b] = late?.arms.map(({ arm_id }) => arm_id) ?? [];
  const across = await service.post("/api/verdicts", {
    arm_a: { session_id: late?.session_id, arm_id: a },
    arm_b: { session_id: soon?.session_id, arm_id: b },
  });
  expect(await across.text()).toContain("scenario_mismatch");

  const started = await service.post("/api/series", { scenarios: ["talk"], trials: 2 });
  expect(started.status, await started.clone().text()).toBe(202);
  const { series_id } = (await started.json()) as { series_id: string };
  await service.services.series.live(series_id)?.done;
  const series = (await (await service.get(`/api/series/${series_id}`)).json()) as Series;
  expect(series.scenarios.map(({ input }) => input)).toEqual(["late", "soon"]);
  expect(series.trials).toHaveLength(4);
});
