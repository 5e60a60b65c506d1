import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../src/domain/failure.ts";
import type { Series, SeriesMembers } from "../../src/domain/series.ts";
import type { SeriesListing } from "../../src/domain/series-listing.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { stopRuns } from "../../src/doors/operation/runs.ts";
import { type Talk, talkServices, talkText } from "../session/series.ts";
import { until } from "../turns.ts";
import { aService, type ServiceOptions, type TestService } from "./service.ts";

/** A service with the scenarios `talk` and `chat`, whose judge does as it is told. */
function talking(play: Talk, options: ServiceOptions = {}): TestService {
  const { resolveModel } = talkServices(play);
  const service = aService({ persistent: true, ...options, services: { resolveModel, ...options.services } });
  for (const name of ["talk", "chat"])
    writeFileSync(join(service.services.catalog.directory, `${name}.yaml`), talkText(name));
  return service;
}

/** Two rows. */
const rowsText = (task: string) => `name: rows
title: Rows
inputs:
  - {id: one, question: "One?"}
  - {id: two, question: "Two?"}
task:
  prompt: "{{question}}"
  deliverable: answer${task}
arms:
  - {id: first, title: First, model: scripted/x, tools: [], system_prompt: One., script: [{say: Done.}]}
  - {id: second, title: Second, model: scripted/x, tools: [], system_prompt: Two., script: [{say: Done.}]}
rubric:
  criteria: [{id: turns, measure: turns, weight: 1}]
  judge: {model: builtin/evidence}
`;

async function start(service: TestService, request: object): Promise<string> {
  const response = await service.post("/api/series", { scenarios: ["talk"], ...request });
  expect(response.status).toBe(202);
  const { series_id } = (await response.json()) as { series_id: string };
  return series_id;
}

async function ended({ services }: TestService, series_id: string): Promise<void> {
  await services.series.live(series_id)?.done;
}

const read = async (service: TestService, series_id: string): Promise<Series> =>
  (await (await service.get(`/api/series/${series_id}`)).json()) as Series;

async function run(service: TestService, request: object): Promise<Series> {
  const series_id = await start(service, request);
  await ended(service, series_id);
  return await read(service, series_id);
}

/** Holds back the answers of arm a from its nth run on, until it is opened. */
function gate(from: number) {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const before = async (side: string, n: number, signal: AbortSignal) => {
    if (side !== "a" || n < from) return;
    reached.resolve();
    const stopped = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    await Promise.race([opened.promise, stopped]);
  };
  return { before, reached: reached.promise, open: () => opened.resolve() };
}

/** Events as they come. */
async function* eventsOf(response: Response): AsyncGenerator<{ event: string; session_id: string }, void, void> {
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) if (frame.startsWith("data: ")) yield JSON.parse(frame.slice("data: ".length));
  }
}

const STOPPED = new Failure("interrupted", "The server was stopped.");

const failureOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string; message: string; details?: Record<string, unknown> } }).error;

describe("a series", () => {
  test("is paged with what both arms left in each row, for a voter without why checks failed", async () => {
    await using service = talking({ judge: () => "tie" });
    const checks = `\n  probe:\n    checks:\n      - {id: rule, answer_contains: "no such words", required: true}`;
    writeFileSync(join(service.services.catalog.directory, "rows.yaml"), rowsText(checks));
    const series = await run(service, { scenarios: ["rows"], trials: 1 });
    const path = `/api/series/${series.series_id}/members`;
    const read = async (query = "") => (await (await service.get(`${path}${query}`)).json()) as SeriesMembers;
    const { rows, scenarios } = await read("?limit=1&after=1");
    expect(scenarios.map(({ input }) => input)).toEqual(["two"]);
    const place = { scenario: "rows", input: "two", trial: 2 };
    const failed = [{ check: "rule", why: 'the answer does not contain "no such words"' }];
    expect(rows).toMatchObject([
      {
        ...place,
        values: { question: "Two?" },
        cells: [
          { arm_id: "first", answer: "arm ted/x says 3", failed },
          { arm_id: "second", answer: "arm ted/x says 4", failed },
        ],
      },
    ]);
    expect(JSON.stringify((await read("?blind=true")).rows)).not.toContain("no such words");
    expect((await service.get(`${path}?blind=perhaps`)).status).toBe(422);
  });

  test("is started, read, listed, and its trials are listed with their places", async () => {
    await using service = talking({ judge: () => "a" });
    const series = await run(service, { stop_when_sure: true });
    expect(series).toMatchObject({ state: "completed", stop: "sure", conclusion: "a_preferred", kind: "planned" });
    const listed = (await (await service.get("/api/series")).json()) as SeriesListing[];
    expect(listed).toMatchObject([{ series_id: series.series_id, state: "completed", standing: { counted: 9 } }]);
    const sessions = await service.get(`/api/sessions?series_id=${series.series_id}`);
    const rows = (await sessions.json()) as { trial?: { trial: number } }[];
    expect(rows.map(({ trial }) => trial?.trial)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    const last = (await (await service.get(`/api/sessions/${series.trials[8]?.session_id}`)).json()) as SessionOutcome;
    expect(last.verdict?.series).toMatchObject({
      ...{ series_id: series.series_id, trial: 9, wins: 9, conclusion: "a_preferred" },
      ...{ e: series.headline.e, low: series.headline.low, high: series.headline.high },
    });
  });

  test("of several scenarios is listed under each of them", async () => {
    await using service = talking({ judge: () => "a" });
    const series = await run(service, { scenarios: ["chat", "talk"], trials: 1 });
    expect(series.scenarios.map(({ scenario }) => scenario)).toEqual(["chat", "talk"]);
    for (const [query, count] of [
      ["scenario=talk", 1],
      ["scenario=quick", 0],
      ["state=failed", 0],
    ] as const)
      expect(await (await service.get(`/api/series?${query}`)).json()).toHaveLength(count);
  });

  test("all stored runs of a comparison are one too, whether or not they were planned", async () => {
    await using service = talking({ judge: () => "b" });
    const planned = await run(service, { trials: 2 });
    await service.post("/api/runs", { scenario: "talk" });
    const of = `cmp-${planned.plan?.scenarios[0]?.comparison}`;
    const stored = await read(service, of);
    expect((await service.fetch(`/api/series/${of}`, { method: "DELETE" })).status).toBe(409);
    expect(stored).toMatchObject({ kind: "stored", plan: null, counts: { trials: 3, losses: 3 } });
  });

  test("lists are paged by a link", async () => {
    await using service = talking({ judge: () => "tie" });
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await run(service, { trials: 1 })).series_id);
    const first = await service.get("/api/series?limit=2");
    const rows = (await first.json()) as SeriesListing[];
    expect(rows.map(({ series_id }) => series_id)).toEqual(ids.slice(0, 2));
    const next = /^<(.*)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = await service.get(next);
    expect(await second.json()).toMatchObject([{ series_id: ids[2] }]);
    expect(second.headers.get("link")).toBeNull();
  });

  test("without a state directory is read while the server runs, and not listed", async () => {
    await using service = talking({ judge: () => "a" }, { persistent: false });
    const series = await run(service, { trials: 2 });
    expect(series.counts.wins).toBe(2);
    expect(await (await service.get("/api/series")).json()).toEqual([]);
  });
});

test("who asks again with the ETag is told only what is new", async () => {
  const { before, reached, open } = gate(2);
  await using service = talking({ judge: () => "a", before });
  const series_id = await start(service, { trials: 2 });
  await reached;
  // The other arm of the trial that waits changes its row once more.
  await until(async () => typeof (await service.services.store.trials({ series_id }))[1]?.arms.b.tokens === "number");
  const path = `/api/series/${series_id}`;
  const first = await service.get(path);
  const etag = first.headers.get("etag") ?? "";
  const again = (tag: string) => service.fetch(path, { headers: { "if-none-match": tag } });
  const known = await again(etag);
  expect([known.status, await known.text(), known.headers.get("etag")]).toEqual([304, "", etag]);
  expect((await again(`"other", ${etag.replace("W/", "")}`)).status).toBe(304);
  expect((await again('"other"')).status).toBe(200);
  open();
  await ended(service, series_id);
  const last = await again(etag);
  expect([last.status, ((await last.json()) as Series).state]).toEqual([200, "completed"]);
});

test("a self-test of the judge is new for who reads the stored runs of a comparison", async () => {
  await using service = talking({ judge: () => "a" });
  const { plan } = await run(service, { trials: 1 });
  const [planned] = plan?.scenarios ?? [];
  const path = `/api/series/cmp-${planned?.comparison}`;
  const first = await service.get(path);
  const again = () => service.fetch(path, { headers: { "if-none-match": first.headers.get("etag") ?? "" } });
  expect((await again()).status).toBe(304);
  const passed = { ...EXAMPLES.self_test, verdict: "pass" as const };
  await service.services.store.self_tests.keep(planned?.self_test_key ?? "", passed);
  const last = await again();
  expect([((await first.json()) as Series).flags, last.status]).toEqual([["few_tasks", "judge_unaudited"], 200]);
  expect(((await last.json()) as Series).flags).toEqual(["few_tasks"]);
});

describe("refused before anything is spent", () => {
  const REFUSED: readonly (readonly [object, string, string])[] = [
    [{ trials: 0 }, "invalid_request", "trials: "],
    [{ trials: 1001 }, "invalid_request", "trials: "],
    [{ trials: 2.5 }, "invalid_request", "trials: "],
    [{ margin: 0 }, "invalid_request", "margin: "],
    [{ margin: 0.5 }, "invalid_request", "margin: "],
    [{ parallel: 17 }, "invalid_request", "parallel: "],
    [{ scenarios: [] }, "invalid_request", "scenarios: "],
    [{ scenarios: ["talk", "talk"] }, "invalid_request", "scenarios: "],
    [{ scenarios: ["talk", "nothing"] }, "unknown_scenario", '"nothing"'],
    [{ scenarios: ["talk", "quick"] }, "invalid_request", "arm ids"],
    [{ single: true }, "invalid_request", 'unknown field "single"'],
    [{ trial: 5 }, "invalid_request", 'did you mean "trials"?'],
    [{ trials: 5, max_cost_usd: 3 }, "invalid_request", "fake/a has no price, and max_cost_usd (--max-cost) needs one"],
    [{ trials: 3, stop_when_sure: true }, "invalid_request", "trials: 3 in all"],
    [{ continue: "series-20260102T030405678Z-0123abcd" }, "unknown_series", "series-20260102T030405678Z-0123abcd"],
    [{ continue: "last" }, "invalid_request", "continue: expected the id of a series, series-…, as"],
  ];

  test.each(REFUSED)("%p", async (request, code, words) => {
    await using service = talking({ judge: () => "a" });
    const refused = await service.post("/api/series", { scenarios: ["talk"], ...request });
    const failure = await failureOf(refused);
    expect(failure).toMatchObject({ code, message: expect.stringContaining(words) });
    expect([404, 422]).toContain(refused.status);
    expect(await service.services.store.list()).toEqual([]);
    expect(await service.services.store.series.list()).toEqual([]);
  });

  test("to go on with another plan, or with a series that runs", async () => {
    const { before, reached } = gate(2);
    await using service = talking({ judge: () => "a", before });
    const series_id = await start(service, { trials: 2 });
    await reached;
    const goOn = async (request: object) =>
      await failureOf(await service.post("/api/series", { scenarios: ["talk"], continue: series_id, ...request }));
    expect((await goOn({ margin: 0.2 })).details).toEqual({ field: "continue", differing: ["margin"] });
    expect((await goOn({ scenarios: ["chat"] })).details).toMatchObject({ field: "continue" });
    expect((await goOn({})).message).toContain("is still running");
    await stopRuns(service.services, STOPPED);
  });
});

describe("a stream", () => {
  test("tells every reader all trials to the end of the series", async () => {
    const { before, reached, open } = gate(1);
    await using service = talking({ judge: () => "a", before });
    const series_id = await start(service, { trials: 3 });
    await reached;
    const readers = [1, 2].map(() => service.get(`/api/series/${series_id}/stream`));
    const texts = Promise.all(readers.map(async (reader) => await Array.fromAsync(eventsOf(await reader))));
    open();
    const [one = [], two = []] = await texts;
    expect(one).toEqual(two);
    const verdicts = one.filter(({ event }) => event === "verdict_ready");
    const series = await read(service, series_id);
    expect(verdicts.map(({ session_id }) => session_id)).toEqual(
      series.trials.flatMap(({ session_id }) => session_id ?? []),
    );
    expect(one.filter(({ event }) => event === "arm_finished")).toHaveLength(6);
  });

  test("tells a late reader the trial that runs from its start, and none that has ended", async () => {
    const { before, reached, open } = gate(3);
    await using service = talking({ judge: () => "a", before });
    const series_id = await start(service, { trials: 4 });
    await reached;
    const events = eventsOf(await service.get(`/api/series/${series_id}/stream`));
    open();
    const told = new Set((await Array.fromAsync(events)).map(({ session_id }) => session_id));
    const { trials } = await read(service, series_id);
    expect([...told]).toEqual(trials.slice(2).flatMap(({ session_id }) => session_id ?? []));
  });

  test("is not live for a series that has ended, nor for none", async () => {
    await using service = talking({ judge: () => "a" });
    const { series_id } = await run(service, { trials: 1 });
    for (const id of [series_id, "series-20260102T030405678Z-0123abcd", "cmp-1"]) {
      const response = await service.get(`/api/series/${id}/stream`);
      expect([response.status, (await failureOf(response)).code]).toEqual([404, "not_live"]);
    }
  });
});

test("a cancelled series keeps what there is", async () => {
  const { before, reached } = gate(3);
  await using service = talking({ judge: () => "a", before });
  const series_id = await start(service, { trials: 9 });
  await reached;
  const cancel = () => service.fetch(`/api/series/${series_id}`, { method: "DELETE" });
  const stream = service.get(`/api/series/${series_id}/stream`);
  const cancelled = await cancel();
  expect([cancelled.status, await cancelled.json()]).toEqual([202, { series_id }]);
  await ended(service, series_id);
  expect((await Array.fromAsync(eventsOf(await stream))).at(-1)).toMatchObject({
    event: "session_failed",
    code: "cancelled",
  });
  expect(await read(service, series_id)).toMatchObject({
    ...{ state: "cancelled", stop: "cancelled" },
    counts: { trials: 2, cancelled: 1 },
  });
  const again = await cancel();
  expect([again.status, (await failureOf(again)).code]).toEqual([409, "series_not_running"]);
});

test.each(["series-20260102T030405678Z-0123abcd", `cmp-${"0".repeat(64)}`, "cmp-1", "x"])(
  "there is no series %p to read or to cancel",
  async (id) => {
    await using service = talking({ judge: () => "a" });
    for (const method of ["GET", "DELETE"]) {
      const response = await service.fetch(`/api/series/${id}`, { method });
      expect([response.status, (await failureOf(response)).code]).toEqual([404, "unknown_series"]);
    }
  },
);

/** What a report claims, without ids and times. */
const said = ({ conclusion, stop, headline, counts, rounds, statement }: Series) => ({
  ...{ conclusion, stop, headline, counts, rounds, statement },
});

test("a series that was stopped between trials goes on, and reports as one that never stopped", async () => {
  const judge = (n: number) => (n === 2 ? "b" : "a");
  const { before, reached, open } = gate(4);
  await using service = talking({ judge, before });
  const series_id = await start(service, { stop_when_sure: true });
  await reached;
  service.services.series.live(series_id)?.halt(STOPPED);
  open();
  await ended(service, series_id);
  expect(await read(service, series_id)).toMatchObject({ state: "interrupted", counts: { trials: 4, failed: 0 } });
  const series = await run(service, { continue: series_id });
  await using unbroken = talking({ judge });
  expect(series.series_id).toBe(series_id);
  expect(said(series)).toEqual(said(await run(unbroken, { stop_when_sure: true })));
});

test("a trial that a stop cut short is missing, and made up for", async () => {
  const { before, reached, open } = gate(4);
  await using service = talking({ judge: () => "a", before });
  const series_id = await start(service, { trials: 6 });
  await reached;
  await stopRuns(service.services, STOPPED);
  expect(await read(service, series_id)).toMatchObject({
    ...{ state: "interrupted", stop: null, failure: STOPPED.message },
    counts: { trials: 3, failed: 1 },
  });
  open();
  expect(await run(service, { continue: series_id })).toMatchObject({
    ...{ state: "completed", stop: "exhausted", failure: null },
    counts: { trials: 6, wins: 6, failed: 1 },
  });
});
