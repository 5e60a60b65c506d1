import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PriceList } from "../../src/domain/price-list.ts";
import type { SelfTest, SelfTestListing } from "../../src/domain/self-test.ts";
import { SMALL_FIX } from "../audit/small-fix.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { aSelfTest } from "../outcomes.ts";
import { until } from "../turns.ts";
import { aService, type TestService } from "./service.ts";

const started = async (service: TestService, body: object) => await service.post("/api/self-tests", body);

/** Read until it has ended. */
const ended = (service: TestService, id: string): Promise<SelfTest> =>
  until(async () => {
    const self_test = (await (await service.get(`/api/self-tests/${id}`)).json()) as SelfTest;
    return self_test.state !== "running" && self_test;
  });

test("a self-test is started, read, and kept", async () => {
  await using service = aService();
  const response = await started(service, { scenario: "judged", judge_model: "builtin/evidence" });
  expect(response.status).toBe(202);
  const { self_test_id } = (await response.json()) as { self_test_id: string };
  const self_test = await ended(service, self_test_id);
  expect(self_test).toMatchObject({ self_test_id, scenario: "judged", state: "completed", verdict: "warn", calls: 0 });
  expect(await service.services.store.self_tests.read(self_test_id)).toEqual(self_test);
});

test("self-tests are listed newest first, page by page, also one that runs", async () => {
  await using service = aService({ persistent: true });
  const { store, self_tests } = service.services;
  const at = (second: number) =>
    aSelfTest({ self_test_id: `self-test-sample-${second}`, created_at: `2026-01-02T03:04:0${second}.000Z` });
  for (const second of [1, 3]) await store.self_tests.keep("key", at(second));
  self_tests.set({ ...at(2), state: "running", verdict: null, finished_at: null });
  const page = async (query: string) => {
    const response = await service.get(`/api/self-tests${query}`);
    const rows = (await response.json()) as SelfTestListing[];
    const [, next] = /^<\/api\/self-tests(.+)>; rel="next"$/.exec(response.headers.get("link") ?? "") ?? [];
    return { rows: rows.map(({ self_test_id, state }) => `${self_test_id.at(-1)} ${state}`), next, all: rows };
  };
  const all = ["3 completed", "2 running", "1 completed"];
  expect(await page("")).toMatchObject({ rows: all, next: undefined });
  const { rows, next } = await page("?limit=2");
  expect(rows).toEqual(all.slice(0, 2));
  const last = await page(next ?? "");
  expect(last).toMatchObject({ rows: all.slice(2), next: undefined });
  expect(last.all[0]).not.toHaveProperty("parts");
  const unknown = await service.get("/api/self-tests?before=self-test-nothing");
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { code: "unknown_self_test" } }]);
});

test.each([
  ["an unknown scenario", { scenario: "nothing" }, 404, "unknown_scenario"],
  ["no panel", { scenario: "judged", judge_model: "openai/a,openai/b" }, 422, "invalid_request"],
  ["a limit of nothing", { scenario: "judged", max_cost_usd: 0 }, 422, "invalid_request"],
  ["a field of another request", { scenario: "judged", model_override: "openai/a" }, 422, "invalid_request"],
] as const)("it is refused: %s", async (_what, body, status, code) => {
  await using service = aService();
  const response = await started(service, body);
  expect([response.status, await response.json()]).toEqual([status, { error: expect.objectContaining({ code }) }]);
});

test("a limit that may not pay for one judging is refused, and nobody is asked", async () => {
  await using provider = await startFakeProvider({ reply: { text: "Both are great!" } });
  const prices: PriceList = new Map([["openai/j", { in: 1, out: 10, cached_in: null }]]);
  await using service = aService({ environment: provider.environment, services: { prices } });
  writeFileSync(join(service.services.catalog.directory, "adder.yaml"), SMALL_FIX);
  const asked = { scenario: "adder", judge_model: "openai/j" };
  const refused = await started(service, { ...asked, max_cost_usd: 0.001 });
  const { error } = (await refused.json()) as { error: { message: string; details: { needed_usd: number } } };
  expect(error.message).toStartWith("max_cost_usd (--max-cost): 0.001 USD for a scenario may not pay for one judging");
  expect(provider.requests).toHaveLength(0);
  const { self_test_id } = (await (
    await started(service, { ...asked, max_cost_usd: error.details.needed_usd })
  ).json()) as { self_test_id: string };
  const { cost_usd } = await ended(service, self_test_id);
  expect(provider.requests.length).toBeGreaterThan(0);
  expect(cost_usd).toBeLessThanOrEqual(error.details.needed_usd);
});

test("there is no self-test of an unknown id", async () => {
  await using service = aService();
  const response = await service.get("/api/self-tests/self-test-nothing");
  expect([response.status, await response.json()]).toMatchObject([404, { error: { code: "unknown_self_test" } }]);
});

test("judges are profiled from what is stored, and an unknown field of the query is refused", async () => {
  await using service = aService({ persistent: true });
  await service.post("/api/runs", { scenario: "quick" });
  const response = await service.get("/api/judges?model=builtin/evidence");
  // It asked no model, so nothing is known of it.
  expect([response.status, await response.json()]).toEqual([200, { judges: [], sessions_read: 1, complete: true }]);
  const refused = await service.get("/api/judges?modle=x");
  expect(refused.status).toBe(422);
});
