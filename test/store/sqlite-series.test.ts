import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MAX_TRIALS_IN_ALL } from "../../src/domain/series-record.ts";
import type { EndedEntry } from "../../src/domain/session-entry.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { readSession } from "../../src/store/read-session.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { ProcessLease } from "../../src/store/sqlite/process-lease.ts";
import { SqliteSeries } from "../../src/store/sqlite/sqlite-series.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { WriteBatch } from "../../src/store/sqlite/write-batch.ts";
import type { Run } from "../../src/store/store.ts";
import { testNeeding } from "../needs.ts";
import { aTurn } from "../outcomes.ts";
import { aSeries, aTrial, someResults } from "../series-record.ts";
import { begin, COMPLETED } from "../stored.ts";
import { temporaryDirectory } from "../temporary.ts";
import { turnsDuring } from "../turns.ts";
import { fill, MOUNTS, refuse, refuseSeries, smallDisk } from "./storage-faults.ts";

const open = (path: string) => sqliteStore(path, systemClock, systemEntropy);

const idOf = (n: number) => `session-sample-20260102T0304${String(n).padStart(5, "0")}Z`;
const [SERIES, OTHER] = ["series-20260102T030400001Z-01234567", "series-20260102T030400002Z-01234567"] as const;

const FULL = { code: "storage_full" };
const STOPPED = { state: "cancelled", stop: "cancelled", finished_at: "2026-01-02T03:04:07.000Z" } as const;

const failed = (message: string): EndedEntry => ({
  type: "ended",
  at: "2026-01-02T03:04:06.000Z",
  state: "failed",
  failure: { stage: "running", class: "infra", code: "internal", message, retryable: false },
});

const statesIn = (rows: readonly TrialRow[]) => rows.map(({ state }) => state);

const seen = (trials: readonly TrialRow[]) => ({ type: "observed", differences: statesIn(trials) }) as const;

/** A process that runs a series: its first trial has completed, its second runs. `then` is what it does next. */
const running = (path: string, then: string) =>
  Bun.spawn(
    [
      process.execPath,
      "-e",
      `import { systemClock, systemEntropy } from "${import.meta.dir}/../../src/runtime/clock.ts";
       import { sqliteStore } from "${import.meta.dir}/../../src/store/sqlite/sqlite-store.ts";
       import { aTurn } from "${import.meta.dir}/../outcomes.ts";
       import { aSeries, aTrial, someResults } from "${import.meta.dir}/../series-record.ts";
       import { begin, COMPLETED } from "${import.meta.dir}/../stored.ts";
       const store = sqliteStore(${JSON.stringify(path)}, systemClock, systemEntropy);
       await store.series.create(aSeries("${SERIES}"));
       await store.append(await begin(store, aTrial("${idOf(1)}", "${SERIES}", 1)), [COMPLETED], "durable");
       const run = await begin(store, aTrial("${idOf(2)}", "${SERIES}", 2));
       await store.append(run, [{ type: "decision", arm_id: "left", decision: aTurn(1) }], "written");
       ${then}`,
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );

const KILL = "process.kill(process.pid, 'SIGKILL');";

/** A state directory that was changed by hand while nobody had it open. */
function changeBy(path: string, ...statements: readonly string[]): void {
  using database = new Database(join(path, "sessions.db"));
  for (const statement of statements) database.run(statement);
}

test("a series whose process was killed is interrupted at the next start, and is taken with its trials", async () => {
  using directory = temporaryDirectory();
  await running(directory.path, KILL).exited;
  using store = open(directory.path);
  const interrupted = aSeries(SERIES, { state: "interrupted", finished_at: expect.any(String) });
  expect(await store.series.read(SERIES)).toEqual(interrupted);
  expect(await store.series.list({ state: "interrupted" })).toMatchObject([
    { series_id: SERIES, state: "interrupted" },
  ]);
  const rows = await store.trials({ series_id: SERIES });
  expect(statesIn(rows)).toEqual(["completed", "interrupted"]);
  // What it used is known though its arm could not say so.
  expect(rows[1]).toMatchObject({ failure: { class: "infra", code: "interrupted" }, arms: { a: { tokens: 15 } } });
  expect(await store.series.take(SERIES)).toEqual(interrupted);
  await store.series.update(aSeries(SERIES));
  expect(await store.series.read(SERIES)).toEqual(aSeries(SERIES));
});

test("a process takes no series of one that lives, and that of one that dies with all its trials ended", async () => {
  using directory = temporaryDirectory();
  const child = running(directory.path, "console.log('ready'); for await (const _ of console) break;");
  await child.stdout.getReader().read();
  using store = open(directory.path);
  expect(await store.series.read(SERIES)).toEqual(aSeries(SERIES));
  await expect(store.series.take(SERIES)).rejects.toMatchObject({
    code: "invalid_request",
    message: `${SERIES} is still running: wait for its end or stop it, then continue it`,
  });
  await expect(store.series.update(aSeries(SERIES, STOPPED))).rejects.toMatchObject({ code: "series_not_running" });
  expect(statesIn(await store.trials({ series_id: SERIES }))).toEqual(["completed", "queued"]);
  child.kill("SIGKILL");
  await child.exited;
  let woken = 0;
  store.watch(idOf(2), () => {
    woken += 1;
  });
  expect(await store.series.take(SERIES)).toMatchObject({ state: "interrupted" });
  expect(statesIn(await store.trials({ series_id: SERIES }))).toEqual(["completed", "interrupted"]);
  expect(woken).toBe(1);
  await store.series.update(aSeries(SERIES, STOPPED));
  await store.add([idOf(2)], { type: "cancel_asked", at: STOPPED.finished_at });
  expect(existsSync(join(directory.path, "sessions", `${idOf(2)}.json`))).toBe(true);
});

test("two processes that go on with one series at the same moment do not both get it", async () => {
  using directory = temporaryDirectory();
  await running(directory.path, KILL).exited;
  using first = open(directory.path);
  using second = open(directory.path);
  const asked = [];
  for (const store of [first, second]) asked.push(await store.series.take(SERIES).catch(({ code }) => code));
  expect(asked).toEqual([expect.objectContaining({ series_id: SERIES }), "invalid_request"]);
});

test("a process that was taken for dead writes nothing more of its series", async () => {
  using directory = temporaryDirectory();
  using first = open(directory.path);
  await first.series.create(aSeries(SERIES));
  rmSync(join(directory.path, ".owners"), { recursive: true });
  using second = open(directory.path);
  expect(await second.series.take(SERIES)).toMatchObject({ state: "interrupted" });
  await expect(first.series.update(aSeries(SERIES))).rejects.toMatchObject({ code: "series_not_running" });
  expect(await second.series.read(SERIES)).toMatchObject({ state: "interrupted" });
});

test("a series that was taken and not gone on with stays as it was when its process is killed", async () => {
  using directory = temporaryDirectory();
  const ended = aSeries(SERIES, { state: "completed", stop: "exhausted", finished_at: STOPPED.finished_at });
  const take = `await store.series.update(${JSON.stringify(ended)}); await store.series.take("${SERIES}"); ${KILL}`;
  await running(directory.path, take).exited;
  using store = open(directory.path);
  expect(await store.series.read(SERIES)).toEqual(ended);
  expect(await store.series.list({ state: "completed" })).toHaveLength(1);
  expect(await store.series.take(SERIES)).toEqual(ended);
});

test.each(["{", "5", "null", "[]", "{}", '{"series_id":1}'])(
  "a series %s is left out of lists and refused by name, and the program starts",
  async (series) => {
    using directory = temporaryDirectory();
    {
      using store = open(directory.path);
      for (const series_id of [SERIES, OTHER]) await store.series.create(aSeries(series_id, STOPPED));
    }
    changeBy(
      directory.path,
      `UPDATE series SET series = '${series}', state = 'running', owner = 'dead' WHERE series_id = '${SERIES}'`,
    );
    using store = open(directory.path);
    expect((await store.series.list()).map(({ series_id }) => series_id)).toEqual([OTHER]);
    await expect(store.series.read(SERIES)).rejects.toMatchObject({ code: "storage_failed" });
    await expect(store.series.take(SERIES)).rejects.toMatchObject({ code: "storage_failed" });
    expect(await store.series.take(OTHER)).toMatchObject({ series_id: OTHER });
  },
);

test("a series under the name of another is refused", async () => {
  using directory = temporaryDirectory();
  {
    using store = open(directory.path);
    await store.series.create(aSeries(SERIES, STOPPED));
  }
  changeBy(directory.path, `UPDATE series SET series_id = '${OTHER}'`);
  using store = open(directory.path);
  await expect(store.series.read(OTHER)).rejects.toMatchObject({ code: "storage_failed" });
  expect(await store.series.read(SERIES)).toBeUndefined();
});

test("trials whose rows are damaged, or are those of another session, are left out", async () => {
  using directory = temporaryDirectory();
  const damages = [
    "NULL",
    "'{'",
    "'5'",
    "'{}'",
    "json_set(trial_row, '$.session_id', 'session-x-20260102T030400001Z')",
  ];
  {
    using store = open(directory.path);
    for (const n of [1, 2, 3, 4, 5, 6]) {
      await store.append(await begin(store, aTrial(idOf(n), SERIES, n)), [COMPLETED], "durable");
    }
  }
  changeBy(
    directory.path,
    ...damages.map((damage, n) => `UPDATE sessions SET trial_row = ${damage} WHERE session_id = '${idOf(n + 1)}'`),
  );
  using store = open(directory.path);
  expect((await store.trials({ series_id: SERIES })).map(({ place }) => place?.trial)).toEqual([6]);
});

test.each(["1", "2"])(
  "a trial that was left running and whose entry %s is damaged is interrupted all the same",
  async (n) => {
    using directory = temporaryDirectory();
    {
      using store = open(directory.path);
      const run = await begin(store, aTrial(idOf(1), SERIES, 1));
      await store.append(run, [{ type: "decision", arm_id: "left", decision: aTurn(1) }], "written");
    }
    changeBy(directory.path, `UPDATE entries SET entry = '{' WHERE n = ${n}`);
    using store = open(directory.path);
    expect(statesIn(await store.trials({ series_id: SERIES }))).toEqual(["interrupted"]);
  },
);

testNeeding(MOUNTS)("a series that finds no place is refused, and its id is free again", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  using store = open(directory.path);
  const huge = aSeries(SERIES, { failure: "x".repeat(7_000_000) });
  await expect(store.series.create(huge)).rejects.toMatchObject(FULL);
  expect(await store.series.read(SERIES)).toBeUndefined();
  expect(await store.series.create(aSeries(SERIES))).toBe(true);
});

testNeeding(MOUNTS)("a series that ended while the disk was full reads so at once, and is stored later", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  const ended = aSeries(SERIES, { ...STOPPED, failure: "x".repeat(300_000) });
  {
    using store = open(directory.path);
    await store.series.create(aSeries(SERIES));
    const ballast = join(directory.path, "ballast");
    fill(ballast);
    await expect(store.series.update({ ...ended, state: "running" })).rejects.toMatchObject(FULL);
    expect(await store.series.read(SERIES)).toEqual(aSeries(SERIES));
    await expect(store.series.update(ended)).rejects.toMatchObject(FULL);
    expect(await store.series.read(SERIES)).toEqual(ended);
    rmSync(ballast);
    // Whoever takes it finds it ended.
    expect(await store.series.take(SERIES)).toEqual(ended);
    await store.series.update(ended);
  }
  using store = open(directory.path);
  expect(await store.series.read(SERIES)).toEqual(ended);
});

test("an end that could not be stored gives way to a process that has taken the series since", async () => {
  using directory = temporaryDirectory();
  using first = open(directory.path);
  await first.series.create(aSeries(SERIES));
  {
    using _refused = refuseSeries(directory.path, '"state":"cancelled"');
    await expect(first.series.update(aSeries(SERIES, STOPPED))).rejects.toMatchObject({ code: "storage_failed" });
  }
  rmSync(join(directory.path, ".owners"), { recursive: true });
  using second = open(directory.path);
  await second.series.take(SERIES);
  await expect(first.series.take(SERIES)).rejects.toMatchObject({ code: "invalid_request" });
  expect(await first.series.read(SERIES)).toMatchObject({ state: "interrupted" });
});

test("an end that could not be stored is kept while that fails, and stored at the latest when the store closes", async () => {
  using directory = temporaryDirectory();
  {
    using store = open(directory.path);
    await store.series.create(aSeries(SERIES));
    {
      using _refused = refuseSeries(directory.path, '"state":"cancelled"');
      await expect(store.series.update(aSeries(SERIES, STOPPED))).rejects.toMatchObject({ code: "storage_failed" });
      expect(await store.series.take(OTHER)).toBeUndefined();
    }
    expect(await store.series.read(SERIES)).toEqual(aSeries(SERIES, STOPPED));
  }
  using store = open(directory.path);
  expect(await store.series.read(SERIES)).toEqual(aSeries(SERIES, STOPPED));
});

testNeeding(MOUNTS)("an end that a full disk took back is made anew of the trials that then are", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  using store = open(directory.path);
  const runs = [];
  for (const n of [1, 2]) runs.push(await begin(store, aTrial(idOf(n), SERIES, n)));
  const [first, second] = runs as [Run, Run];
  // Both at one moment: the second was made when the first had completed, and takes that with it.
  const told = await Promise.allSettled([
    store.append(first, [COMPLETED], "durable"),
    store.append(second, (trials) => [seen(trials), failed("x".repeat(7_000_000))], "durable"),
  ]);
  expect(told).toMatchObject([{ reason: FULL }, { reason: FULL }]);
  expect((await readSession(store, idOf(2)))?.fairness.observed).toEqual(["queued", "queued"]);
  expect(statesIn(await store.trials({ series_id: SERIES }))).toEqual(["queued", "failed"]);
});

test("an end that is kept is not made a second time when it is stored", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  const runs = [];
  for (const n of [1, 2, 3]) runs.push(await begin(store, aTrial(idOf(n), SERIES, n)));
  const [first, second, third] = runs as [Run, Run, Run];
  const observed = async () => (await readSession(store, idOf(2)))?.fairness.observed;
  {
    using _refused = refuse(directory.path, '"state":"failed"');
    const ending = store.append(second, (trials) => [seen(trials), failed("no")], "durable");
    await expect(ending).rejects.toMatchObject({ code: "storage_failed" });
    expect(await observed()).toEqual(["queued", "queued", "queued"]);
    await new Promise(setImmediate);
  }
  // The first of these takes it along.
  for (const run of [first, third]) await store.append(run, [COMPLETED], "durable");
  expect(await observed()).toEqual(["queued", "queued", "queued"]);
  expect(statesIn(await store.trials({ series_id: SERIES }))).toEqual(["completed", "failed", "completed"]);
  using next = open(directory.path);
  expect(statesIn(await next.trials({ series_id: SERIES }))).toEqual(["completed", "failed", "completed"]);
});

test("of the runs of a comparison the first are read, however many there are, and of a series all", async () => {
  using directory = temporaryDirectory();
  {
    using store = open(directory.path);
    await store.series.create(aSeries(SERIES));
    await store.append(await begin(store, aTrial(idOf(1), SERIES, 1)), [COMPLETED], "durable");
  }
  const id = `'session-sample-20260102T03' || printf('%07d', n) || 'Z'`;
  changeBy(
    directory.path,
    `WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n <= ${MAX_TRIALS_IN_ALL})
     INSERT INTO sessions (session_id, scenario, series_id, comparison, state, copied, listing, trial_row)
       SELECT ${id}, scenario, series_id, comparison, state, 1, listing, json_set(trial_row, '$.session_id', ${id})
       FROM sessions, more`,
  );
  using store = open(directory.path);
  const rows = await store.trials({ comparison: "0".repeat(64) });
  expect([rows.length, rows[0]?.session_id]).toEqual([MAX_TRIALS_IN_ALL, idOf(1)]);
  expect(await store.trials({ series_id: SERIES })).toHaveLength(MAX_TRIALS_IN_ALL + 2);
});

test("the rows of a long series are read in pages, in the order of creation, and others have their turn between", async () => {
  using directory = temporaryDirectory();
  {
    using store = open(directory.path);
    await store.series.create(aSeries(SERIES));
    await store.append(await begin(store, aTrial(idOf(1), SERIES, 1)), [COMPLETED], "durable");
  }
  changeBy(
    directory.path,
    `WITH RECURSIVE later (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM later WHERE n < 2500)
     INSERT INTO sessions (session_id, scenario, state, copied, listing, series_id, comparison, trial_row)
     SELECT replace(session_id, '0304' || '00001', '0304' || printf('%05d', n)), scenario, state, copied, listing, series_id, comparison,
       replace(trial_row, '0304' || '00001', '0304' || printf('%05d', n)) FROM sessions, later WHERE position = 1 ORDER BY n`,
  );
  using store = open(directory.path);
  let rows: readonly TrialRow[] = [];
  const turns = await turnsDuring(async () => {
    rows = await store.trials({ series_id: SERIES });
  });
  expect(rows.map(({ session_id }) => session_id)).toEqual(Array.from({ length: 2500 }, (_, n) => idOf(n + 1)));
  expect(turns).toBeGreaterThan(1);
});

test("others have their turn while many series are listed, of which each is found once", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  const scenarios = Array.from({ length: 1_000 }, (_, index) => `s${index}`);
  const ids = Array.from({ length: 24 }, (_, n) => `series-20260102T0304${String(n).padStart(5, "0")}Z-01234567`);
  for (const id of ids) await store.series.create(aSeries(id, { scenarios, state: "completed" }));
  let listed: readonly string[] = [];
  const turns = await turnsDuring(async () => {
    listed = (await store.series.list({ limit: 23 })).map(({ series_id }) => series_id);
  });
  expect(listed).toEqual(ids.toReversed().slice(0, 23));
  expect(turns).toBeGreaterThan(5);
});

test("a series that begins or changes, and results that are kept, are answered when they are on the disk", async () => {
  using directory = temporaryDirectory();
  const stateDir = directory.path;
  using database = openDatabase(join(stateDir, "sessions.db"), () => false);
  using lease = new ProcessLease(stateDir, "owner");
  const batch = new WriteBatch(database, systemClock, stateDir, () => undefined);
  let disk = Promise.withResolvers<void>();
  using series = new SqliteSeries({
    ...{ database, lease, batch, stateDir },
    ...{ synced: () => disk.promise, settle: async () => undefined },
  });
  const changed = aSeries(SERIES, STOPPED);
  const writes = [
    () => series.create(aSeries(SERIES)),
    () => series.update(changed),
    () => series.keep(someResults("1", "2026-01-02T03:04:05.678Z")),
  ];
  for (const write of writes) {
    disk = Promise.withResolvers();
    let answered = false;
    const answer = write().then(() => {
      answered = true;
    });
    batch.flush();
    await Bun.sleep(0);
    expect(answered).toBe(false);
    disk.resolve();
    await answer;
  }
  expect(await series.read(SERIES)).toEqual(changed);
});

test("a directory of an earlier version gets its ledger: each series a comparison on the names of its scenarios", async () => {
  using directory = temporaryDirectory();
  {
    using store = open(directory.path);
    const preferred = { ...aSeries(SERIES).standing, conclusion: "a_preferred" as const };
    await store.series.create(aSeries(SERIES, { standing: preferred }));
    await store.series.create(aSeries(OTHER));
    await store.series.create(aSeries(OTHER.replace("02Z", "03Z"), { scenarios: ["sample", "more"] }));
    await store.series.keep(someResults("a", "2026-01-02T03:04:06.000Z"));
  }
  using database = openDatabase(join(directory.path, "sessions.db"), () => false);
  for (const statement of [
    "DROP INDEX series_by_subject",
    ...["subject", "compared", "claimed"].map((one) => `ALTER TABLE series DROP COLUMN ${one}`),
  ])
    database.run(statement);
  database.run(
    "INSERT INTO series (series_id, state, series) VALUES ('damaged', 'completed', '{'), ('empty', 'completed', '[]')",
  );
  using store = open(directory.path);
  expect(await store.series.ledger(aSeries(SERIES))).toEqual({ comparisons: 2, claims: 1 });
  expect(await store.series.ledger(aSeries(SERIES, { scenarios: ["sample", "more"] }))).toEqual({
    comparisons: 1,
    claims: 0,
  });
  await store.series.create(aSeries(OTHER.replace("02Z", "04Z")));
  expect(await store.series.ledger(aSeries(SERIES))).toEqual({ comparisons: 3, claims: 1 });
});
