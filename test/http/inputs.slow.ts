import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "../../src/domain/scenario.ts";
import type { Series, SeriesMembers } from "../../src/domain/series.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { SessionListing } from "../../src/domain/session-list.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { demandTwoArms, findSeries } from "../../src/doors/operation/find-series.ts";
import { abridged } from "../../src/doors/operation/series.ts";
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
  expect(series.omitted).toBeUndefined();
  const none = await service.get(`/api/series/${series_id}?by=greeting`);
  expect([none.status, await none.text()]).toEqual([422, expect.stringContaining("there is no column")]);
});

test("a series is grouped when asked, and its rows are read in pages", async () => {
  const { resolveModel } = talkServices({ judge: () => "a" });
  await using service = aService({ persistent: true, services: { resolveModel } });
  const rows = Array.from({ length: 12 }, (_, n) => `{word: w${n}, lang: ${n % 2 ? "de" : "en"}}`);
  const text = talkText("talk")
    .replace("task:", `inputs: [${rows.join(", ")}]\ntask:`)
    .replace(/prompt: [^,}\n]+/, 'prompt: "Say {{word}}."');
  writeFileSync(join(service.services.catalog.directory, "talk.yaml"), text);
  const started = await service.post("/api/series", { scenarios: ["talk"], trials: 2, parallel: 8 });
  const { series_id } = (await started.json()) as { series_id: string };
  await service.services.series.live(series_id)?.done;
  const read = async <T>(query: string) => (await (await service.get(`/api/series/${series_id}${query}`)).json()) as T;
  const series = await read<Series>("?by=lang");
  expect(series.groups?.map(({ value, counts }) => [value, counts.rows, counts.trials])).toEqual([
    ["en", 6, 12],
    ["de", 6, 12],
  ]);
  const page = await read<SeriesMembers>("/members?limit=10&after=10");
  expect([page.total, page.scenarios.length, page.trials.length, page.next_after]).toEqual([12, 2, 4, null]);
  expect(page.scenarios[0]?.input).toBe("11");
  expect((await read<SeriesMembers>("/members?limit=10")).next_after).toBe(10);
});

test("the report of a state is made once, however many pages are read of it, and again when the state is another", async () => {
  const { resolveModel } = talkServices({ judge: () => "a" });
  await using service = aService({ persistent: true, services: { resolveModel } });
  writeFileSync(join(service.services.catalog.directory, "talk.yaml"), talkText("talk"));
  const run = async (request: object) => {
    const started = await service.post("/api/series", { scenarios: ["talk"], ...request });
    const { series_id } = (await started.json()) as { series_id: string };
    await service.services.series.live(series_id)?.done;
    return series_id;
  };
  const series_id = await run({ trials: 2 });
  const found = async (id = series_id) => demandTwoArms(await (await findSeries(service.services, id)).report());
  const [first, second] = await Promise.all([found(), found()]);
  expect(second).toBe(first);
  expect(await found()).toBe(first);
  await run({ trials: 4, continue: series_id });
  const later = await found();
  expect([first.trials.length, later.trials.length]).toEqual([2, 4]);
  // Two are kept.
  const others = [await run({ trials: 1 }), await run({ trials: 1 })];
  const kept = await found();
  for (const other of others) await found(other);
  const made_again = await found();
  expect(made_again).toEqual(kept);
  expect(made_again).not.toBe(kept);
});

test("an answer holds the first 500 rows and trials, and says how many it leaves out", () => {
  const many = <T>(one: T | undefined, length: number): T[] =>
    Array.from({ length }, () => one ?? expect.unreachable());
  const [scenarios, trials] = [many(EXAMPLES.series.scenarios[0], 501), many(EXAMPLES.series.trials[0], 1_002)];
  const { omitted, ...short } = abridged({ ...EXAMPLES.series, scenarios, trials });
  expect([short.scenarios.length, short.trials.length, omitted]).toEqual([500, 500, { scenarios: 1, trials: 502 }]);
  expect(abridged(EXAMPLES.series)).toBe(EXAMPLES.series);
});
