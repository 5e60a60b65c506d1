import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelReply } from "../../src/arms/model/client.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { Metrics } from "../../src/doors/http/metrics.ts";
import { Semaphore } from "../../src/runtime/semaphore.ts";
import { scoringJudge } from "../judge/mock-judge.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";
import { sampleOf, samplesIn } from "./exposition.ts";
import { serve } from "./served.ts";
import { aService, jsonPost, scenarioText, startRun } from "./service.ts";

/** As hostile as the name of a model may be. */
const HOSTILE = 'scripted/evil"}=7{#';

test("a server counts what became of its runs, what models cost and what it refused, by closed lists alone", async () => {
  using directory = temporaryDirectory();
  const scenarios = join(directory.path, "scenarios");
  mkdirSync(scenarios);
  const evil = scenarioText("evil-name").replace("scripted/left", JSON.stringify(HOSTILE));
  writeFileSync(join(scenarios, "evil-name.yaml"), evil);
  writeFileSync(join(scenarios, "quick.yaml"), scenarioText("quick"));
  await using served = await serve(["--scenarios-dir", scenarios, "--state-dir", join(directory.path, "state")]);
  const read = async () => {
    const answer = await fetch(`${served.url}/api/metrics`);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    return samplesIn(await answer.text());
  };
  for (const scenario of ["evil-name", "quick"]) await fetch(`${served.url}/api/runs`, jsonPost({ scenario }));
  for (const path of ["/api/evil-path", "/api/sessions/session-evil-20260101T000000000Z", "/api/sessions/evil-id"])
    await fetch(served.url + path);
  const samples = await read();
  expect(sampleOf(samples, "abeval_sessions_accepted_total")).toBe(2);
  expect(sampleOf(samples, "abeval_sessions_ended_total", { state: "completed", code: "" })).toBe(2);
  expect(sampleOf(samples, "abeval_model_calls_total", { by: "arm", cost: "known" })).toBe(4);
  expect(sampleOf(samples, "abeval_requests_refused_total", { code: "unknown_route" })).toBe(1);
  expect(sampleOf(samples, "abeval_requests_refused_total", { code: "unknown_session" })).toBe(2);
  expect(sampleOf(samples, "abeval_sessions_running")).toBe(0);
  expect(sampleOf(samples, "abeval_sessions_queued")).toBe(0);
  expect(sampleOf(samples, "abeval_oldest_queued_seconds")).toBe(0);
  expect(sampleOf(samples, "abeval_store_up")).toBe(1);
  expect(sampleOf(samples, "abeval_store_read_seconds")).toBeGreaterThanOrEqual(0);
  expect(sampleOf(samples, "process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  expect(sampleOf(samples, "process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(sampleOf(samples, "nodejs_eventloop_lag_max_seconds")).toBeGreaterThanOrEqual(0);
  expect(sampleOf(samples, "abeval_workers")).toBeUndefined();
  // Many scrapes and many names later there are as many series as before.
  const names = ({ name, labels }: (typeof samples)[number]) => `${name} ${JSON.stringify(labels)}`;
  expect((await read()).map(names)).toEqual(samples.map(names));
  expect(JSON.stringify(samples.map(names))).not.toContain("evil");
});

test("the documented metrics are those that there are", async () => {
  await using service = aService();
  const text = await (await service.get("/api/metrics")).text();
  const names = (of: string, form: RegExp) => [...new Set(of.match(form))].toSorted();
  const page = await Bun.file(join(import.meta.dir, "../../docs/scale.md")).text();
  const written = names(page, /(?<=`)abeval_\w+_?(?=`)/g).filter((name) => name !== "abeval_queue");
  expect(names(text, /(?<=^# TYPE )abeval_\w+/gm)).toEqual(written);
});

test("what waits is counted, with the age of the oldest", async () => {
  await using service = aService({ services: { slots: new Semaphore(1, 10) } });
  const [running, waiting] = [await startRun(service, "slow"), await startRun(service, "slow")];
  const read = async () => samplesIn(await (await service.get("/api/metrics")).text());
  await until(async () => sampleOf(await read(), "abeval_sessions_running") === 1);
  const samples = await read();
  expect(sampleOf(samples, "abeval_sessions_queued")).toBe(1);
  const { created_at } = (await (await service.get(`/api/sessions/${waiting}`)).json()) as { created_at: string };
  const age_s = (service.services.clock.now().getTime() - Date.parse(created_at)) / 1000;
  expect(sampleOf(samples, "abeval_oldest_queued_seconds")).toBeLessThanOrEqual(age_s);
  for (const id of [waiting, running]) await service.fetch(`/api/runs/${id}`, { method: "DELETE" });
  await until(async () => sampleOf(await read(), "abeval_sessions_running") === 0);
  expect(sampleOf(await read(), "abeval_sessions_queued")).toBe(0);
});

test("a judge's replies and their cost are counted apart from the arms'", async () => {
  const metrics = new Metrics();
  const price = { in: 1, out: 1, cached_in: null };
  await using service = aService({
    app: { metrics },
    services: {
      spent: metrics.spent,
      prices: new Map([["openai/judge", price]]),
      resolveModel: (ref) => (ref === "openai/judge" ? JUDGE : { ...JUDGE, complete: async () => REPLY }),
    },
  });
  const answer = await service.post("/api/runs", {
    scenario: "judged",
    model_override: "openai/m",
    judge_model: "openai/judge",
  });
  const { totals, verdict } = (await answer.json()) as SessionOutcome;
  const samples = samplesIn(await (await service.get("/api/metrics")).text());
  expect(sampleOf(samples, "abeval_model_calls_total", { by: "arm", cost: "unknown" })).toBe(2);
  expect(sampleOf(samples, "abeval_model_cost_usd_total", { by: "arm" })).toBe(0);
  expect(totals.cost_usd).toBeNull();
  expect(sampleOf(samples, "abeval_model_calls_total", { by: "judge", cost: "known" })).toBe(verdict?.calls.length);
  expect(sampleOf(samples, "abeval_model_cost_usd_total", { by: "judge" })).toBe(verdict?.usage.cost_usd as number);
});

const JUDGE = scoringJudge((_slot, ids) => Object.fromEntries(ids.map((id) => [id, 2])));

const REPLY: ModelReply = {
  ...{ text: "Done.", calls: [], stop: "end", stop_reason: "end", model_served: null },
  ...{ tokens_in: 900, tokens_out: 100, cached_tokens: 0 },
};

test("the library is loaded when somebody asks for the figures, not while runs go on", async () => {
  const script = `
    import { Metrics } from ${JSON.stringify(join(import.meta.dir, "../../src/doors/http/metrics.ts"))};
    const metrics = new Metrics();
    metrics.refused("internal");
    metrics.news({ event: "accepted", session_id: "session-1" });
    metrics.spent({ by: "arm", calls: 1, cost_usd: 0 });
    const loaded = () => Object.keys(require.cache).filter((path) => path.includes("/prom-client/")).length;
    process.once("exit", () => console.log(loaded()));`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  expect(await new Response(child.stdout).text()).toBe("0\n");
});
