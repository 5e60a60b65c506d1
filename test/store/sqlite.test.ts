import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { rejudge } from "../../src/comparison/session/rejudge.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { DecisionEntry, EndedEntry } from "../../src/domain/session-entry.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { readSession } from "../../src/store/read-session.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Run, SessionStore } from "../../src/store/store.ts";
import { light, runOnce, testServices } from "../harness.ts";
import { testNeeding } from "../needs.ts";
import { anOutcome, aTurn } from "../outcomes.ts";
import { begin, COMPLETED, createdEntry } from "../stored.ts";
import { temporaryDirectory } from "../temporary.ts";
import { fill, MOUNTS, refuse, smallDisk } from "./storage-faults.ts";

const open = (path: string) => sqliteStore(path, systemClock, systemEntropy);

const idOf = (n: number) => `session-sample-20260102T0304${String(n).padStart(5, "0")}Z`;

const turn = (seq: number, summary = ""): DecisionEntry => ({
  type: "decision",
  arm_id: "left",
  decision: aTurn(seq, { summary }),
});

const judged = { type: "judged", verdict: { ...EXAMPLES.verdict, kind: "rejudge" } } as const;

/** An end of about so many bytes. */
const failed = (bytes = 0): EndedEntry => ({
  type: "ended",
  at: "2026-01-02T03:04:06.000Z",
  state: "failed",
  failure: { stage: "running", class: "infra", code: "internal", message: "x".repeat(bytes), retryable: false },
});

/** A session that has completed. */
async function completed(store: SessionStore, id = idOf(1)): Promise<void> {
  await store.append(await begin(store, anOutcome(id, { state: "running" })), [turn(1), COMPLETED], "durable");
}

function failureOf(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const FULL = { code: "storage_full" };

const flagsOf = (path: string) => {
  using database = new Database(join(path, "sessions.db"), { readonly: true });
  return database.query("SELECT state, copied FROM sessions").all() as { state: string; copied: number }[];
};

const pathOfCopy = (path: string, id: string) => join(path, "sessions", `${id}.json`);

const copyOf = (path: string, id: string): SessionOutcome => JSON.parse(readFileSync(pathOfCopy(path, id), "utf8"));

test("the layout is sessions.db and one JSON copy for each finished session", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  await completed(store);
  expect(existsSync(join(directory.path, "sessions.db"))).toBe(true);
  expect(copyOf(directory.path, idOf(1))).toEqual((await readSession(store, idOf(1))) as SessionOutcome);
});

test("a session whose process is gone becomes interrupted at the next start, with its decisions", async () => {
  using directory = temporaryDirectory();
  const script = `
    import { systemClock, systemEntropy } from "${import.meta.dir}/../../src/runtime/clock.ts";
    import { sqliteStore } from "${import.meta.dir}/../../src/store/sqlite/sqlite-store.ts";
    import { anOutcome, aTurn } from "${import.meta.dir}/../outcomes.ts";
    import { begin } from "${import.meta.dir}/../stored.ts";
    const store = sqliteStore(${JSON.stringify(directory.path)}, systemClock, systemEntropy);
    const run = await begin(store, anOutcome("${idOf(1)}", { state: "running" }));
    await store.append(run, [{ type: "decision", arm_id: "left", decision: aTurn(1) }], "written");
    process.kill(process.pid, "SIGKILL");`;
  await Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "ignore", "inherit"] }).exited;
  using store = open(directory.path);
  const outcome = await readSession(store, idOf(1));
  expect(outcome).toMatchObject({ state: "interrupted", verdict: null, decisions: { left: [aTurn(1)] } });
  expect(outcome?.failure).toMatchObject({ code: "interrupted", stage: "running", retryable: true });
  expect(outcome?.arms[0]).toMatchObject({ turns: 1, status: "cancelled", stop_reason: "interrupted" });
  expect(await store.list()).toMatchObject([{ session_id: idOf(1), state: "interrupted" }]);
  expect(copyOf(directory.path, idOf(1))).toEqual(outcome as SessionOutcome);
});

test("a session of a process that lives is left alone by another that starts", async () => {
  using directory = temporaryDirectory();
  using first = open(directory.path);
  const run = await begin(first, anOutcome(idOf(1), { state: "running" }));
  using second = open(directory.path);
  expect((await readSession(second, idOf(1)))?.state).toBe("running");
  await first.append(run, [turn(1)], "written");
  expect(await second.read(idOf(1))).toHaveLength(2);
});

test("a process that was taken for dead writes nothing more of its session", async () => {
  using directory = temporaryDirectory();
  using first = open(directory.path);
  const run = await begin(first, anOutcome(idOf(1), { state: "running" }));
  for (const name of readdirSync(join(directory.path, ".owners"))) rmSync(join(directory.path, ".owners", name));
  using second = open(directory.path);
  expect((await readSession(second, idOf(1)))?.state).toBe("interrupted");
  for (const entry of [turn(1), COMPLETED])
    await expect(first.append(run, [entry], "written")).rejects.toMatchObject({ code: "interrupted" });
  expect((await readSession(second, idOf(1)))?.state).toBe("interrupted");
  // The first lets go of the database at the end of its turn; the second would wait for it.
  await new Promise(setImmediate);
});

test("processes that start at the same moment on a new directory all find their place", async () => {
  const script = `
    import { systemClock, systemEntropy } from "${import.meta.dir}/../../src/runtime/clock.ts";
    import { sqliteStore } from "${import.meta.dir}/../../src/store/sqlite/sqlite-store.ts";
    console.log("ready");
    for await (const line of console) {
      const [moment, path] = line.split(" ");
      if (path === undefined) break;
      while (Date.now() < Number(moment)) {}
      sqliteStore(path, systemClock, systemEntropy)[Symbol.dispose]();
      console.log("done");
    }`;
  const started = Array.from({ length: 4 }, () => {
    const child = Bun.spawn([process.execPath, "-e", script], { stdio: ["pipe", "pipe", "pipe"] });
    return { child, said: child.stdout.getReader() };
  });
  const allSaid = async (word: string) => {
    const words = await Promise.all(started.map(async ({ said }) => Buffer.from((await said.read()).value ?? "")));
    expect(words.map(String)).toEqual(started.map(() => `${word}\n`));
  };
  await allSaid("ready");
  for (let round = 0; round < 12; round += 1) {
    using directory = temporaryDirectory();
    const line = `${Date.now() + 20} ${join(directory.path, "state")}\n`;
    for (const { child } of started) void child.stdin.write(line);
    await allSaid("done");
  }
  for (const { child } of started) void child.stdin.end();
  for (const { child } of started)
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
});

test("two stores on one directory never give one id twice", async () => {
  using directory = temporaryDirectory();
  using first = open(directory.path);
  using second = open(directory.path);
  expect(await first.create(createdEntry(anOutcome(idOf(1))))).toBeDefined();
  expect(await second.create(createdEntry(anOutcome(idOf(1))))).toBeUndefined();
});

test("a missing or torn copy is written again at the next start; a read writes nothing", async () => {
  using directory = temporaryDirectory();
  const path = pathOfCopy(directory.path, idOf(1));
  {
    using store = open(directory.path);
    await completed(store);
  }
  const whole = readFileSync(path, "utf8");
  for (const damage of [
    () => rmSync(path),
    () => writeFileSync(path, whole.slice(0, 40)),
    () => writeFileSync(path, "{}"),
  ]) {
    damage();
    using _next = open(directory.path);
    expect(readFileSync(path, "utf8")).toBe(whole);
  }
  using store = open(directory.path);
  rmSync(path);
  await readSession(store, idOf(1));
  await store.list();
  expect(existsSync(path)).toBe(false);
});

test("a session that is damaged in the database is refused, and its copy is left as it is", async () => {
  using directory = temporaryDirectory();
  {
    using store = open(directory.path);
    await completed(store);
  }
  const whole = readFileSync(pathOfCopy(directory.path, idOf(1)), "utf8");
  for (const entry of ["{", "{}", '{"type":"decision"}', '{"type":"ended"}', '{"type":"arm_ended","arm_id":"left"}']) {
    {
      using database = new Database(join(directory.path, "sessions.db"));
      database.query("UPDATE entries SET entry = ? WHERE n = 1").run(entry);
      database.run("UPDATE sessions SET copied = 0");
    }
    using store = open(directory.path);
    await expect(readSession(store, idOf(1))).rejects.toMatchObject({ code: "storage_failed" });
    expect(readFileSync(pathOfCopy(directory.path, idOf(1)), "utf8")).toBe(whole);
  }
});

test("a session that is damaged and was left running does not keep the program from starting", async () => {
  using directory = temporaryDirectory();
  {
    using store = open(directory.path);
    await begin(store, anOutcome(idOf(1), { state: "running" }));
    await completed(store, idOf(2));
  }
  {
    using database = new Database(join(directory.path, "sessions.db"));
    database.query("UPDATE entries SET entry = '{' WHERE session_id = ?").run(idOf(1));
  }
  using store = open(directory.path);
  expect((await store.list()).map(({ state }) => state)).toEqual(["completed", "interrupted"]);
  await expect(readSession(store, idOf(1))).rejects.toMatchObject({ code: "storage_failed" });
});

test("that copies are written is noted when there are many, and at the end", async () => {
  using directory = temporaryDirectory();
  const noted = () => flagsOf(directory.path).filter(({ copied }) => copied > 1).length;
  {
    using store = open(directory.path);
    await Promise.all(Array.from({ length: 65 }, (_, n) => completed(store, idOf(n + 1))));
    expect(noted()).toBe(64);
  }
  expect(noted()).toBe(65);
  for (const { session_id, copied } of sizesOf(directory.path))
    expect(statSync(pathOfCopy(directory.path, session_id)).size).toBe(copied);
});

const sizesOf = (path: string) => {
  using database = new Database(join(path, "sessions.db"), { readonly: true });
  return database.query("SELECT session_id, copied FROM sessions").all() as { session_id: string; copied: number }[];
};

test("a copy that could not be written is written at the next start, though an older one was", async () => {
  using directory = temporaryDirectory();
  const copies = join(directory.path, "sessions");
  {
    using store = open(directory.path);
    await completed(store);
    renameSync(copies, join(directory.path, "aside"));
    await store.add([idOf(1)], judged);
    renameSync(join(directory.path, "aside"), copies);
  }
  expect(flagsOf(directory.path)).toEqual([{ state: "completed", copied: 0 }]);
  expect(copyOf(directory.path, idOf(1)).verdicts).toHaveLength(0);
  using _next = open(directory.path);
  expect(copyOf(directory.path, idOf(1)).verdicts).toHaveLength(1);
});

test("verdicts that come one upon another are all in the copy", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  await completed(store);
  await Promise.all(Array.from({ length: 20 }, () => store.add([idOf(1)], judged)));
  expect(copyOf(directory.path, idOf(1)).verdicts).toHaveLength(20);
});

test("a session that has not ended has no copy", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  await begin(store, anOutcome(idOf(1), { state: "judging" }));
  await store.add([idOf(1)], judged);
  expect(readdirSync(join(directory.path, "sessions"))).toEqual([]);
});

test.each(["another process", "this process"])(
  "a verdict that %s adds while a run goes on is in the list when the run's own judge fails",
  async (by) => {
    using directory = temporaryDirectory();
    using first = open(directory.path);
    using second = open(directory.path);
    const adding = by === "this process" ? first : second;
    const run = await begin(first, anOutcome(idOf(1), { state: "judging" }));
    await first.append(run, [turn(1)], "written");
    const verdict = { ...EXAMPLES.verdict, kind: "rejudge" as const };
    await adding.add([idOf(1)], { type: "judged", verdict });
    const failure = {
      stage: "judging",
      class: "infra",
      code: "provider_failed",
      message: "no",
      retryable: false,
    } as const;
    await first.append(run, [{ ...failed(), failure }], "durable");
    expect(await first.list()).toMatchObject([{ state: "completed", winner: verdict.winner }]);
    expect(await readSession(second, idOf(1))).toMatchObject({ state: "completed", failure: null, verdict });
  },
);

test("an entry that the database refuses is lost with its call, and with no other of that moment", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  const run = await begin(store, anOutcome(idOf(1), { state: "running" }));
  {
    using database = new Database(join(directory.path, "sessions.db"));
    database.run(`CREATE TRIGGER refuse BEFORE INSERT ON entries WHEN new.entry LIKE '%poison%'
      BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  }
  const calls = [
    store.append(run, [turn(1)], "written"),
    store.append(run, [turn(2), turn(3, "poison")], "written"),
    store.create(createdEntry(anOutcome(idOf(2), { version: "poison" }))),
    store.append(run, [turn(2)], "written"),
  ];
  const answers = await Promise.allSettled(calls);
  expect(answers.map((answer) => answer.status === "rejected" && answer.reason.code)).toEqual([
    false,
    "storage_failed",
    "storage_failed",
    false,
  ]);
  expect((await store.read(idOf(1))).slice(1).map(({ entry }) => entry)).toEqual([turn(1), turn(2)]);
  expect(await store.read(idOf(2))).toEqual([]);
  expect(await store.list()).toHaveLength(1);
  await store.append(run, [COMPLETED], "durable");
  const copy = JSON.parse(readFileSync(join(directory.path, "sessions", `${idOf(1)}.json`), "utf8"));
  expect(copy.decisions.left).toEqual([turn(1).decision, turn(2).decision]);
});

test("a verdict goes to both sessions or to neither", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  for (const n of [1, 2]) await completed(store, idOf(n));
  {
    using database = new Database(join(directory.path, "sessions.db"));
    database.run(`CREATE TRIGGER refuse BEFORE INSERT ON entries WHEN new.session_id = '${idOf(2)}'
      BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  }
  await expect(store.add([idOf(1), idOf(2)], judged)).rejects.toMatchObject({ code: "storage_failed" });
  expect((await readSession(store, idOf(1)))?.verdicts).toEqual([]);
});

test("what was taken back is in no copy, though the log is as long as if it were there", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  using other = open(directory.path);
  const run = await begin(store, anOutcome(idOf(1), { state: "running" }));
  await completed(store, idOf(2));
  {
    using database = new Database(join(directory.path, "sessions.db"));
    database.run(`CREATE TRIGGER refuse BEFORE INSERT ON entries WHEN new.session_id = '${idOf(2)}'
      BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  }
  await expect(store.add([idOf(1), idOf(2)], judged)).rejects.toMatchObject({ code: "storage_failed" });
  const stored = { ...judged.verdict, verdict_id: "verdict-20260102T030405000Z-00000002" };
  await other.add([idOf(1)], { type: "judged", verdict: stored });
  await store.append(run, [turn(1), failed()], "durable");
  const copy = JSON.parse(readFileSync(join(directory.path, "sessions", `${idOf(1)}.json`), "utf8"));
  expect(copy).toEqual(await readSession(store, idOf(1)));
  expect(copy.verdicts).toEqual([stored]);
});

testNeeding(MOUNTS)("a session that does not fit is lost, and its id is free again", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  using store = open(directory.path);
  const huge = createdEntry(anOutcome(idOf(1), { version: "x".repeat(7_000_000) }));
  await expect(store.create(huge)).rejects.toMatchObject(FULL);
  expect(await store.read(idOf(1))).toEqual([]);
  expect(await store.create(createdEntry(anOutcome(idOf(1))))).toBeDefined();
});

testNeeding(MOUNTS)("what was answered is stored: neither an end nor its copy is taken back", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  using store = open(directory.path);
  const [first, second] = [await begin(store, anOutcome(idOf(1))), await begin(store, anOutcome(idOf(2)))];
  await store.append(first, [COMPLETED], "written");
  await expect(store.append(second, [turn(1, "x".repeat(7_000_000))], "written")).rejects.toMatchObject(FULL);
  expect((await readSession(store, idOf(1)))?.state).toBe("completed");
  store[Symbol.dispose]();
  using next = open(directory.path);
  expect((await readSession(next, idOf(1)))?.state).toBe("completed");
  expect(copyOf(directory.path, idOf(1)).state).toBe("completed");
});

testNeeding(MOUNTS)("a rejudge whose verdict is lost is told so, also while an older end waits for space", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  using store = open(directory.path);
  const services = testServices({}, { store });
  const { outcome } = await runOnce(services, await light("extract-rate-limit"));
  const run = await begin(store, anOutcome(idOf(1), { state: "running" }));
  fill(join(directory.path, "ballast"));
  await expect(store.append(run, [failed(1_000_000)], "durable")).rejects.toMatchObject(FULL);
  const [arm_a, arm_b] = outcome.arms.map(({ arm_id }) => ({ session_id: outcome.session_id, arm_id }));
  if (!arm_a || !arm_b) throw new Error("two arms");
  const request = { arm_a, arm_b, judge_model: "builtin/evidence" };
  const answer = rejudge(services, request, new AbortController().signal);
  await expect(answer).rejects.toMatchObject(FULL);
});

test("a damaged database is refused with its name and left as it is", () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  writeFileSync(path, "this is not a database, and it is long enough to be read as one".repeat(100));
  const before = readFileSync(path, "utf8");
  const failure = failureOf(() => open(directory.path));
  expect(failure.code).toBe("storage_failed");
  expect(failure.message).toContain(directory.path);
  expect(failure.message).toContain("damaged");
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("a database that proves damaged only when it is read leaves nothing of the start that was refused", () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  {
    using store = open(directory.path);
    for (let n = 1; n < 20; n += 1) void store.create(createdEntry(anOutcome(idOf(n), { state: "running" })));
  }
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, 2 * 4096));
  expect(failureOf(() => open(directory.path)).message).toContain("damaged");
  expect(readdirSync(join(directory.path, ".owners"))).toEqual([]);
});

test("a database of another program and one of a newer version are refused and not changed", () => {
  for (const [statement, word] of [
    ["CREATE TABLE notes (text TEXT)", "another program"],
    [`PRAGMA application_id = ${0x61626576}; PRAGMA user_version = 999`, "newer"],
  ] as const) {
    using directory = temporaryDirectory();
    const path = join(directory.path, "sessions.db");
    using database = new Database(path, { create: true });
    database.run(statement);
    expect(failureOf(() => open(directory.path)).message).toContain(word);
    expect(database.query("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'sessions'").get()).toEqual({ n: 0 });
  }
});

test("a state directory that is a file is refused in words", () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "file");
  writeFileSync(path, "");
  const failure = failureOf(() => open(path));
  expect([failure.code, failure.message]).toEqual(["storage_failed", `${path}: is not a directory`]);
});

testNeeding(MOUNTS)("a full disk is a storage_full failure and loses nothing that was acknowledged", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  using store = open(directory.path);
  await begin(store, anOutcome(idOf(1)));
  const filling = async () => {
    for (let n = 2; ; n += 1) await begin(store, anOutcome(idOf(n), { version: "x".repeat(100_000) }));
  };
  await expect(filling()).rejects.toMatchObject(FULL);
  expect((await readSession(store, idOf(1)))?.session_id).toBe(idOf(1));
  expect((await store.list()).length).toBeGreaterThan(1);
});

testNeeding(MOUNTS)("writes that a full disk took back are told to all who made them at that moment", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  using store = open(directory.path);
  const [first, second] = [await begin(store, anOutcome(idOf(1))), await begin(store, anOutcome(idOf(2)))];
  const told = [
    store.append(first, [turn(1)], "written"),
    store.append(second, [turn(1, "x".repeat(7_000_000))], "written"),
  ];
  const answers = await Promise.allSettled(told);
  const full = expect.objectContaining(FULL);
  expect(answers.map((answer) => answer.status === "rejected" && answer.reason)).toEqual([full, full]);
  expect(await store.read(idOf(1))).toHaveLength(1);
  await store.append(first, [turn(1)], "written");
  expect((await readSession(store, idOf(1)))?.decisions["left"]).toEqual([aTurn(1, { summary: "" })]);
});

testNeeding(MOUNTS)("a session that could be saved is not failed by what is written down about its copy", async () => {
  for (let pages = 0; pages < 12; pages += 1) {
    using directory = temporaryDirectory();
    using _disk = smallDisk(directory.path, "1m");
    using store = open(directory.path);
    const run = await begin(store, anOutcome(idOf(1), { state: "running" }));
    const { bavail, bsize } = statfsSync(directory.path);
    writeFileSync(join(directory.path, "ballast"), new Uint8Array(Math.max(0, bavail - pages) * bsize));
    const stored = await store.append(run, [COMPLETED], "written").then(
      () => true,
      () => false,
    );
    store[Symbol.dispose]();
    rmSync(join(directory.path, "ballast"));
    using next = open(directory.path);
    expect((await next.list()).map(({ state }) => state)).toEqual([stored ? "completed" : expect.any(String)]);
  }
});

test("another process sees what was written at one moment all at once", async () => {
  using directory = temporaryDirectory();
  using writer = open(directory.path);
  const run = await begin(writer, anOutcome(idOf(1), { state: "running" }));
  using reader = new Database(join(directory.path, "sessions.db"), { readonly: true });
  const rows = () => reader.query("SELECT n FROM entries").all().length;
  const writing = [writer.append(run, [turn(1)], "written"), writer.append(run, [turn(2)], "written")];
  expect(rows()).toBe(1);
  await Promise.all(writing);
  expect(rows()).toBe(3);
});

test("whoever notes something and goes on has not waited for the database, and shuts out no other process", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  const run = await begin(store, anOutcome(idOf(1), { state: "running" }));
  using other = new Database(join(directory.path, "sessions.db"));
  other.run("PRAGMA busy_timeout = 0");
  const noted = store.append(run, [turn(1)], "written");
  other.transaction(() => undefined).immediate();
  await noted;
  expect((await readSession(store, idOf(1)))?.decisions["left"]).toHaveLength(1);
});

test("closing keeps what was written and not answered yet", async () => {
  using directory = temporaryDirectory();
  {
    using store = open(directory.path);
    const run = await begin(store, anOutcome(idOf(1), { state: "running" }));
    void store.append(run, [turn(1)], "written");
  }
  using store = open(directory.path);
  expect((await readSession(store, idOf(1)))?.decisions["left"]).toHaveLength(1);
});

test("a store promises nothing of a disk that it can no longer ask", async () => {
  using directory = temporaryDirectory();
  const store = open(directory.path);
  const run = await begin(store, anOutcome(idOf(1)));
  store[Symbol.dispose]();
  await expect(store.append(run, [turn(1)], "durable")).rejects.toMatchObject({ code: "storage_failed" });
});

test("readers hear of what is written, though nobody can say whether it is on the disk", async () => {
  using directory = temporaryDirectory();
  const store = open(directory.path);
  const run = await begin(store, anOutcome(idOf(1)));
  let woken = 0;
  store.watch(idOf(1), () => {
    woken += 1;
  });
  const ending = store.append(run, [COMPLETED], "durable");
  store[Symbol.dispose]();
  await expect(ending).rejects.toMatchObject({ code: "storage_failed" });
  expect(woken).toBe(1);
  using next = open(directory.path);
  expect((await readSession(next, idOf(1)))?.state).toBe("completed");
});

testNeeding(MOUNTS)("a disk too small for SQLite's own files is full, not broken", () => {
  for (const size of ["4k", "12k", "28k", "36k"]) {
    using directory = temporaryDirectory();
    using _disk = smallDisk(directory.path, size);
    expect(failureOf(() => open(directory.path)).code).toBe("storage_full");
  }
});

testNeeding(MOUNTS)(
  "a session that ended while the disk was full reads so at once, and is stored when there is space",
  async () => {
    using directory = temporaryDirectory();
    using _disk = smallDisk(directory.path);
    {
      using store = open(directory.path);
      const run = await begin(store, anOutcome(idOf(1), { state: "running" }));
      let woken = 0;
      store.watch(idOf(1), () => {
        woken += 1;
      });
      const ballast = join(directory.path, "ballast");
      fill(ballast);
      await expect(store.append(run, [failed(1_000_000)], "durable")).rejects.toMatchObject(FULL);
      expect(woken).toBe(1);
      expect((await readSession(store, idOf(1)))?.state).toBe("failed");
      expect((await store.read(idOf(1))).map(({ n }) => n)).toEqual([1, 2]);
      expect(await store.read(idOf(1), 2)).toEqual([]);
      rmSync(ballast);
      // Whatever is written next takes it along.
      await completed(store, idOf(2));
      expect((await store.list()).map(({ state }) => state)).toEqual(["completed", "failed"]);
      expect(await store.read(idOf(1))).toHaveLength(2);
    }
    // Nobody waited for its copy: whoever starts next writes what is missing.
    using _next = open(directory.path);
    expect(copyOf(directory.path, idOf(1)).state).toBe("failed");
  },
);

test("a run whose completion cannot be stored has one end, and its readers hear of no other", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  using _refused = refuse(directory.path, '"state":"completed"');
  const { outcome, events } = await runOnce(testServices({}, { store }), await light("extract-rate-limit"));
  expect(outcome).toMatchObject({ state: "failed", failure: { stage: "saving" }, verdict: { winner: "move-only" } });
  expect(events.at(-1)).toMatchObject({ event: "session_failed", stage: "saving" });
  expect((await store.read(outcome.session_id)).filter(({ entry }) => entry.type === "ended")).toHaveLength(1);
});

test("an end that still does not fit keeps no other from being stored", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  const runs = [];
  for (const n of [1, 2, 3]) runs.push(await begin(store, anOutcome(idOf(n), { state: "running" })));
  const [first, second, third] = runs as [Run, Run, Run];
  const ending = (run: Run) => store.append(run, [failed()], "written");
  {
    using _all = refuse(directory.path, '"type":"ended"');
    for (const run of [first, second]) await expect(ending(run)).rejects.toMatchObject({ code: "storage_failed" });
    // The batch that they were in is over.
    await new Promise(setImmediate);
  }
  using database = new Database(join(directory.path, "sessions.db"));
  database.query("UPDATE entries SET entry = '{' WHERE session_id = ?").run(first.session_id);
  // Each write tries them before, until one fails.
  for (const seq of [1, 2]) await store.append(third, [turn(seq)], "written");
  expect((await store.list()).map(({ state }) => state)).toEqual(["running", "failed", "running"]);
});

test("a session whose creation was lost leaves nothing, however it ends", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  const ending = store.append({ session_id: idOf(1), attempt: 1 }, [COMPLETED], "durable");
  await expect(ending).rejects.toMatchObject({ code: "interrupted" });
  expect(await store.read(idOf(1))).toEqual([]);
  expect(readdirSync(join(directory.path, "sessions"))).toEqual([]);
});

test("temporary files of dead processes are swept at the start, those of living ones stay", async () => {
  using directory = temporaryDirectory();
  using living = open(directory.path);
  const owners = join(directory.path, ".owners");
  mkdirSync(owners, { recursive: true });
  writeFileSync(join(owners, "dead~session.json"), "half");
  using _second = open(directory.path);
  expect(existsSync(join(owners, "dead~session.json"))).toBe(false);
  await begin(living, anOutcome(idOf(1)));
  expect(readdirSync(owners).filter((name) => name.endsWith(".db"))).toHaveLength(2);
});

test("only the owner of the process can read the state, also in a directory that was there", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "state");
  using _fresh = open(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  const shared = join(directory.path, "shared");
  mkdirSync(shared, { mode: 0o755 });
  using store = open(shared);
  await begin(store, anOutcome(idOf(1)));
  const modes = ["sessions.db", "sessions.db-wal"].map((name) => statSync(join(shared, name)).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600]);
});

test("a key that is held forgets those of yesterday: they do not fill the database", async () => {
  using directory = temporaryDirectory();
  const store = open(directory.path);
  for (let day = 1; day <= 5; day += 1)
    await store.request_keys.hold({ key: `k${day}`, request: "r", at: `2026-01-0${day}T00:00:00.000Z` }, "id");
  store[Symbol.dispose]();
  using database = new Database(join(directory.path, "sessions.db"), { readonly: true });
  expect(database.query("SELECT count(*) AS keys FROM request_keys").get()).toEqual({ keys: 1 });
});
