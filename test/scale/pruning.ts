import { afterAll, expect } from "bun:test";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { openSharedStore } from "../../src/store/postgres/postgres-store.ts";
import { planPrune } from "../../src/store/pruning.ts";
import { abeval } from "../abeval.ts";
import { testNeeding } from "../needs.ts";
import { anOutcome } from "../outcomes.ts";
import { Fleet, startRun } from "../postgres/fleet.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { problemsOfLogs } from "../postgres/whole-logs.ts";
import { STORES } from "../store/stores.ts";
import { createdEntry, keep } from "../stored.ts";

let server: Promise<PostgresServer> | undefined;

const create = async () => {
  server ??= postgresServer();
  return await (await server).create();
};

const openOn = async (url: string) => {
  const options = { clock: systemClock, entropy: systemEntropy, version: "0", lease_s: 10, max_queued: 1_000 };
  const store = await openSharedStore(url, options);
  return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
};

afterAll(async () => await (await server)?.[Symbol.asyncDispose]());

if (POSTGRES.met) {
  STORES.splice(0, STORES.length, ["PostgreSQL", async () => await openOn((await create()).url)]);
  await import("../store/pruning.test.ts");
}

testNeeding(POSTGRES)("what waits in the queue stays", async () => {
  await using opened = await openOn((await create()).url);
  const { store } = opened;
  const id = "session-sample-20200101T000000000Z";
  const work = { kind: "session", id, needs: [], priority: 0, brief: "{}" } as const;
  await store.queue.offerSession(createdEntry(anOutcome(id, { state: "queued" })), work);
  expect(await planPrune(store.pruning, { scenarios: [] })).toMatchObject({ goes: [], open: 1 });
  expect(await store.pruning.forget([{ kind: "session", id }])).toBe(0);
});

testNeeding(POSTGRES)("abeval prune works beside servers: what runs meanwhile ends as ever", async () => {
  const { url } = await create();
  await using fleet = new Fleet(url);
  const [front] = await Promise.all([fleet.server(), fleet.worker(2)]);
  {
    await using opened = await openOn(url);
    for (let n = 0; n < 450; n += 1)
      await keep(
        opened.store,
        anOutcome(`session-sample-20200101T000000${String(n).padStart(3, "0")}Z`, { state: "cancelled" }),
      );
  }
  const runs = await Promise.all([startRun(front, "lasting"), startRun(front, "lasting")]);
  const pruned = (...flags: string[]) => abeval(["prune", ...flags], { env: { ABEVAL_DATABASE_URL: url } });
  const dry = await pruned("--older-than", "52w");
  expect(dry).toMatchObject({ status: 0, stdout: expect.stringContaining("delete: 450 sessions, ") });
  expect((await pruned("--all", "--older-than", "52w", "--yes")).stdout).toContain("deleted: 450 sessions; PostgreSQL");
  await fleet.untilAllEnded();
  const rows = await fleet.ask<{ session_id: string; state: string }>("SELECT session_id, state FROM abeval.sessions");
  expect(rows.map(({ session_id, state }) => [session_id, state]).toSorted()).toEqual(
    runs.map((id) => [id, "completed"]).toSorted(),
  );
  const entries = await fleet.entries();
  expect(problemsOfLogs(entries)).toEqual([]);
  expect(new Set(entries.map(({ session_id }) => session_id)).size).toBe(2);
  expect(new Set(entries.map(({ attempt }) => attempt)).size).toBeLessThanOrEqual(2);
});
