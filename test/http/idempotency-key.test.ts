import { expect, test } from "bun:test";
import type { SeriesRecord } from "../../src/domain/series-record.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SessionStore } from "../../src/store/store.ts";
import { until } from "../turns.ts";
import { aService, jsonPost, type TestService } from "./service.ts";

const KEY = '"8e03978e-40d5-43e8-bc93-6894a57f9324"';

const post = (service: TestService, path: string, body: unknown, key = KEY) => {
  const { headers, ...rest } = jsonPost(body);
  return service.fetch(path, { ...rest, headers: { ...headers, "idempotency-key": key } });
};

const json = async (response: Response | Promise<Response>) => (await (await response).json()) as never;

const many = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: 6 }, ask));

test.each([true, false])(
  "a run that is asked for again with its key is the same run (stored: %p)",
  async (persistent) => {
    await using service = aService({ persistent });
    const body = { scenario: "quick" };
    const ids = await many(async () => json(post(service, "/api/runs/async", body)));
    expect(new Set(ids.map(({ session_id }) => session_id)).size).toBe(1);
    const ends: SessionOutcome[] = await many(async () => json(post(service, "/api/runs", body, "another")));
    expect(new Set(ends.map(({ session_id, state }) => `${session_id} ${state}`)).size).toBe(1);
    expect(ends[0]?.state).toBe("completed");
    expect(await service.services.store.list()).toHaveLength(2);
  },
);

test("a blocking run that is asked for again while it goes on has one end for all", async () => {
  await using service = aService();
  const asked = [1, 2].map(() => post(service, "/api/runs", { scenario: "slow" }));
  const { session_id } = await until(async () => (await service.services.store.list())[0]);
  asked.push(post(service, "/api/runs", { scenario: "slow" }));
  expect((await service.fetch(`/api/runs/${session_id}`, { method: "DELETE" })).status).toBe(202);
  for (const response of await Promise.all(asked)) {
    expect(response.status).toBe(499);
    expect(await json(response)).toMatchObject({ error: { code: "cancelled", details: { session_id } } });
  }
});

test("a key that was used for something else is refused, and names what it was used for", async () => {
  await using service = aService();
  const { session_id } = await json(post(service, "/api/runs/async", { scenario: "quick" }));
  for (const [path, body] of [
    ["/api/runs/async", { scenario: "other" }],
    ["/api/runs", { scenario: "quick" }],
    ["/api/series", { scenarios: ["quick"] }],
    ["/api/self-tests", { scenario: "judged" }],
  ] as const) {
    const refused = await post(service, path, body);
    expect(refused.status).toBe(422);
    expect(await json(refused)).toEqual({
      error: {
        code: "invalid_request",
        message: `this Idempotency-Key was used for another request, which is ${session_id}: use a new key for each request`,
        details: { field: "Idempotency-Key" },
      },
    } as never);
  }
  expect(await service.services.store.list()).toHaveLength(1);
});

test("what is refused leaves its key free for another body", async () => {
  await using service = aService();
  expect((await post(service, "/api/runs/async", { scenario: "quikc" })).status).toBe(404);
  expect((await post(service, "/api/series", { scenarios: ["quick"], continue: aSeriesId })).status).toBe(404);
  expect((await post(service, "/api/runs/async", { scenario: "quick" })).status).toBe(200);
});

const aSeriesId = "series-20260102T030405678Z-0123abcd";

const ended = ({ series }: SessionStore, id: string) =>
  until(async () => {
    const record: SeriesRecord | undefined = await series.read(id);
    return record?.state === "running" ? undefined : record;
  });

test("a series is begun once, and continued once", async () => {
  await using service = aService({ persistent: true });
  const { store } = service.services;
  const body = { scenarios: ["quick"], trials: 1 };
  const ids = await many(async () => json(post(service, "/api/series", body)));
  expect(new Set(ids.map(({ series_id }) => series_id)).size).toBe(1);
  const [series_id = ""] = ids.map((each: { series_id: string }) => each.series_id);
  await ended(store, series_id);
  const more = { ...body, trials: 2, continue: series_id };
  for (let times = 0; times < 2; times += 1) {
    const went = await many(() => post(service, "/api/series", more, "more"));
    expect(went.map(({ status }) => status)).toEqual(Array(6).fill(202));
    expect((await ended(store, series_id)).changes).toHaveLength(1);
  }
  expect(await store.series.list()).toHaveLength(1);
  expect(await store.trials({ series_id })).toHaveLength(2);
});

test("a series of which the server dies before it goes on goes on when it is asked again", async () => {
  await using service = aService({ persistent: true });
  const body = { scenarios: ["quick"], trials: 1 };
  const { series_id } = await json(post(service, "/api/series", body));
  await ended(service.services.store, series_id);
  const more = { ...body, trials: 2, continue: series_id };
  const dying = Promise.withResolvers<void>();
  service.services.store.series.take = () => {
    dying.resolve();
    return new Promise(() => {});
  };
  void post(service, "/api/series", more, "more");
  await dying.promise;
  using store = sqliteStore(service.services.state_dir ?? "", systemClock, systemEntropy);
  await using restarted = aService({ services: { store } });
  expect((await post(restarted, "/api/series", more, "more")).status).toBe(202);
  expect(await ended(store, series_id)).toMatchObject({ state: "completed", limits: { trials: 2 } });
  expect((await post(restarted, "/api/series", more, "more")).status).toBe(202);
  expect((await ended(store, series_id)).changes).toHaveLength(1);
  expect(await store.trials({ series_id })).toHaveLength(2);
});

test("two stored arms are judged again once, and a judge is tested once", async () => {
  await using service = aService({ persistent: true });
  const { session_id, arms }: SessionOutcome = await json(service.post("/api/runs", { scenario: "quick" }));
  const [arm_a, arm_b] = arms.map(({ arm_id }) => ({ session_id, arm_id }));
  const ask = (body: object = {}) => post(service, "/api/verdicts", { arm_a, arm_b, ...body }, "judge");
  const first: { verdict_id: string } = await json(ask());
  expect(await json(ask())).toEqual(first as never);
  expect((await ask({ judge_model: "builtin/evidence" })).status).toBe(422);
  const { verdicts }: SessionOutcome = await json(service.get(`/api/sessions/${session_id}`));
  expect(verdicts.map(({ verdict_id }) => verdict_id)).toEqual([first.verdict_id]);

  const body = { scenario: "judged", judge_model: "builtin/evidence" };
  const tests = await many(async () => json(post(service, "/api/self-tests", body, "test")));
  expect(new Set(tests.map(({ self_test_id }) => self_test_id)).size).toBe(1);
});

test("a verdict that is not there yet says to ask again, and one that failed is asked for anew", async () => {
  await using service = aService({ persistent: true });
  const { session_id, arms }: SessionOutcome = await json(service.post("/api/runs", { scenario: "quick" }));
  const [arm_a, arm_b] = arms.map(({ arm_id }) => ({ session_id, arm_id }));
  const body = { arm_a, arm_b };
  const { store } = service.services;
  const add = store.add.bind(store);
  const adding = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  store.add = async (...given) => {
    adding.resolve();
    await goOn.promise;
    await add(...given);
  };
  const first = post(service, "/api/verdicts", body);
  await adding.promise;
  const early = await post(service, "/api/verdicts", body);
  expect([early.status, early.headers.get("retry-after")]).toEqual([409, "5"]);
  expect(await json(early)).toMatchObject({ error: { code: "session_not_finished" } });
  goOn.resolve();
  const verdict = await json(first);
  expect(await json(post(service, "/api/verdicts", body))).toEqual(verdict);

  store.add = async () => Promise.reject(new Error("no"));
  expect((await post(service, "/api/verdicts", body, "other")).status).toBe(500);
  store.add = add;
  expect((await post(service, "/api/verdicts", body, "other")).status).toBe(200);
});

test("a key is known after a restart", async () => {
  await using service = aService({ persistent: true });
  const { session_id } = await json(post(service, "/api/runs", { scenario: "quick" }));
  using store = sqliteStore(service.services.state_dir ?? "", systemClock, systemEntropy);
  await using restarted = aService({ services: { store } });
  expect(await json(post(restarted, "/api/runs", { scenario: "quick" }))).toMatchObject({ session_id });
  expect(await store.list()).toHaveLength(1);
});

test("one key in both of its forms is one key", async () => {
  await using service = aService();
  const asked = ['"a-1"', "a-1", ' "a-1" '].map(async (key) =>
    json(post(service, "/api/runs/async", { scenario: "quick" }, key)),
  );
  const ids = await Promise.all(asked);
  expect(new Set(ids.map(({ session_id }) => session_id)).size).toBe(1);
});

test.each([
  ["", "Idempotency-Key is empty"],
  ['""', "Idempotency-Key is empty"],
  [`"${"k".repeat(10_000)}"`, "Idempotency-Key has 10000 characters; 255 at most"],
  ['"a", "b"', "Idempotency-Key is not one string of printable ASCII"],
  ['"a";b=1', "Idempotency-Key is not one string of printable ASCII"],
  ['"a\\b"', "Idempotency-Key is not one string of printable ASCII"],
  ['"clé"', "Idempotency-Key is not one string of printable ASCII"],
  ["two words", "Idempotency-Key is not one string of printable ASCII"],
])("the key %p is refused, and nothing runs", async (key, message) => {
  await using service = aService();
  for (const [path, body] of [
    ["/api/runs", { scenario: "quick" }],
    ["/api/series", { scenarios: ["quick"] }],
  ] as const) {
    const refused = await post(service, path, body, key);
    expect(refused.status).toBe(400);
    expect(await json(refused)).toMatchObject({
      error: { code: "invalid_request", message: expect.stringContaining(message) },
    });
  }
  expect(await service.services.store.list()).toEqual([]);
});
