import { afterAll, beforeAll, expect, test } from "bun:test";
import { NEED_OF_PROTOCOLS } from "../../src/comparison/planning/needs.ts";
import { seriesSource } from "../../src/comparison/planning/prepare-series.ts";
import type { RunNews } from "../../src/comparison/planning/services.ts";
import { scenarioDigest } from "../../src/comparison/scenario/digest.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { storedBaseline } from "../../src/comparison/session/baseline.ts";
import { cancelSeriesAnywhere } from "../../src/comparison/session/cancel.ts";
import { cancelInFlight, isInFlight, seriesInFlight } from "../../src/comparison/session/in-flight.ts";
import { type OpenOptions, openSeries } from "../../src/comparison/session/open-series.ts";
import type { Requester } from "../../src/comparison/session/started-session.ts";
import type { RunEvent } from "../../src/domain/event.ts";
import { isFinal } from "../../src/domain/session-state.ts";
import { followRun } from "../../src/doors/operation/follow-run.ts";
import { followSeries } from "../../src/doors/operation/follow-series.ts";
import { readSession } from "../../src/store/read-session.ts";
import { KeyHeld } from "../../src/store/request-keys.ts";
import { scored, scoredScenario, seriesOf } from "../baseline/scored.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playScript } from "../fake-provider/play-script.ts";
import { bundled, testServices } from "../harness.ts";
import { wellFormed } from "../judge/mock-judge.ts";
import { describeNeeding } from "../needs.ts";
import { anOutcome } from "../outcomes.ts";
import { aGate, aProcess, type Process, start } from "../postgres/processes.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { talk } from "../session/series.ts";
import { createdEntry } from "../stored.ts";
import { until } from "../turns.ts";

const events = ({ services }: Process, session_id: string): Promise<RunEvent[]> =>
  Array.fromAsync(followRun(services.store, session_id), ({ event }) => event);

const ends = (told: readonly RunEvent[]) =>
  told.filter(({ event }) => event === "verdict_ready" || event === "session_failed");

/** How often a process has read all trials of a series. */
function wholeReads({ services: { shared } }: Process): () => number {
  let reads = 0;
  const [trials, append] = [shared.trials.bind(shared), shared.append.bind(shared)];
  shared.trials = (of) => {
    if ("series_id" in of) reads += 1;
    return trials(of);
  };
  shared.append = (run, given, safety) =>
    append(
      run,
      typeof given === "function"
        ? (rows) => {
            reads += 1;
            return given(rows);
          }
        : given,
      safety,
    );
  return () => reads;
}

const OLD = scored("old", [1, 2, 3]);

/** The work, while a process is there that runs what is queued. */
async function withWorker<T>(url: string, work: () => Promise<T>): Promise<T> {
  await using _worker = await aProcess(url, { slots: 2 });
  return await work();
}

describeNeeding(POSTGRES)("processes that share a store", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });
  const database = async () => (await server.create()).url;

  test("what one accepts another runs, and every one of them reads and follows it", async () => {
    const url = await database();
    await using front = await aProcess(url);
    await using _worker = await aProcess(url, { slots: 1 });
    await using reader = await aProcess(url);
    const { session_id, done } = await start(front);
    const told = events(reader, session_id);
    const outcome = await done;
    expect(outcome).toMatchObject({ session_id, state: "completed", verdict: { winner: "a" } });
    expect(outcome).not.toHaveProperty("lost_attempts");
    expect(await readSession(reader.services.store, session_id)).toEqual(outcome);
    expect(ends(await told)).toMatchObject([{ event: "verdict_ready" }]);
    expect(await isInFlight(reader.services, session_id)).toBe(false);
    expect(await front.services.shared.queue.waiting()).toEqual([]);
  });

  test("a worker reads the trials of a table where a round may end, however long the table is", async () => {
    const url = await database();
    await using front = await aProcess(url);
    await using worker = await aProcess(url, { slots: 2 });
    const whole = wholeReads(worker);
    const loaded = await talk();
    const rows = Array.from({ length: 40 }, (_, index) => {
      const definition = { ...loaded.definition, input: { id: `r${index + 1}`, values: { n: index } } };
      return { ...loaded, definition, digest: scenarioDigest(definition) };
    });
    const { done, series_id } = await openSeries(front.services, seriesSource(rows), { trials: 1, parallel: 2 });
    expect(await done).toMatchObject({ state: "completed", stop: "exhausted", standing: { counted: 40 } });
    expect(whole()).toBeLessThan(20);
    const trials = await front.services.store.trials({ series_id });
    const last = await readSession(front.services.store, trials.at(-1)?.session_id ?? "");
    expect(last?.verdict?.series).toMatchObject({ series_id });
    const told = await Promise.all(trials.map(({ session_id }) => readSession(front.services.store, session_id)));
    expect(Math.max(...told.map((session) => session?.verdict?.series?.trials ?? 0))).toBe(40);
    expect(told.every((session) => session?.verdict?.series)).toBe(true);
  });

  test("a worker runs one arm beside the stored runs of a series in the database", async () => {
    const url = await database();
    await using front = await aProcess(url);
    await using folder = await scenarioFolder({ "scored.yaml": scoredScenario([OLD, scored("new", [2])]) });
    const file = folder.path("scored.yaml");
    const { record } = await withWorker(url, () => seriesOf(front.services, file, { trials: 3, seed: "s" }));
    await folder.write("scored.yaml", scoredScenario([OLD, scored("new", [4, 5, 6])]));
    const baseline = await storedBaseline(front.services.store, record.series_id);
    const { series } = await withWorker(url, () => seriesOf(front.services, file, { trials: 4, baseline }));
    expect(series).toMatchObject({
      state: "completed",
      plan: { baseline: { side: "a", runs: 3 } },
      counts: { trials: 4 },
    });
    const runs = (await front.services.store.trials({ series_id: record.series_id })).map(
      ({ session_id }) => session_id,
    );
    const rows = await front.services.store.trials({ series_id: series.series_id });
    expect(rows.map(({ stored_run }) => stored_run)).toEqual([...runs, undefined]);
    const source = seriesSource([await loadScenarioFile(file)]);
    const on = { trials: 5, goOn: series.series_id };
    await withWorker(url, async () => {
      const { done } = await openSeries(front.services, { ...source, baseline }, on);
      await done;
    });
    expect((await front.services.store.trials({ series_id: series.series_id })).length).toBe(5);
  });

  test("the files of a scenario come along", async () => {
    const url = await database();
    await using front = await aProcess(url);
    const sandbox = (await front.services.sandboxes.choose(front.services.sandbox, false)).sandbox.kind;
    await using worker = await aProcess(url, { slots: 1, capabilities: [`sandbox:${sandbox}`] });
    const { resolveModel } = testServices();
    Object.assign(worker.services, { resolveModel });
    Object.assign(front.services, { resolveModel });
    const { done } = await start(front, bundled("pager-last-page"));
    expect(await done).toMatchObject({ state: "completed", arms: [{ probe: { total: 4 } }, { probe: { total: 4 } }] });
  });

  test("an arm's own files come along, and the worker's judge learns nothing of them", async () => {
    const url = await database();
    await using provider = await startFakeProvider({
      reply: playScript({
        scriptOf: () => undefined,
        judge: (request) =>
          // What a judge reads of a request.
          wellFormed({ ...request, params: { max_output_tokens: 1 }, timeout_ms: 1 } as never, (_slot, ids) =>
            Object.fromEntries(ids.map((id) => [id, 2])),
          ),
      }),
    });
    const { resolveModel } = testServices(provider.environment);
    await using front = await aProcess(url);
    const sandbox = (await front.services.sandboxes.choose(front.services.sandbox, false)).sandbox.kind;
    const capabilities = [`sandbox:${sandbox}`, "provider:anthropic"];
    await using worker = await aProcess(url, { slots: 1, capabilities });
    for (const { services } of [front, worker]) Object.assign(services, { resolveModel });
    const rule = "Always greet the zebra before you count anything.";
    const scenario = {
      ...{ name: "notes", varies: ["files"], task: { prompt: "Write twelve." } },
      arms: [
        { id: "without", model: "scripted/x", script: [{ say: "Twelve." }] },
        {
          ...{ id: "with", extends: "without", files: { dir: "with" } },
          script: [{ calls: [{ run_command: { command: "cat CLAUDE.md | tee twelve.txt" } }] }, { say: rule }],
        },
      ],
      rubric: { criteria: ["Is it twelve?"], judge: { model: "anthropic/judge" } },
    };
    await using folder = await scenarioFolder({
      ...{ "notes.yaml": JSON.stringify(scenario), "with/CLAUDE.md": `${rule}\n` },
    });
    const { done } = await start(front, loadScenarioFile(folder.path("notes.yaml")));
    await folder[Symbol.asyncDispose]();
    const outcome = await done;
    expect(outcome).toMatchObject({ state: "completed", failure: null });
    expect(JSON.stringify(outcome.decisions["with"])).toContain(rule);
    expect(outcome.arms.map(({ notes }) => notes?.paths)).toEqual([undefined, ["CLAUDE.md"]]);
    expect(outcome.arms[1].changes?.files.map(({ path }) => path)).toEqual(["twelve.txt"]);
    const told = provider.requests.map(({ body }) => JSON.stringify(body));
    expect(told.length).toBeGreaterThan(1);
    expect(told.filter((text) => /zebra before|CLAUDE\.md/.test(text))).toEqual([]);
    expect(told.every((text) => text.includes("twelve.txt"))).toBe(true);
  });

  test("what no worker has is named before anything is stored", async () => {
    const url = await database();
    await using front = await aProcess(url);
    await expect(start(front)).rejects.toMatchObject({ code: "overloaded", retryable: true });
    await using _worker = await aProcess(url, { slots: 1, capabilities: ["provider:other"] });
    await expect(start(front)).rejects.toMatchObject({
      code: "credentials_missing",
      message: expect.stringContaining("provider:fake"),
    });
    expect(await front.services.store.list()).toEqual([]);
  });

  const OTHER = `${NEED_OF_PROTOCOLS.replace("log/", "log/9")}`;

  test("work is taken by workers of the protocols of who accepted it, and by no other", async () => {
    const url = await database();
    await using front = await aProcess(url);
    await using other = await aProcess(url, { slots: 1, protocols: OTHER });
    await expect(start(front)).rejects.toMatchObject({
      ...{ code: "overloaded", retryable: true },
      message: expect.stringContaining("start workers of its version"),
    });
    await using worker = await aProcess(url, { slots: 1 });
    const { shared } = front.services;
    const { done } = await start(front);
    expect(await done).toMatchObject({ state: "completed" });
    await worker[Symbol.asyncDispose]();
    const work = { kind: "session", id: "s1", needs: [NEED_OF_PROTOCOLS], priority: 0, brief: "{}" } as const;
    await shared.queue.offerSession(createdEntry(anOutcome("s1", { state: "queued" })), work);
    expect(await other.services.shared.queue.claim("session", [OTHER], 9)).toEqual([]);
    expect(await shared.queue.waiting()).toContainEqual({ needs: [NEED_OF_PROTOCOLS], pieces: 1 });
  });

  test("who watches hears of each run that is accepted, claimed and ended, in whatever process", async () => {
    const url = await database();
    const heard: string[] = [];
    const watched = (name: string, { services }: Process) =>
      Object.assign(services, {
        news: ({ event, attempt, scenario, state }: RunNews) =>
          void heard.push([name, event, attempt ?? scenario, state].join(" ").trim()),
      });
    await using front = await aProcess(url);
    await using worker = await aProcess(url, { slots: 1 });
    watched("front", front);
    watched("worker", worker);
    const { done } = await start(front);
    await done;
    await until(() => heard.length === 3);
    expect(heard.toSorted()).toEqual(["front accepted talk", "worker claimed 1", "worker ended 1 completed"]);
  });

  test("a session with an entry of a newer version is left to that one", async () => {
    const { url, sql } = await server.create();
    await using front = await aProcess(url);
    const { shared } = front.services;
    const ID = "session-sample-20260102T030405678Z";
    await shared.queue.offerSession(createdEntry(anOutcome(ID, { state: "queued" })), {
      ...{ kind: "session", id: ID, needs: [], priority: 0, brief: "{}" },
    });
    await sql(`INSERT INTO abeval.entries VALUES ('${ID}', 2, 1, 'from_the_future', '{"type": "from_the_future"}')`);
    await sql("UPDATE abeval.sessions SET length = 2");
    const why = `this session has an entry "from_the_future" of a newer version of abeval: use that one`;
    await expect(readSession(shared, ID)).rejects.toThrow(why);
    await expect(shared.takeOver(ID, "2026-01-02T03:04:05.678Z")).rejects.toThrow(why);
    expect(await sql("SELECT length, attempt FROM abeval.sessions")).toEqual([{ length: 2, attempt: 0 }]);
  });

  test("a run that waits, and one that runs elsewhere, are cancelled from anywhere", async () => {
    const url = await database();
    const gate = aGate();
    await using front = await aProcess(url);
    await using _worker = await aProcess(url, { slots: 1, before: gate.before });
    const running = await start(front);
    await gate.reached;
    const waiting = await start(front);
    expect(await cancelInFlight(front.services, waiting.session_id)).toBe(true);
    expect(await waiting.done).toMatchObject({ state: "cancelled", failure: { stage: "queued" } });
    expect(await cancelInFlight(front.services, running.session_id)).toBe(true);
    expect(await running.done).toMatchObject({ state: "cancelled", failure: { stage: "running" } });
    expect(await cancelInFlight(front.services, running.session_id)).toBe(false);
  });

  test("a worker that stops hands its run back: it is queued, goes on elsewhere, and says what was lost", async () => {
    const url = await database();
    const gate = aGate();
    await using front = await aProcess(url);
    await using first = await aProcess(url, { slots: 1, before: gate.before });
    const { session_id, done } = await start(front);
    await gate.reached;
    const told = events(front, session_id);
    first.stop();
    const log = async () => (await front.services.store.read(session_id)).map(({ entry }) => entry.type);
    await until(async () => (await log()).includes("released"));
    expect(await readSession(front.services.store, session_id)).toMatchObject({ state: "queued" });
    await using _second = await aProcess(url, { slots: 1 });
    const outcome = await done;
    expect(outcome).toMatchObject({ state: "completed", lost_attempts: [{ started_at: expect.any(String) }] });
    expect(outcome.lost_attempts).toHaveLength(1);
    expect(ends(await told)).toHaveLength(1);
    expect((await log()).filter((type) => type === "ended")).toHaveLength(1);
  });

  test("a run whose judging was lost is judged elsewhere, and its arms do not run again", async () => {
    const url = await database();
    const judging = Promise.withResolvers<void>();
    await using front = await aProcess(url);
    const beforeJudge = () => {
      judging.resolve();
      return new Promise<void>(() => undefined);
    };
    await using first = await aProcess(url, { slots: 1, beforeJudge });
    const { session_id, done } = await start(front);
    await judging.promise;
    first.stop();
    const asked: string[] = [];
    await using _second = await aProcess(url, { slots: 1, before: (side) => void asked.push(side) });
    const outcome = await done;
    expect(outcome).toMatchObject({ state: "completed", verdict: { winner: "a" } });
    expect(outcome.arms.map(({ final_answer }) => final_answer)).toEqual(["arm a says 1", "arm b says 1"]);
    expect(asked).toEqual([]);
    const told = await events(front, session_id);
    expect(told.filter(({ event }) => event === "arm_finished")).toHaveLength(2);
    expect(ends(told)).toHaveLength(1);
  });

  test("whoever was taken over writes no more, and its run is for others when it has no end", async () => {
    const url = await database();
    const gate = aGate();
    await using front = await aProcess(url);
    await using late = await aProcess(url, { slots: 1, before: gate.before });
    const heard: RunNews[] = [];
    const ended = Promise.withResolvers<void>();
    const news = (one: RunNews) => {
      heard.push(one);
      if (one.event === "ended") ended.resolve();
    };
    Object.assign(late.services, { news });
    const { session_id, done } = await start(front);
    await gate.reached;
    await front.services.store.takeOver(session_id, new Date().toISOString());
    const before = (await front.services.store.read(session_id)).length;
    gate.open();
    expect(await done).toMatchObject({ state: "completed" });
    const attempts = (await front.services.store.read(session_id)).slice(before).map(({ attempt }) => attempt);
    expect(new Set(attempts)).toEqual(new Set([3]));
    const scenario = expect.any(String) as unknown as string; // whose session it is, the id says
    // What is stored is seen at once, and news of it follows.
    await ended.promise;
    expect(heard.filter(({ event }) => event !== "claimed")).toEqual([
      { event: "superseded", session_id, attempt: 1, code: "interrupted" },
      // Who began the second attempt did not say how it ended.
      { event: "lost", session_id, attempt: 2, code: "process_lost" },
      { event: "ended", session_id, scenario, attempt: 3, state: "completed" },
    ]);
  });

  test("who watches hears of a run whose claim was lost, from the process that lost it", async () => {
    const { url, sql } = await server.create();
    const gate = aGate();
    await using front = await aProcess(url);
    await using late = await aProcess(url, { slots: 1, before: gate.before });
    const lost = Promise.withResolvers<RunNews>();
    Object.assign(late.services, { news: (news: RunNews) => news.event === "claimed" || lost.resolve(news) });
    const { session_id, done } = await start(front);
    await gate.reached;
    await using _next = await aProcess(url, { slots: 1 });
    // As the queue does with work whose holder gave no sign of life for a lease: the next claim counts it.
    await sql("UPDATE abeval_queue.job SET state = 'retry' WHERE state = 'active'");
    expect(await lost.promise).toEqual({ event: "lost", session_id, attempt: 1, code: "interrupted" });
    // Who lost it may also be the one who takes it again.
    gate.open();
    expect(await done).toMatchObject({ state: "completed" });
  });

  test("the trials of a series are run by all, and each is told once", async () => {
    const url = await database();
    await using front = await aProcess(url);
    await using _a = await aProcess(url, { slots: 1 });
    await using _b = await aProcess(url, { slots: 1 });
    const { series_id, done } = await seriesOn(front, { trials: 6, parallel: 4 });
    const series = await seriesInFlight(front.services, series_id);
    const told = series ? await Array.fromAsync(followSeries(front.services.store, series), ({ event }) => event) : [];
    expect(await done).toMatchObject({ state: "completed", stop: "exhausted" });
    const rows = await front.services.store.trials({ series_id });
    expect(rows.map(({ place }) => place?.trial).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(rows.every(({ outcome }) => outcome === "winner")).toBe(true);
    expect(ends(told).length).toBeLessThanOrEqual(6);
    expect(new Set(ends(told).map((event) => event.session_id)).size).toBe(ends(told).length);
  });

  test("trials that run at once in several processes stay within the cost limit together, and all run", async () => {
    const url = await database();
    await using front = await aProcess(url);
    // A reply may cost 8.192, and costs 0.1: the limit pays for both arms of one trial.
    const dear = { in: 0, out: 1000, cached_in: null };
    const prices = new Map([["fake/a", dear] as const, ["fake/b", dear], ["fake/judge", { ...dear, out: 0 }]]);
    Object.assign(front.services, { prices });
    let [under_way, most] = [0, 0];
    const before = async () => {
      under_way += 1;
      most = Math.max(most, under_way);
      for (let looks = 0; looks < 50; looks += 1) await front.services.shared.queue.waiting();
      under_way -= 1;
    };
    await using _a = await aProcess(url, { slots: 2, before });
    await using _b = await aProcess(url, { slots: 2, before });
    const { done } = await seriesOn(front, { trials: 4, parallel: 4, max_cost_usd: 20 });
    expect(await done).toMatchObject({ state: "completed", stop: "exhausted", standing: { counted: 4 } });
    expect(most).toBe(2);
  });

  test("a series goes on where its coordinator left it", async () => {
    const url = await database();
    const gate = aGate();
    await using front = await aProcess(url);
    await using first = await aProcess(url, { slots: 1, before: gate.before });
    const { series_id, done } = await seriesOn(front, { trials: 3, parallel: 1 });
    await gate.reached;
    first.stop();
    await using _second = await aProcess(url, { slots: 1 });
    expect(await done).toMatchObject({ state: "completed", stop: "exhausted" });
    const rows = await front.services.store.trials({ series_id });
    expect(rows.map(({ place, state }) => [place?.trial, state])).toEqual([1, 2, 3].map((n) => [n, "completed"]));
  });

  test("a series that no worker could go on with is free, and its key with it", async () => {
    const url = await database();
    await using front = await aProcess(url);
    const { series_id } = await withWorker(url, async () => {
      const started = await seriesOn(front, { trials: 1, parallel: 1 });
      await started.done;
      return started;
    });
    const key = { key: "0".repeat(64), request: "1".repeat(64), at: new Date().toISOString() };
    const goOn = () => seriesOn(front, { trials: 2, parallel: 1, goOn: series_id }, { key });
    await expect(goOn()).rejects.toMatchObject({ code: "overloaded" });
    await withWorker(url, async () => {
      expect(await (await goOn()).done).toMatchObject({ state: "completed", limits: { trials: 2 } });
    });
    await expect(goOn()).rejects.toBeInstanceOf(KeyHeld);
  });

  test("a series is cancelled from anywhere, and so are its trials", async () => {
    const url = await database();
    const gate = aGate();
    await using front = await aProcess(url);
    await using _worker = await aProcess(url, { slots: 2, before: gate.before });
    const { series_id, done } = await seriesOn(front, { trials: 5, parallel: 2 });
    await gate.reached;
    await cancelSeriesAnywhere(front.services, front.services.shared, series_id);
    expect(await done).toMatchObject({ state: "cancelled", stop: "cancelled" });
    await until(async () => (await front.services.store.trials({ series_id })).every(({ state }) => isFinal(state)));
    await expect(cancelSeriesAnywhere(front.services, front.services.shared, series_id)).rejects.toMatchObject({
      code: "series_not_running",
    });
  });

  test("a series beside stored runs that is cancelled elsewhere starts no further trial, and its trials stop", async () => {
    const url = await database();
    const gate = aGate();
    await using front = await aProcess(url);
    const loaded = await talk();
    const source = { scenarios: [loaded], load: async () => loaded };
    const first = await withWorker(url, async () => {
      const { done } = await openSeries(front.services, source, { trials: 3 });
      return await done;
    });
    const baseline = await storedBaseline(front.services.store, first.series_id);
    await using worker = await aProcess(url, { slots: 2, before: gate.before });
    const { series_id, done } = await openSeries(front.services, { ...source, baseline }, { trials: 60, parallel: 2 });
    await gate.reached;
    const began = () => front.services.store.trials({ series_id });
    await until(async () => (await began()).length === 2);
    await cancelSeriesAnywhere(front.services, front.services.shared, series_id);
    expect(await done).toMatchObject({ state: "cancelled", stop: "cancelled" });
    await until(async () => (await began()).every(({ state }) => isFinal(state)));
    await until(() => worker.services.series.all().length + worker.services.runs.all().length === 0);
    expect((await began()).map(({ state }) => state)).toEqual(["cancelled", "cancelled"]);
  });
});

async function seriesOn({ services }: Process, options: OpenOptions, requester: Requester = {}) {
  const loaded = await talk();
  return await openSeries(services, { scenarios: [loaded], load: async () => loaded }, options, requester);
}
