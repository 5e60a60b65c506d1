import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DecisionEntry, RunEntry } from "../../src/domain/session-entry.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { type PostgresStore, postgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Run } from "../../src/store/store.ts";
import { describeNeeding } from "../needs.ts";
import { anOutcome, aTurn } from "../outcomes.ts";
import { type PostgresProxy, proxyTo } from "../postgres/proxy.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { aSeries } from "../series-record.ts";
import { begin, COMPLETED } from "../stored.ts";
import { until } from "../turns.ts";

const ID = "session-sample-20260102T030405678Z";
const SERIES = "series-20260102T030405678Z-01234567";
const IDS = [1, 2, 3].map((n) => `session-sample-20260102T03040500${n}Z`);
const AT = "2026-01-02T03:04:05.678Z";

const turn = (seq: number): DecisionEntry => ({ type: "decision", arm_id: "left", decision: aTurn(seq) });

const FAILED: RunEntry = {
  type: "ended",
  at: AT,
  state: "failed",
  failure: { stage: "running", class: "infra", code: "storage_failed", message: "out of reach", retryable: true },
};

const open = (url: string, lease_s = 6): Promise<PostgresStore> =>
  postgresStore(url, { clock: systemClock, entropy: systemEntropy, version: "0", lease_s });

/** The places of the log and the numbers of its turns. */
async function logged(store: PostgresStore, session_id = ID) {
  const log = await store.read(session_id);
  const turns = log.flatMap(({ entry }) => (entry.type === "decision" ? [entry.decision.seq] : []));
  return { places: log.map(({ n }) => n), turns };
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describeNeeding(POSTGRES)("a store whose connections break", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Its connections go through `proxy`. */
  async function proxied(lease_s?: number) {
    const database = await server.create();
    const proxy = await proxyTo(server.port);
    const store = await open(database.urlBy(proxy.port), lease_s);
    return {
      ...{ database, proxy, store },
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]();
        proxy[Symbol.dispose]();
      },
    };
  }

  /** Breaks the next connection that commits: before the server hears of it, or before the program hears the answer. */
  function breakNextCommit(proxy: PostgresProxy, when: "before" | "after"): { readonly broken: () => boolean } {
    let broken = false;
    proxy.toServer = (bytes) => {
      if (!bytes.includes("COMMIT")) return bytes;
      broken = true;
      proxy.toServer = (all) => all;
      if (when === "before") return undefined;
      proxy.toClient = () => {
        proxy.toClient = (all) => all;
        return undefined;
      };
      return bytes;
    };
    return { broken: () => broken };
  }

  /** Everything that a store writes by itself. */
  const WRITES: readonly (readonly [what: string, write: (store: PostgresStore, run: Run) => Promise<unknown>])[] = [
    ["a session", (store) => begin(store, anOutcome("session-sample-20260102T030405679Z"))],
    ["entries", (store, run) => store.append(run, [turn(1), turn(2)], "durable")],
    ["an end", (store, run) => store.append(run, [COMPLETED], "durable")],
    ["a takeover", (store) => store.takeOver(ID, AT)],
    [
      "a later verdict",
      (store) => store.add([ID], { type: "judged", verdict: { ...EXAMPLES.verdict, kind: "rejudge" } }),
    ],
    ["a series", (store) => store.series.create(aSeries(SERIES))],
    ["money", (store) => store.ledger.reserve({ id: "one", day: "2026-01-02", usd: 6 }, 10)],
  ];

  /** Appends turns as fast as they are stored, until it is told to stop; gives the last one that was answered. */
  function appending(store: PostgresStore, run: Run) {
    let [last, stop] = [0, false];
    const first = Promise.withResolvers<void>();
    const over = (async () => {
      while (!stop) {
        // Two at once: their order is kept too.
        await Promise.all([1, 2].map((n) => store.append(run, [turn(last + n)], "written")));
        last += 2;
        first.resolve();
      }
    })();
    const more = async () => {
      const from = last;
      while (last === from) await Promise.race([over, Bun.sleep(1)]);
    };
    const end = async () => {
      stop = true;
      await over;
      return last;
    };
    return { begun: first.promise, more, end };
  }

  test.each(["fast", "immediate"] as const)(
    "nothing that was answered is lost, doubled or moved when the server restarts in the middle of it: %s",
    async (mode) => {
      // A server that crashed may take long to begin again.
      await using opened = await proxied(100);
      const { store } = opened;
      const runs = await Promise.all(IDS.map((id) => begin(store, anOutcome(id))));
      const writers = runs.map((run) => appending(store, run));
      for (const { begun } of writers) await begun;
      for (let restarts = 0; restarts < 2; restarts += 1) {
        await server.restart(mode);
        for (const { more } of writers) await more();
      }
      for (const [index, { end }] of writers.entries()) {
        const last = await end();
        expect(await logged(store, IDS[index])).toEqual({ places: upTo(last + 1), turns: upTo(last) });
      }
    },
  );

  test("what waits while nothing gets through is stored when it does, in order", async () => {
    await using opened = await proxied();
    const { store, proxy } = opened;
    const run = await begin(store, anOutcome(ID));
    proxy.hold();
    const appended = upTo(20).map((seq) => store.append(run, [turn(seq)], "written"));
    await Bun.sleep(1_000);
    proxy.go();
    await Promise.all(appended);
    expect(await logged(store)).toEqual({ places: upTo(21), turns: upTo(20) });
  });

  test("connections that fall silent for good are left for new ones", async () => {
    await using opened = await proxied();
    const { store, proxy } = opened;
    const run = await begin(store, anOutcome(ID));
    let deaf = true;
    // What was opened before hears nothing any more; what is opened from now on does.
    proxy.toClient = (bytes) => (deaf ? Buffer.alloc(0) : bytes);
    const appended = store.append(run, [turn(1)], "written");
    proxy.toServer = (bytes) => {
      if (bytes.includes("application_name")) deaf = false;
      return bytes;
    };
    await appended;
    expect(await logged(store)).toEqual({ places: [1, 2], turns: [1] });
  });

  test("a process that is stopped in the middle of a transaction is in nobody's way for long", async () => {
    await using opened = await proxied();
    const { store, proxy } = opened;
    const run = await begin(store, anOutcome(ID));
    const locked = Promise.withResolvers<void>();
    proxy.toServer = (bytes) => {
      if (!bytes.includes("INSERT INTO abeval.entries")) return bytes;
      // Its row is locked by now, and its server hears nothing more of it.
      proxy.hold();
      locked.resolve();
      return bytes;
    };
    const appended = store.append(run, [turn(1)], "written").catch(({ code }: { code: string }) => code);
    await locked.promise;
    await using other = await open(opened.database.url);
    expect(await other.takeOver(ID, AT)).toEqual({ session_id: ID, attempt: 2 });
    proxy.toServer = (bytes) => bytes;
    proxy.go();
    expect(await appended).toBe("interrupted");
    expect((await other.read(ID)).map(({ entry }) => entry.type)).toEqual(["created", "attempt_started"]);
  });

  test("behind an entry that found no space none of its run is stored but its end, and every one of others", async () => {
    const { url, sql } = await server.create();
    await using store = await open(url);
    const [run, other] = await Promise.all([ID, IDS[0] ?? ""].map((id) => begin(store, anOutcome(id))));
    if (run === undefined || other === undefined) throw new Error("both have begun");
    await sql(`CREATE FUNCTION abeval.full() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'no space left' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON abeval.entries FOR EACH ROW
      WHEN (NEW.session_id = '${ID}' AND NEW.entry LIKE '%"seq":2,%') EXECUTE FUNCTION abeval.full()`);
    const asked = [1, 2, 3, 4].flatMap((seq) => [run, other].map((one) => store.append(one, [turn(seq)], "written")));
    const refused = (await Promise.allSettled(asked)).map((end) => end.status === "rejected" && end.reason.code);
    expect(refused.filter((_, index) => index % 2 === 0)).toEqual([
      ...[false, "storage_full"],
      ...["storage_failed", "storage_failed"],
    ]);
    await store.append(run, [FAILED], "durable");
    expect(await logged(store)).toEqual({ places: [1, 2, 3], turns: [1] });
    expect(await logged(store, IDS[0])).toEqual({ places: upTo(5), turns: upTo(4) });
  });

  test("without a database a write is refused when the lease is over; an end is kept, and stored when it is back", async () => {
    await using opened = await proxied();
    const { store } = opened;
    const run = await begin(store, anOutcome(ID));
    await server.stop("fast");
    const asked = [store.append(run, [turn(1)], "written"), store.append(run, [FAILED], "durable")];
    const refused = { status: "rejected", reason: { code: "storage_failed", retryable: true } };
    expect(await Promise.allSettled(asked)).toMatchObject([refused, refused]);
    await server.start();
    // Its own process reads it at once.
    expect((await store.read(ID)).map(({ n, entry }) => [n, entry.type])).toEqual([
      [1, "created"],
      [2, "ended"],
    ]);
    // Whoever opens the database before it is stored there may end the run first: its lease is over.
    await until(async () => (await opened.database.sql("SELECT n FROM abeval.entries")).length === 2);
    await using other = await open(opened.database.url);
    expect((await other.read(ID)).at(-1)).toEqual({ n: 2, attempt: 1, entry: FAILED });
  });

  for (const when of ["before", "after"] as const)
    test.each(WRITES)(`%s, broken ${when} the server hears of COMMIT, is stored once`, async (_what, write) => {
      await using calm = await proxied();
      await using opened = await proxied();
      const seen = [];
      for (const { store, proxy } of [calm, opened]) {
        const run = await begin(store, anOutcome(ID));
        const { broken } = store === opened.store ? breakNextCommit(proxy, when) : { broken: () => true };
        const given = await write(store, run);
        expect(broken()).toBe(true);
        const { sql } = store === opened.store ? opened.database : calm.database;
        seen.push([
          given,
          await store.read(ID),
          await sql("SELECT session_id, attempt, length, ended FROM abeval.sessions ORDER BY session_id"),
          await sql("SELECT id, usd FROM abeval.spending"),
          await sql("SELECT series_id FROM abeval.series"),
        ]);
      }
      expect(seen[1]).toEqual(seen[0] as never);
    });
});
