import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DecisionEntry, RunEntry } from "../../src/domain/session-entry.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { type PostgresStore, postgresStore } from "../../src/store/postgres/postgres-store.ts";
import { insertSession } from "../../src/store/postgres/session-rows.ts";
import { readSession } from "../../src/store/read-session.ts";
import { describeNeeding } from "../needs.ts";
import { anOutcome, aTurn } from "../outcomes.ts";
import { POSTGRES, type PostgresServer, postgresServer, type TestDatabase } from "../postgres/server.ts";
import { aSeries, aTrial } from "../series-record.ts";
import { begin, COMPLETED, createdEntry } from "../stored.ts";
import { until } from "../turns.ts";

const idOf = (n: number) => `session-sample-20260102T0304${String(n).padStart(5, "0")}Z`;
const ID = idOf(1);
const SERIES = "series-20260102T030405678Z-01234567";
const AT = "2026-01-02T03:04:05.678Z";

const turn = (seq: number): DecisionEntry => ({ type: "decision", arm_id: "left", decision: aTurn(seq) });
const running: RunEntry = { type: "stage", at: AT, stage: "running" };
const judged = { type: "judged", verdict: { ...EXAMPLES.verdict, kind: "rejudge" } } as const;

const open = (url: string): Promise<PostgresStore> =>
  postgresStore(url, { clock: systemClock, entropy: systemEntropy, version: "0", lease_s: 10 });

const refused = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ code }: { code: string }) => code,
  );

describeNeeding(POSTGRES)("two servers on one database", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function two() {
    const database = await server.create();
    const [one, other] = [await open(database.url), await open(database.url)];
    return {
      ...{ database, one, other },
      async [Symbol.asyncDispose]() {
        await one[Symbol.asyncDispose]();
        await other[Symbol.asyncDispose]();
      },
    };
  }

  /** As if its last sign of life had been long ago: those that it gives from now on count for nothing. */
  const forgotten = ({ sql }: TestDatabase, { me }: PostgresStore) =>
    sql(`CREATE FUNCTION abeval.long_ago() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN NEW.seen := now() - interval '1 hour'; RETURN NEW; END $$;
      CREATE TRIGGER forgotten BEFORE UPDATE ON abeval.workers FOR EACH ROW
      WHEN (NEW.worker_id = '${me}') EXECUTE FUNCTION abeval.long_ago();
      UPDATE abeval.workers SET seen = now() WHERE worker_id = '${me}'`);

  test("what one has stored the other reads, and adds to", async () => {
    await using servers = await two();
    const { one, other } = servers;
    const run = await begin(one, anOutcome(ID));
    await one.append(run, [running, turn(1)], "written");
    expect((await readSession(other, ID))?.decisions["left"]).toEqual([aTurn(1)]);
    await other.add([ID], judged);
    await one.append(run, [turn(2)], "written");
    await one.append(run, [COMPLETED], "durable");
    const log = await one.read(ID);
    expect(log.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(log.map(({ entry }) => entry.type)).toEqual(["created", "stage", "decision", "judged", "decision", "ended"]);
    // Its own end and the other's verdict: lists know both.
    expect((await other.list())[0]).toMatchObject({ state: "completed", verdicts: 1 });
  });

  test("an id is given once, whoever asks for it", async () => {
    await using servers = await two();
    const { one, other } = servers;
    const asked = Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).create(createdEntry(anOutcome(ID))));
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1);
  });

  test("whoever reads here hears at once of what is written there", async () => {
    await using servers = await two();
    const { one, other } = servers;
    const run = await begin(one, anOutcome(ID));
    let woken = Promise.withResolvers<void>();
    const leave = other.watch(ID, () => woken.resolve());
    // If it were only looked for from time to time, this took longer than a test may.
    for (let n = 1; n <= 50; n += 1) {
      woken = Promise.withResolvers();
      await one.append(run, [turn(n)], "written");
      await woken.promise;
      await until(async () => (await other.read(ID)).length > n);
    }
    leave();
  });

  test("a reader is woken when its connection for notifications comes back, whatever it missed", async () => {
    await using servers = await two();
    const { database, one, other } = servers;
    const run = await begin(one, anOutcome(ID));
    let heard = 0;
    const everything = Promise.withResolvers<void>();
    const look = async () => {
      heard = Math.max(heard, (await other.read(ID)).length);
      if (heard === 3) everything.resolve();
    };
    other.watch(ID, () => void look());
    await database.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
    );
    await one.append(run, [turn(1), turn(2)], "written");
    await everything.promise;
    expect(heard).toBe(3);
  });

  test("of two that write one session only the one that took it over does", async () => {
    await using servers = await two();
    const { one, other } = servers;
    const run = await begin(one, anOutcome(ID));
    await one.append(run, [turn(1)], "written");
    const taken = await other.takeOver(ID, AT);
    if (taken === undefined) throw new Error("it had not ended");
    // One call among others: these are stored all the same.
    const apart = await begin(one, anOutcome(idOf(2)));
    const calls = [one.append(apart, [turn(1)], "written"), one.append(run, [turn(2)], "written")];
    expect(await Promise.all(calls.map(refused))).toEqual([undefined, "interrupted"]);
    await other.append(taken, [turn(1)], "written");
    expect((await one.read(ID)).map(({ attempt, entry }) => [attempt, entry.type])).toEqual([
      [1, "created"],
      [1, "decision"],
      [2, "attempt_started"],
      [2, "decision"],
    ]);
    expect(await one.read(idOf(2))).toHaveLength(2);
  });

  test("a session whose process is gone is interrupted, and its money is spent; what the queue has is left to it", async () => {
    await using servers = await two();
    const { database, one, other } = servers;
    const run = await begin(one, anOutcome(ID));
    await one.append(run, [running, turn(1)], "written");
    await one.flusher.write(({ sql }) => insertSession(sql, createdEntry(anOutcome(idOf(2))), null));
    expect(await one.takeOver(idOf(2), AT)).toEqual({ session_id: idOf(2), attempt: 1 });
    await one.ledger.reserve({ id: "one", day: "2026-01-02", usd: 6 }, 10);
    await other.sweep();
    expect((await readSession(other, ID))?.state).toBe("running");
    expect(await other.ledger.on("2026-01-02")).toEqual({ spent: 0, reserved: 6 });

    await forgotten(database, one);
    expect(await other.ledger.reserve({ id: "two", day: "2026-01-02", usd: 5 }, 10)).toEqual({ spent: 6, reserved: 0 });
    await other.sweep();
    expect(await readSession(other, ID)).toMatchObject({
      state: "interrupted",
      failure: { code: "interrupted", stage: "running", retryable: true },
      decisions: { left: [aTurn(1)] },
    });
    expect((await other.list({ state: "queued" })).map(({ session_id }) => session_id)).toEqual([idOf(2)]);
    expect(await refused(one.append(run, [COMPLETED], "durable"))).toBe("interrupted");
  });

  test("a series is taken from a process that is gone, and from no other", async () => {
    await using servers = await two();
    const { database, one, other } = servers;
    await one.series.create(aSeries(SERIES));
    const trial = await begin(one, aTrial(idOf(2), SERIES, 1));
    expect(await refused(other.series.take(SERIES))).toBe("invalid_request");
    await forgotten(database, one);
    expect(await other.series.take(SERIES)).toMatchObject({ state: "interrupted" });
    expect((await other.trials({ series_id: SERIES })).map(({ state }) => state)).toEqual(["interrupted"]);
    expect(await refused(one.append(trial, [COMPLETED], "durable"))).toBe("interrupted");
    expect(await refused(one.series.update(aSeries(SERIES)))).toBe("series_not_running");
    await other.series.update(aSeries(SERIES, { state: "completed" }));
    expect((await one.series.read(SERIES))?.state).toBe("completed");
  });

  test("whoever runs a series no more begins no trial of it", async () => {
    await using servers = await two();
    const { one, other } = servers;
    await one.series.create(aSeries(SERIES));
    await begin(one, aTrial(idOf(1), SERIES, 1));
    await other.series.steal(SERIES);
    expect(await refused(one.create(createdEntry(aTrial(idOf(2), SERIES, 2))))).toBe("series_not_running");
    await begin(other, aTrial(idOf(2), SERIES, 2));
  });

  test("trials that end at the same moment see each other, and no number is given twice", async () => {
    await using servers = await two();
    const { one, other } = servers;
    await one.series.create(aSeries(SERIES));
    const stores = Array.from({ length: 12 }, (_, n) => (n < 6 ? one : other));
    const beginThose = (from: number, store: PostgresStore) =>
      Promise.all([1, 2, 3, 4, 5, 6].map((n) => begin(store, aTrial(idOf(from + n), SERIES, from + n))));
    const runs = await beginThose(0, one);
    await other.series.steal(SERIES);
    runs.push(...(await beginThose(6, other)));
    expect(await refused(other.create(createdEntry(aTrial(idOf(99), SERIES, 1))))).toBe("series_not_running");
    const seen: number[] = [];
    await Promise.all(
      runs.map((run, n) =>
        stores[n]?.append(
          run,
          (trials) => {
            seen[n] = trials.filter(({ state }) => state === "completed").length;
            return [COMPLETED];
          },
          "durable",
        ),
      ),
    );
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n));
  });

  test("texts that PostgreSQL cannot hold are stored all the same", async () => {
    await using servers = await two();
    const { one, other } = servers;
    const hostile = "a\u0000b\ud800c\\u0000'\"{},NULL\n\u2028";
    const outcome = anOutcome(ID);
    const arms = [{ ...outcome.arms[0], model: hostile }, outcome.arms[1]] as typeof outcome.arms;
    const run = await begin(one, { ...outcome, arms, definition: { ...outcome.definition, title: hostile } });
    const long = { ...aTurn(1), summary: hostile.repeat(100_000) };
    await one.append(run, [{ type: "decision", arm_id: "left", decision: long }], "written");
    const [created, decision] = await other.read(ID);
    expect(created?.entry).toMatchObject({ session: { definition: { title: hostile } } });
    expect(decision?.entry).toEqual({ type: "decision", arm_id: "left", decision: long });
    expect(await other.list({ model: hostile })).toHaveLength(1);
    expect((await other.list({ text: "null" })).map(({ title }) => title)).toEqual([hostile]);
  });

  test("a log or a listing that is damaged is refused or left out, and nothing else with it", async () => {
    await using servers = await two();
    const { database, one, other } = servers;
    for (const n of [1, 2, 3]) await begin(one, anOutcome(idOf(n)));
    await database.sql(`UPDATE abeval.entries SET entry = 'no JSON' WHERE session_id = '${ID}'`);
    await database.sql(`UPDATE abeval.sessions SET listing = '{}', trial_row = '' WHERE session_id = '${idOf(3)}'`);
    expect((await other.list({ limit: 1 })).map(({ session_id }) => session_id)).toEqual([idOf(2)]);
    await forgotten(database, one);
    await other.sweep();
    expect((await readSession(other, idOf(2)))?.state).toBe("interrupted");
    expect(await database.sql("SELECT count(*)::int AS open FROM abeval.sessions WHERE NOT ended")).toEqual([
      { open: 0 },
    ]);
    expect((await other.list()).map(({ state }) => state)).toEqual(["interrupted", "interrupted", "interrupted"]);
    expect(await refused(other.read(ID))).toBe("storage_failed");
  });
});
