import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { Failure } from "../../src/domain/failure.ts";
import { type Clock, systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { openSharedStore } from "../../src/store/postgres/postgres-store.ts";
import type { SharedStore, Work, WorkClaim } from "../../src/store/shared-store.ts";
import { describeNeeding } from "../needs.ts";
import { anOutcome } from "../outcomes.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { aSeries } from "../series-record.ts";
import { createdEntry } from "../stored.ts";
import { until } from "../turns.ts";

const LEASE_S = 10;

/** Stands still until the test moves it: nothing is touched meanwhile. */
class StillClock implements Clock {
  #ticks = 0;
  now = systemClock.now;
  ticks = () => this.#ticks;
  pass(seconds: number): void {
    this.#ticks += seconds * 1_000;
  }
}

/** The store of one process. */
async function open(url: string, { clock = systemClock as Clock, max_queued = 1_000 } = {}) {
  const options = { clock, entropy: systemEntropy, version: "0", lease_s: LEASE_S, max_queued };
  const store = await openSharedStore(url, options);
  const { queue } = store;
  return {
    store,
    queue,
    offer: (id: string, work: Partial<Work> = {}) => queue.offerSession(queued(id), { ...session(id), ...work }),
    /** The next piece of work, when there is one. */
    next: (needs: readonly string[] = []) => next(queue, needs),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const queued = (id: string) => createdEntry(anOutcome(id, { state: "queued" }));

const session = (id: string): Work => ({ kind: "session", id, needs: [], priority: 0, brief: "{}" });

const next = (queue: SharedStore["queue"], needs: readonly string[]): Promise<WorkClaim> =>
  until(async () => (await queue.claim("session", needs, 1))[0]);

const names = (claims: readonly WorkClaim[]) => claims.map(({ work }) => work.id);

const lost = ({ lost }: WorkClaim) =>
  new Promise<unknown>((resolve) => lost.addEventListener("abort", () => resolve(lost.reason), { once: true }));

describeNeeding(POSTGRES)("the queue", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test("is opened also when another process makes it at the same moment", async () => {
    const { url, sql } = await server.create();
    await using other = new SQL(url, { max: 1 });
    const made = Promise.withResolvers<void>();
    const making = other.begin(async (own) => {
      await own.unsafe("CREATE SCHEMA abeval_queue");
      await made.promise;
    });
    const opened = open(url);
    // It waits to learn whether there will be such a schema.
    const waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while ((await sql(waits)).length === 0) await Promise.race([opened, Bun.sleep(20)]);
    made.resolve();
    await making;
    await using one = await opened;
    expect(await one.offer("s1")).toBe(true);
  });

  test("gives each piece of work once, however many ask", async () => {
    const { url } = await server.create();
    await using one = await open(url);
    await using other = await open(url);
    const ids = Array.from({ length: 40 }, (_, index) => `s${index}`);
    for (const id of ids) expect(await one.offer(id)).toBe(true);
    const claimed = await Promise.all(
      [one, other, one, other].map(async ({ queue }) => {
        const mine: WorkClaim[] = [];
        for (let got = await queue.claim("session", [], 3); got.length > 0; got = await queue.claim("session", [], 3))
          mine.push(...got);
        return mine;
      }),
    );
    expect(names(claimed.flat()).sort()).toEqual(ids.sort());
    expect(await one.queue.waiting()).toEqual([]);
  });

  test("gives what needs no more than there is, the highest priority first, then the oldest", async () => {
    await using one = await open((await server.create()).url);
    const [plain, model, both] = [[], ["provider:x"], ["provider:x", "sandbox:bubblewrap"]];
    await one.offer("old", { needs: plain, priority: 5, brief: `{"of":"old"}` });
    await one.offer("low", { needs: model });
    await one.offer("boxed", { needs: both, priority: 10 });
    await one.offer("new", { needs: model, priority: 5 });
    await one.offer("high", { needs: plain, priority: 10 });
    expect(names([await one.next(model)])).toEqual(["high"]);
    const claims = await one.queue.claim("session", model, 2);
    expect(names(claims).sort()).toEqual(["new", "old"]);
    expect(claims.find(({ work }) => work.id === "old")?.work).toEqual({
      ...session("old"),
      priority: 5,
      brief: `{"of":"old"}`,
    });
    expect(names(await one.queue.claim("session", model, 9))).toEqual(["low"]);
    expect(names(await one.queue.claim("session", model, 9))).toEqual([]);
    expect(names(await one.queue.claim("session", [...both, "z"], 9))).toEqual(["boxed"]);
  });

  test("names have their turns: who comes late does not wait for all that others have waiting", async () => {
    const { url } = await server.create();
    await using one = await open(url);
    await using other = await open(url);
    for (const n of [1, 2, 3, 4, 5, 6]) await one.offer(`ann${n}`, { user: "ann" });
    const order = [await one.next(), await one.next()];
    // It does not matter who accepts it. What needs something else has turns of its own.
    for (const n of [1, 2, 3]) await other.offer(`bob${n}`, { user: "bob", needs: n === 2 ? ["provider:x"] : [] });
    for (const n of [1, 2]) await other.offer(`unnamed${n}`);
    await one.offer("ann7", { user: "ann" });
    await one.offer("urgent", { user: "ann", priority: 1 });
    for (let left = 11; left > 0; left -= 1) order.push(await one.next(["provider:x"]));
    expect(names(order)).toEqual([
      ...["ann1", "ann2", "urgent"],
      ...["ann3", "bob1", "bob2", "unnamed1"],
      ...["ann4", "bob3", "unnamed2"],
      ...["ann5", "ann6", "ann7"],
    ]);
  });

  test("who asks for one piece after another takes no turn of the others, also when a piece waits that nobody can do", async () => {
    await using one = await open((await server.create()).url);
    await one.offer("stuck", { user: "cy", needs: ["provider:gone"] });
    for (const n of [1, 2, 3, 4]) await one.offer(`ann${n}`, { user: "ann" });
    const order: WorkClaim[] = [await one.next()];
    for (const n of [1, 2, 3]) {
      await one.offer(`bob${n}`, { user: "bob" });
      const claim = await one.next();
      order.push(claim);
      // One place: the next is claimed when this one is done.
      await claim.done();
    }
    for (const _ of [1, 2, 3]) order.push(await one.next());
    expect(names(order)).toEqual(["ann1", "ann2", "bob1", "ann3", "bob2", "ann4", "bob3"]);
  });

  test("who has pieces waiting that nobody can do keeps the turns of those that somebody can", async () => {
    await using one = await open((await server.create()).url);
    for (const n of [1, 2, 3, 4]) await one.offer(`stuck${n}`, { user: "cy", needs: ["provider:gone"] });
    for (const n of [1, 2, 3]) await one.offer(`bob${n}`, { user: "bob" });
    await one.offer("cy1", { user: "cy" });
    const order = [await one.next(), await one.next(), await one.next(), await one.next()];
    expect(names(order)).toEqual(["bob1", "cy1", "bob2", "bob3"]);
  });

  test("several that are claimed at once are one of each name; hostile names are names", async () => {
    await using one = await open((await server.create()).url);
    const users = ["'; DROP TABLE x; --", '{"a"}', "张", "a".repeat(200)];
    for (const user of users) for (const n of [1, 2]) await one.offer(`${n} of ${user}`, { user });
    await one.next().then((claim) => claim.handBack());
    const claims = await one.queue.claim("session", [], users.length);
    expect(names(claims).sort()).toEqual(users.map((user) => `1 of ${user}`).sort());
  });

  test("what an earlier version has left in the queue goes first of its priority", async () => {
    const { url, sql } = await server.create();
    await using one = await open(url);
    await one.offer("early", { priority: 3 });
    await sql("UPDATE abeval_queue.job SET priority = 6");
    await one.offer("new", { priority: 3 });
    await one.offer("urgent", { priority: 10 });
    await using other = await open(url);
    expect(names([await other.next(), await other.next(), await other.next()])).toEqual(["urgent", "early", "new"]);
  });

  test("keeps series and sessions apart, and a series waits or runs once", async () => {
    await using one = await open((await server.create()).url);
    const work: Work = { kind: "series", id: "r1", needs: [], priority: 5, brief: "{}" };
    expect(await one.queue.offerSeries(aSeries("r1"), work)).toBe(true);
    expect(await one.queue.offerSeries(aSeries("r1"), work)).toBe(false);
    await one.queue.resumeSeries(work);
    expect(await one.queue.claim("session", [], 9)).toEqual([]);
    const [claim, ...more] = await one.queue.claim("series", [], 9);
    expect(more).toEqual([]);
    await one.queue.resumeSeries(work);
    expect(await one.queue.claim("series", [], 9)).toEqual([]);
    await claim?.done();
    await one.queue.resumeSeries(work);
    expect(names(await one.queue.claim("series", [], 9))).toEqual(["r1"]);
  });

  test("stores nothing when the work cannot be offered, and offers nothing when the id is taken", async () => {
    await using one = await open((await server.create()).url);
    const refused = one.offer("s0", { priority: 2 ** 40 });
    expect(await refused.catch(({ code }: Failure) => code)).toBe("storage_failed");
    expect(await one.store.read("s0")).toEqual([]);
    expect(await one.offer("s1")).toBe(true);
    expect(await one.offer("s1")).toBe(false);
    expect(await one.queue.waiting()).toEqual([{ needs: [], pieces: 1 }]);
  });

  test("refuses when as many wait as may", async () => {
    await using one = await open((await server.create()).url, { max_queued: 2 });
    await one.offer("s1");
    await one.offer("s2");
    const failure = await one.offer("s3").catch((error: Failure) => error);
    expect(failure).toMatchObject({ code: "overloaded", retryable: true });
    await one.next();
    expect(await one.offer("s3")).toBe(true);
  });

  test("wakes who watches when there is work, and when some was handed back", async () => {
    const { url } = await server.create();
    await using one = await open(url);
    await using other = await open(url);
    let woken = Promise.withResolvers<void>();
    const unwatch = other.queue.watch(() => woken.resolve());
    // Subscribed.
    await woken.promise;
    woken = Promise.withResolvers();
    await one.offer("s1");
    await woken.promise;
    const claim = await one.next();
    woken = Promise.withResolvers();
    await claim.handBack();
    await woken.promise;
    unwatch();
  });

  test("what was handed back goes first of its priority", async () => {
    const { url } = await server.create();
    await using one = await open(url);
    await using other = await open(url);
    await one.offer("high", { priority: 1 });
    await one.offer("s1");
    await one.offer("s2");
    const [high, claim] = [await one.next(), await one.next()];
    await high.handBack();
    await claim.handBack();
    await claim.handBack();
    await claim.done();
    const order = [await other.next(), await other.next(), await other.next()];
    expect(names(order)).toEqual(["high", "s1", "s2"]);
    for (const { done } of order) await done();
    expect(await one.queue.claim("session", [], 9)).toEqual([]);
  });

  test("what is not touched goes to another; the first hears of it, and changes nothing", async () => {
    const { url, sql } = await server.create();
    const clock = new StillClock();
    await using dead = await open(url, { clock });
    await using other = await open(url);
    await dead.offer("s1");
    const first = await dead.next();
    await sql(`UPDATE abeval_queue.job SET heartbeat_on = now() - interval '${LEASE_S + 1} s'`);
    const second = await other.next();
    const reason = lost(first);
    clock.pass(LEASE_S / 2);
    expect(await reason).toBeInstanceOf(Failure);
    expect(first.lost.reason).toMatchObject({ code: "interrupted", message: "the claim was lost: another has it" });
    await first.done();
    await first.handBack();
    expect(second.lost.aborted).toBe(false);
    expect(await other.queue.claim("session", [], 9)).toEqual([]);
    await second.handBack();
    expect((await dead.next()).work.id).toBe("s1");
  });

  test("done by who lost it without knowing changes nothing", async () => {
    const { url, sql } = await server.create();
    await using dead = await open(url, { clock: new StillClock() });
    await using other = await open(url);
    await dead.offer("s1");
    const first = await dead.next();
    await sql(`UPDATE abeval_queue.job SET heartbeat_on = now() - interval '${LEASE_S + 1} s'`);
    const second = await other.next();
    await first.done();
    await second.handBack();
    expect((await other.next()).work.id).toBe("s1");
  });

  test("is held while it is touched, for longer than a day", async () => {
    const { url, sql } = await server.create();
    await using one = await open(url);
    await one.offer("s1");
    const claim = await one.next();
    await sql("UPDATE abeval_queue.job SET started_on = now() - interval '48 h'");
    const [before] = await sql<{ at: Date }>("SELECT now() AS at");
    const looked = async () =>
      (await sql(`SELECT FROM abeval_queue.queue WHERE monitor_claim_on > '${before?.at.toISOString()}'`)).length > 0;
    // The look at what is too old comes right behind the mark.
    await until(looked);
    const touched = "SELECT FROM abeval_queue.job WHERE heartbeat_on > started_on + interval '48 h'";
    await until(async () => (await sql(touched)).length > 0);
    expect(await one.queue.claim("session", [], 1)).toEqual([]);
    expect(claim.lost.aborted).toBe(false);
  });

  test.each(["fast", "immediate"] as const)("nothing is lost when the database is restarted (%s)", async (mode) => {
    const { url } = await server.create();
    const clock = new StillClock();
    await using one = await open(url, { clock });
    await one.offer("held");
    await one.offer("waits");
    const held = await one.next();
    await server.restart(mode);
    clock.pass(LEASE_S / 2);
    expect(names([await one.next()])).toEqual(["waits"]);
    expect(await one.offer("after")).toBe(true);
    clock.pass(LEASE_S / 3);
    expect(held.lost.aborted).toBe(false);
    await held.done();
    expect(names(await one.queue.claim("session", [], 9))).toEqual(["after"]);
  });

  test("a claim is lost when the database is out of reach for longer than the lease", async () => {
    const { url } = await server.create();
    const clock = new StillClock();
    await using one = await open(url, { clock });
    await one.offer("s1");
    const claim = await one.next();
    await server.stop("fast");
    try {
      const reason = lost(claim);
      clock.pass(LEASE_S);
      expect(await reason).toMatchObject({ message: expect.stringContaining("the database was out of reach") });
    } finally {
      await server.start();
    }
  });
});
