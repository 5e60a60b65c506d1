import { expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { anOutcome, aTurn } from "../outcomes.ts";
import { begin, COMPLETED } from "../stored.ts";
import { temporaryDirectory } from "../temporary.ts";

const ID = "session-sample-20260102T030405000Z";

/** Another process that keeps the database locked for writers until it is disposed. */
async function locked(stateDir: string): Promise<AsyncDisposable> {
  const script = `
    import { Database } from "bun:sqlite";
    const database = new Database(${JSON.stringify(join(stateDir, "sessions.db"))});
    database.run("BEGIN IMMEDIATE");
    console.log("locked");
    for await (const _ of process.stdin);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  await child.stdout.getReader().read();
  const release = async () => {
    void child.stdin.end();
    await child.exited;
  };
  return { [Symbol.asyncDispose]: release };
}

test("writes wait in their order while another process keeps the database locked, and reads go on", async () => {
  using directory = temporaryDirectory();
  using store = sqliteStore(directory.path, systemClock, systemEntropy);
  const run = await begin(store, anOutcome(ID, { state: "running" }));
  const done: string[] = [];
  const writes = await (async () => {
    await using _lock = await locked(directory.path);
    const append = async (name: string, entries: Parameters<typeof store.append>[1]) =>
      await store.append(run, entries, "written").then(() => done.push(name));
    const first = append("first", [{ type: "decision", arm_id: "left", decision: aTurn(1) }]);
    await new Promise(setImmediate);
    const second = append("second", [COMPLETED]);
    await new Promise(setImmediate);
    expect(await store.read(ID)).toHaveLength(1);
    expect(await store.list()).toMatchObject([{ session_id: ID, state: "running" }]);
    expect(done).toEqual([]);
    return [first, second];
  })();
  await Promise.all(writes);
  expect(done).toEqual(["first", "second"]);
  expect((await store.read(ID)).map(({ entry }) => entry.type)).toEqual(["created", "decision", "ended"]);
});

test("a write that waited long enough for the lock is refused whole, and says that a later try may succeed", async () => {
  using directory = temporaryDirectory();
  let passed = 0;
  const clock = { ...systemClock, ticks: () => passed };
  using store = sqliteStore(directory.path, clock, systemEntropy);
  {
    await using _lock = await locked(directory.path);
    const refused = begin(store, anOutcome(ID, { state: "running" }));
    passed = 10_000;
    await expect(refused).rejects.toMatchObject({ code: "storage_failed", retryable: true });
  }
  expect(await store.list()).toEqual([]);
  await begin(store, anOutcome(ID, { state: "running" }));
  expect(await store.list()).toHaveLength(1);
});

test("a run whose end finds the database locked to the last is stored when the lock goes", async () => {
  using directory = temporaryDirectory();
  let passed = 0;
  const clock = { ...systemClock, ticks: () => passed };
  {
    using store = sqliteStore(directory.path, clock, systemEntropy);
    const run = await begin(store, anOutcome(ID, { state: "running" }));
    await using _lock = await locked(directory.path);
    const failure = { ...FAILURE, message: "it was lost" };
    const end = store.append(run, [{ type: "ended", at: AT, state: "failed", failure }], "durable");
    passed = 10_000;
    await expect(end).rejects.toMatchObject({ retryable: true });
    expect(await store.read(ID)).toHaveLength(2);
  }
  using next = sqliteStore(directory.path, systemClock, systemEntropy);
  expect(await next.list()).toMatchObject([{ session_id: ID, state: "failed" }]);
});

const AT = "2026-01-02T03:04:06.000Z";

const FAILURE = { stage: "running", class: "infra", code: "storage_failed", retryable: true } as const;
