import { afterAll, beforeAll, expect, test } from "bun:test";
import { Failure } from "../../src/domain/failure.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { openSharedStore } from "../../src/store/postgres/postgres-store.ts";
import type { SharedStore } from "../../src/store/shared-store.ts";
import { describeNeeding } from "../needs.ts";
import { anOutcome } from "../outcomes.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { aSeries } from "../series-record.ts";
import { COMPLETED, createdEntry } from "../stored.ts";

const open = (url: string) =>
  openSharedStore(url, {
    ...{ clock: systemClock, entropy: systemEntropy, version: "1.2.3", lease_s: 10, max_queued: 100 },
  });

const SERIES = "series-20260102T030405678Z-0123abcd";
const AT = "2026-01-02T03:04:06.000Z";
const MiB = 1024 * 1024;

async function* pieces(...given: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* given;
}

/** Bytes that do not compress. */
const noise = (bytes: number) => {
  const made = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(made.subarray(at, at + 65_536));
  return made;
};

const readAll = async ({ materials }: SharedStore, digest: string) =>
  Buffer.concat(await Array.fromAsync(materials.read(digest)));

const failing = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: Failure) => error,
  );

describeNeeding(POSTGRES)("a store that processes share", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("tells who lives, and what of", async () => {
    const { url, sql } = await server.create();
    await using one = await open(url);
    const other = await open(url);
    let running = 0;
    await one.workers.announce({ slots: 4, capabilities: ["provider:x", `agent:"q"@1`], running: () => running });
    running = 3;
    const [worker, idle, ...more] = (await one.workers.alive()).toSorted((a, b) => b.slots - a.slots);
    expect(more).toEqual([]);
    expect(worker).toMatchObject({
      version: "1.2.3",
      slots: 4,
      running: 3,
      capabilities: ["provider:x", `agent:"q"@1`],
    });
    expect(idle).toMatchObject({ version: "1.2.3", slots: 0, running: 0, capabilities: [] });
    expect(worker?.seen_s).toBeLessThan(10);
    await other[Symbol.asyncDispose]();
    expect((await one.workers.alive()).map(({ worker_id }) => worker_id)).toEqual([worker?.worker_id ?? ""]);
    await sql(
      "UPDATE abeval.workers SET seen = now() - interval '11 s'; INSERT INTO abeval.workers (worker_id, seen, lease_s, version) VALUES ('dead', now() - interval '11 s', 10, '0')",
    );
    expect((await one.workers.alive()).map(({ worker_id }) => worker_id)).toEqual([worker?.worker_id ?? ""]);
  });

  test("forgets who died long ago", async () => {
    const { url, sql } = await server.create();
    await using _one = await open(url);
    await sql(
      "INSERT INTO abeval.workers (worker_id, seen, lease_s, version) VALUES ('old', now() - interval '2 days', 10, '0'), ('dead', now() - interval '1 hour', 10, '0')",
    );
    await using _other = await open(url);
    const rows = await sql("SELECT worker_id FROM abeval.workers WHERE worker_id IN ('old', 'dead')");
    expect(rows).toMatchObject([{ worker_id: "dead" }]);
  });

  test("a run that waits and is ended by anybody is nobody's work any more", async () => {
    const { url } = await server.create();
    await using one = await open(url);
    await using other = await open(url);
    const work = { kind: "session", id: "s1", needs: [], priority: 0, brief: "{}" } as const;
    await one.queue.offerSession(createdEntry(anOutcome("s1", { state: "queued" })), work);
    const run = await other.takeOver("s1", AT);
    await other.append(
      run ?? { session_id: "", attempt: 0 },
      [{ ...COMPLETED, state: "cancelled" } as never],
      "durable",
    );
    const [claim] = await one.queue.claim("session", [], 1);
    expect(claim?.work).toEqual(work);
    expect(await one.takeOver("s1", AT)).toBeUndefined();
    await claim?.done();
    expect(await one.queue.waiting()).toEqual([]);
  });

  test("who takes over a run that was lost counts one attempt more, and the other writes nothing", async () => {
    const { url } = await server.create();
    await using one = await open(url);
    await using other = await open(url);
    const work = { kind: "session", id: "s1", needs: [], priority: 0, brief: "{}" } as const;
    await one.queue.offerSession(createdEntry(anOutcome("s1", { state: "queued" })), work);
    const first = await one.takeOver("s1", AT);
    const second = await other.takeOver("s1", AT);
    expect([first?.attempt, second?.attempt]).toEqual([1, 2]);
    const late = await failing(one.append({ session_id: "s1", attempt: 1 }, [COMPLETED], "durable"));
    expect(late?.code).toBe("interrupted");
  });

  test("a series is taken from a living process only on purpose, and that one runs it no more", async () => {
    const { url } = await server.create();
    await using one = await open(url);
    await using other = await open(url);
    const series = aSeries(SERIES);
    await one.series.create(series);
    expect((await failing(other.series.take(SERIES)))?.code).toBe("invalid_request");
    expect(await other.series.steal(SERIES)).toEqual(series);
    expect((await failing(one.series.update(series)))?.code).toBe("series_not_running");
    await other.series.update(series);
    expect(await other.series.steal("unknown")).toBeUndefined();
  });
});

describeNeeding(POSTGRES)("the store of materials", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each<[string, Uint8Array[]]>([
    ["nothing", []],
    ["a few bytes", [Buffer.from("abc")]],
    ["exactly one chunk", [noise(MiB)]],
    ["pieces across chunks", [noise(MiB - 1), noise(2), noise(2 * MiB), noise(5)]],
    ["what compresses well", [new Uint8Array(5 * MiB)]],
  ])("gives back %s", async (_, given) => {
    const { url } = await server.create();
    await using one = await open(url);
    await using other = await open(url);
    expect(await other.materials.has("d")).toBe(false);
    await one.materials.keep("d", pieces(...given));
    expect(await other.materials.has("d")).toBe(true);
    expect((await readAll(other, "d")).equals(Buffer.concat(given))).toBe(true);
  });

  test("keeps nothing of what breaks off, also while another keeps the same", async () => {
    const { url, sql } = await server.create();
    await using one = await open(url);
    const bytes = noise(3 * MiB);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: kept, resolve: go } = Promise.withResolvers<void>();
    const broken = failing(
      one.materials.keep(
        "d",
        (async function* (): AsyncGenerator<Uint8Array> {
          yield noise(2 * MiB);
          begin();
          await kept;
          throw new Failure("workspace_failed", "it has changed");
        })(),
      ),
    );
    await begun;
    expect(await one.materials.has("d")).toBe(false);
    await one.materials.keep("d", pieces(bytes));
    go();
    expect((await broken)?.message).toBe("it has changed");
    expect((await readAll(one, "d")).equals(bytes)).toBe(true);
    expect(await sql("SELECT count(*)::int AS chunks FROM abeval.material_chunks")).toEqual([{ chunks: 3 }]);
    expect(await sql("SELECT digest, chunks FROM abeval.materials")).toEqual([{ digest: "d", chunks: 3 }]);
  });

  test("kept by two at once is there once", async () => {
    const { url, sql } = await server.create();
    await using one = await open(url);
    await using other = await open(url);
    const bytes = noise(2 * MiB);
    await Promise.all([one, other, one].map(({ materials }) => materials.keep("d", pieces(bytes))));
    expect((await readAll(one, "d")).equals(bytes)).toBe(true);
    expect(await sql("SELECT count(*)::int AS chunks FROM abeval.material_chunks")).toEqual([{ chunks: 2 }]);
  });

  test.each<[string, string, RegExp]>([
    ["is not there", "DELETE FROM abeval.materials", /are not stored, or were removed meanwhile; start again$/],
    [
      "lacks a chunk",
      "DELETE FROM abeval.material_chunks WHERE n = 1",
      /^the stored files d were damaged, and are removed/,
    ],
    [
      "has a shorter chunk",
      "UPDATE abeval.material_chunks SET data = (SELECT data FROM abeval.material_chunks WHERE n = 2)",
      /^the stored files d were damaged, and are removed/,
    ],
    [
      "has a damaged chunk",
      "UPDATE abeval.material_chunks SET data = 'x' WHERE n = 1",
      /^the stored files d were damaged, and are removed/,
    ],
    [
      "has a chunk that never ends",
      `UPDATE abeval.material_chunks SET data = '\\x${Buffer.from(Bun.zstdCompressSync(new Uint8Array(64 * MiB))).toString("hex")}' WHERE n = 1`,
      /^the stored files d were damaged, and are removed/,
    ],
  ])("says so when what was kept %s", async (_, damage, why) => {
    const { url, sql } = await server.create();
    await using one = await open(url);
    await one.materials.keep("d", pieces(noise(2 * MiB + 1)));
    await sql(damage);
    const failure = await failing(readAll(one, "d"));
    expect(failure?.code).toBe("storage_failed");
    expect(failure?.message).toMatch(why);
    // Whoever offers work with them stores them anew.
    expect(await one.materials.has("d")).toBe(false);
    await one.materials.keep("d", pieces(Buffer.from("anew")));
    expect((await readAll(one, "d")).toString()).toBe("anew");
  });

  test("forgets what nobody used for a month, unless work is as old", async () => {
    const { url, sql } = await server.create();
    await using one = await open(url);
    for (const digest of ["used", "unused"]) await one.materials.keep(digest, pieces(Buffer.from(digest)));
    const work = { kind: "session", id: "s1", needs: [], priority: 0, brief: "{}" } as const;
    await one.queue.offerSession(createdEntry(anOutcome("s1", { state: "queued" })), work);
    await sql("UPDATE abeval.materials SET used_at = now() - interval '31 days'");
    await sql(`INSERT INTO abeval.materials VALUES ('begun#1', 0, 0, now() - interval '7 hours'), ('begun#2', 0, 0, now());
      INSERT INTO abeval.material_chunks VALUES ('begun#1', 0, ''), ('begun#2', 0, '')`);
    await sql("UPDATE abeval_queue.job SET created_on = now() - interval '31 days'");
    expect(await one.materials.has("used")).toBe(true);
    const left = async () => {
      await one.materials.sweep();
      const rows = await sql<{ digest: string }>("SELECT DISTINCT digest FROM abeval.material_chunks ORDER BY digest");
      expect(await sql("SELECT DISTINCT digest FROM abeval.materials ORDER BY digest")).toEqual(rows);
      return rows.map(({ digest }) => digest);
    };
    expect(await left()).toEqual(["begun#2", "unused", "used"]);
    const [claim] = await one.queue.claim("session", [], 1);
    expect(await left()).toEqual(["begun#2", "unused", "used"]);
    await claim?.done();
    expect(await left()).toEqual(["begun#2", "used"]);
  });
});
