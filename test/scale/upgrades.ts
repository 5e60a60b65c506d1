import { afterAll, beforeAll, expect, test } from "bun:test";
import { NEED_OF_PROTOCOLS, protocolsAmong } from "../../src/comparison/planning/needs.ts";
import { seriesSource } from "../../src/comparison/planning/prepare-series.ts";
import { prepareSession, type RunOptions } from "../../src/comparison/planning/prepare-session.ts";
import { openSeries } from "../../src/comparison/session/open-series.ts";
import { planningServices } from "../../src/comparison/session/plan-for-workers.ts";
import { startSession } from "../../src/comparison/session/start-session.ts";
import { canonicalJson } from "../../src/domain/canonical-json.ts";
import type { TrialPlace } from "../../src/domain/session.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import { readSession } from "../../src/store/read-session.ts";
import { describeNeeding } from "../needs.ts";
import { anOutcome } from "../outcomes.ts";
import { aProcess, type Process } from "../postgres/processes.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { aSeries } from "../series-record.ts";
import { talk } from "../session/series.ts";
import { begin } from "../stored.ts";

const RULES: string = "series/1";

const EARLIER = `protocols:log/1+swapped-pair/1+gates-and-measures/1+${RULES}`;

const OTHER_COMPARISON = "f".repeat(64);

/** Its work is what a server of an earlier version offers. */
function asEarlier({ services: { shared } }: Process, comparison?: string): void {
  const offer = shared.queue.offerSession.bind(shared.queue);
  shared.queue.offerSession = (entry, work, key) => {
    const needs = work.needs.map((need) => (need === NEED_OF_PROTOCOLS ? EARLIER : need)).sort();
    const { protocol: _unknown, ...options } = JSON.parse(work.brief).options;
    const brief = JSON.stringify({ ...JSON.parse(work.brief), options });
    const session = { ...entry.session, ...(comparison !== undefined && { comparison }) };
    return offer({ ...entry, session }, { ...work, needs, brief }, key);
  };
}

/** The same of a series, which has the rules of that version. */
async function asEarlierSeries({ services }: Process): Promise<void> {
  const { queue } = services.shared;
  const offer = queue.offerSeries.bind(queue);
  const { comparison } = await prepareSession(await planningServices(services), await talk(), { protocol: RULES });
  queue.offerSeries = (record, work, key) => {
    const scenarios = record.plan.scenarios.map((one) => ({ ...one, comparison }));
    const plan = { ...record.plan, protocol: RULES, scenarios };
    const needs = work.needs.map((need) => (need === NEED_OF_PROTOCOLS ? EARLIER : need)).sort();
    return offer({ ...record, plan, plan_digest: sha256(canonicalJson(plan)) }, { ...work, needs }, key);
  };
}

async function start({ services }: Process, options: RunOptions = {}, place?: TrialPlace) {
  const plan = await prepareSession(await planningServices(services), await talk(), options);
  const trial = place && { place, summary: async () => undefined };
  return { plan, ...(await startSession(services, plan, trial)) };
}

const NEWER = { slots: 1, capabilities: ["provider:fake", EARLIER] };

describeNeeding(POSTGRES)("what a server of an earlier version accepted", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("is left to workers of that version while one lives, and is planned anew by a newer one when none does", async () => {
    const { url, sql } = await server.create();
    await using front = await aProcess(url);
    asEarlier(front, OTHER_COMPARISON);
    // It takes nothing: what lacks its own protocols it leaves to workers like itself.
    const earlier = await aProcess(url, { slots: 1, protocols: EARLIER });
    await using newer = await aProcess(url, NEWER);
    const { plan, session_id, done } = await start(front);
    const { queue } = newer.services.shared;
    expect(await queue.claim("session", [...NEWER.capabilities, NEED_OF_PROTOCOLS], 9, NEED_OF_PROTOCOLS)).toEqual([]);
    expect(await queue.waiting()).toHaveLength(1);
    await earlier[Symbol.asyncDispose]();
    const protocols = protocolsAmong([NEED_OF_PROTOCOLS]).join();
    const { comparison } = plan;
    expect(await done).toMatchObject({ session_id, state: "completed", comparison, planned_anew: protocols });
    expect(await sql("SELECT comparison FROM abeval.sessions")).toEqual([{ comparison }]);
    expect(await newer.services.store.trials({ comparison })).toMatchObject([{ session_id, comparison }]);
  });

  test("runs by the rules of its series when it is a trial", async () => {
    const { url } = await server.create();
    await using front = await aProcess(url);
    asEarlier(front);
    await using _newer = await aProcess(url, NEWER);
    const { series_id } = aSeries("series-20260102T030405678Z-00000000");
    await front.services.shared.series.create(aSeries(series_id));
    const place = { series_id, trial: 1, round: 1 };
    const { plan, done } = await start(front, { protocol: RULES, series_trial: 1 }, place);
    expect(await done).toMatchObject({ state: "completed", comparison: plan.comparison, trial: place });
  });

  test("goes on by its rules when it is a series, and its trials are again work for workers of both versions", async () => {
    const { url, sql } = await server.create();
    await using front = await aProcess(url);
    await using _newer = await aProcess(url, NEWER);
    await asEarlierSeries(front);
    const { done } = await openSeries(front.services, seriesSource([await talk()]), { trials: 2 });
    const { state, plan, failure } = await done;
    expect({ state, failure, protocol: plan.protocol }).toEqual({ state: "completed", failure: null, protocol: RULES });
    const [comparison] = plan.scenarios.map((one) => one.comparison);
    expect(await sql("SELECT comparison, state FROM abeval.sessions")).toEqual(
      Array(2).fill({ comparison, state: "completed" }),
    );
    const [{ stored = "{}" } = {}] = await sql<{ stored: string }>("SELECT series AS stored FROM abeval.series");
    expect(JSON.parse(stored).standing).not.toHaveProperty("answer");
    const needs = "data->'work'->'needs'";
    expect(await sql(`SELECT name FROM abeval_queue.job WHERE NOT ${needs} ? '${EARLIER}'`)).toEqual([]);
  });

  test("is never run as something else: a trial that would be judged in another way ends with that", async () => {
    const { url } = await server.create();
    await using front = await aProcess(url);
    asEarlier(front, OTHER_COMPARISON);
    await using _newer = await aProcess(url, NEWER);
    const { series_id } = aSeries("series-20260102T030405678Z-00000000");
    await front.services.shared.series.create(aSeries(series_id));
    const { done } = await start(front, { series_trial: 1 }, { series_id, trial: 1, round: 1 });
    expect(await done).toMatchObject({
      state: "failed",
      failure: { code: "invalid_scenario", message: expect.stringContaining("start a new series") },
    });
  });

  test("keeps no other run from ending where a newer version left one that nobody runs any more", async () => {
    const { url, sql } = await server.create();
    await using front = await aProcess(url);
    const { shared } = front.services;
    const ids = ["session-sample-20260102T030405678Z", "session-sample-20260102T030405679Z"] as const;
    for (const id of ids) await begin(shared, anOutcome(id, { state: "running" }));
    await sql(`INSERT INTO abeval.entries VALUES ('${ids[0]}', 2, 1, 'of_the_next', '{"type": "of_the_next"}')`);
    await sql(`UPDATE abeval.sessions SET length = 2 WHERE session_id = '${ids[0]}'`);
    await sql("UPDATE abeval.sessions SET owner = 'dead'");
    await using _next = await aProcess(url);
    expect(await sql("SELECT state, ended, owner FROM abeval.sessions")).toEqual(
      Array(2).fill({ state: "interrupted", ended: true, owner: null }),
    );
    await expect(readSession(shared, ids[0])).rejects.toMatchObject({ code: "newer_version" });
    const kinds = await sql("SELECT kind FROM abeval.entries ORDER BY session_id, n");
    expect(kinds.map(({ kind }) => kind)).toEqual(["created", "of_the_next", "ended", "created", "ended"]);
  });

  test("a server of that version opens the tables of this one", async () => {
    const { url, sql } = await server.create();
    await using _process = await aProcess(url);
    expect(await sql("SELECT version FROM abeval.meta")).toEqual([{ version: 4 }]);
  });
});
