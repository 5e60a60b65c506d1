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
import { systemClock, systemEntropy } from "../../src/clock.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { EXAMPLE_VERDICT } from "../../src/http/examples/verdict.ts";
import { rejudge } from "../../src/session/rejudge.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { bundled, runOnce, testServices } from "../harness.ts";
import type { Need } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { anOutcome, aTurn } from "../outcomes.ts";
import { temporaryDirectory } from "../temporary.ts";

const open = (path: string) => sqliteStore(path, systemClock, systemEntropy);

const idOf = (n: number, scenario = "sample") => `session-${scenario}-20260102T0304${String(n).padStart(5, "0")}Z`;

function failureOf(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const MOUNTS: Need = {
  what: "a mount of its own (run it as root on Linux)",
  met: process.platform === "linux" && process.getuid?.() === 0 && mountWorks(),
};

function mountWorks(): boolean {
  using directory = temporaryDirectory();
  const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=64k", "none", directory.path]).success;
  if (mounted) Bun.spawnSync(["umount", directory.path]);
  return mounted;
}

function smallDisk(path: string, size = "3m"): Disposable {
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${size}`, "none", path]);
  return { [Symbol.dispose]: () => void Bun.spawnSync(["umount", "-l", path]) };
}

test("the layout is sessions.db and one JSON copy for each finished session", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  store.create(anOutcome(idOf(1)));
  store.append(idOf(1), "left", aTurn(1));
  store.save(anOutcome(idOf(1), { state: "completed" }));
  await store.durable();
  expect(existsSync(join(directory.path, "sessions.db"))).toBe(true);
  const copy = JSON.parse(readFileSync(join(directory.path, "sessions", `${idOf(1)}.json`), "utf8"));
  expect(copy).toEqual(store.get(idOf(1)));
});

test("lists newest first, by scenario, by state, by page", () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  for (const n of [1, 2, 3]) store.create(anOutcome(idOf(n)));
  store.create(anOutcome(idOf(4, "other"), { scenario: "other" }));
  store.save(anOutcome(idOf(2), { state: "completed" }));
  const ids = (query = {}) => store.list(query).map((row) => row.session_id);
  expect(ids()).toEqual([idOf(4, "other"), idOf(3), idOf(2), idOf(1)]);
  expect(ids({ scenario: "sample" })).toEqual([idOf(3), idOf(2), idOf(1)]);
  expect(ids({ state: "completed" })).toEqual([idOf(2)]);
  expect(ids({ scenario: "sample", limit: 1, before: idOf(3) })).toEqual([idOf(2)]);
  expect(failureOf(() => ids({ before: idOf(99) })).code).toBe("unknown_session");
});

test("a session whose process is gone becomes interrupted at the next start, with its decisions", async () => {
  using directory = temporaryDirectory();
  const script = `
    import { systemClock, systemEntropy } from "${import.meta.dir}/../../src/clock.ts";
    import { sqliteStore } from "${import.meta.dir}/../../src/store/sqlite.ts";
    import { anOutcome, aTurn } from "${import.meta.dir}/../outcomes.ts";
    const store = sqliteStore(${JSON.stringify(directory.path)}, systemClock, systemEntropy);
    store.create(anOutcome("${idOf(1)}", { state: "running" }));
    store.append("${idOf(1)}", "left", aTurn(1));
    await store.committed();
    process.kill(process.pid, "SIGKILL");`;
  await Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "ignore", "inherit"] }).exited;
  using store = open(directory.path);
  const outcome = store.get(idOf(1));
  expect(outcome?.state).toBe("interrupted");
  expect(outcome?.failure?.code).toBe("interrupted");
  expect(outcome?.decisions["left"]).toEqual([aTurn(1)]);
  expect(outcome?.arms[0].turns).toBe(1);
  expect(outcome?.verdict).toBeNull();
});

test("a session of a process that lives is left alone by another that starts", async () => {
  using directory = temporaryDirectory();
  using first = open(directory.path);
  first.create(anOutcome(idOf(1), { state: "running" }));
  await first.committed();
  using second = open(directory.path);
  expect(second.get(idOf(1))?.state).toBe("running");
});

test("processes that start at the same moment on a new directory all find their place", async () => {
  const script = (path: string) => `
    import { systemClock, systemEntropy } from "${import.meta.dir}/../../src/clock.ts";
    import { sqliteStore } from "${import.meta.dir}/../../src/store/sqlite.ts";
    console.log("ready");
    for await (const moment of console) {
      while (Date.now() < Number(moment)) {}
      using store = sqliteStore(${JSON.stringify(path)}, systemClock, systemEntropy);
    }`;
  for (let round = 0; round < 4; round += 1) {
    using directory = temporaryDirectory();
    const started = Array.from({ length: 4 }, () =>
      Bun.spawn([process.execPath, "-e", script(join(directory.path, "state"))], { stdio: ["pipe", "pipe", "pipe"] }),
    );
    for (const { stdout } of started) await stdout.getReader().read();
    const moment = Date.now() + 20;
    for (const { stdin } of started) {
      stdin.write(`${moment}\n`);
      void stdin.end();
    }
    const ends = started.map(async ({ exited, stderr }) => ({
      status: await exited,
      stderr: await new Response(stderr).text(),
    }));
    for (const end of await Promise.all(ends)) expect(end).toEqual({ status: 0, stderr: "" });
  }
});

test("two stores on one directory never give one id twice", async () => {
  using directory = temporaryDirectory();
  using first = open(directory.path);
  using second = open(directory.path);
  expect(first.create(anOutcome(idOf(1)))).toBe(true);
  await first.committed();
  expect(second.create(anOutcome(idOf(1)))).toBe(false);
});

test("a missing, torn or edited copy is written again from the database", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  store.create(anOutcome(idOf(1)));
  store.save(anOutcome(idOf(1), { state: "completed" }));
  await store.durable();
  const path = join(directory.path, "sessions", `${idOf(1)}.json`);
  const whole = readFileSync(path, "utf8");
  for (const damage of [
    () => rmSync(path),
    () => writeFileSync(path, whole.slice(0, 40)),
    () => writeFileSync(path, "{}"),
  ]) {
    damage();
    store.get(idOf(1));
    expect(readFileSync(path, "utf8")).toBe(whole);
  }
});

test("a session that is damaged in the database is refused, and its copy is left as it is", async () => {
  using directory = temporaryDirectory();
  const copy = join(directory.path, "sessions", `${idOf(1)}.json`);
  {
    using store = open(directory.path);
    store.create(anOutcome(idOf(1)));
    store.append(idOf(1), "left", aTurn(1));
    store.save(anOutcome(idOf(1), { state: "completed" }));
    await store.durable();
  }
  const whole = readFileSync(copy, "utf8");
  {
    using database = new Database(join(directory.path, "sessions.db"));
    database.run("UPDATE decisions SET decision = '{'");
    database.run("UPDATE sessions SET copied = 0");
  }
  using store = open(directory.path);
  expect(failureOf(() => store.get(idOf(1)))).toMatchObject({ code: "storage_failed" });
  expect(readFileSync(copy, "utf8")).toBe(whole);
});

const flagsOf = (path: string) => {
  using database = new Database(join(path, "sessions.db"), { readonly: true });
  return database.query("SELECT state, copied FROM sessions").all();
};

const copyOf = (path: string, id: string): SessionOutcome =>
  JSON.parse(readFileSync(join(path, "sessions", `${id}.json`), "utf8"));

test("that copies are written is noted when there are many, and at the end", async () => {
  using directory = temporaryDirectory();
  {
    using store = open(directory.path);
    for (let n = 1; n <= 65; n += 1) {
      store.create(anOutcome(idOf(n)));
      store.save(anOutcome(idOf(n), { state: "completed" }));
    }
    await store.durable();
    expect(flagsOf(directory.path).filter((row) => (row as { copied: number }).copied === 1)).toHaveLength(64);
  }
  expect(new Set(flagsOf(directory.path).map((row) => (row as { copied: number }).copied))).toEqual(new Set([1]));
});

test("a copy that could not be written is written at the next start, though an older one was", async () => {
  using directory = temporaryDirectory();
  const copies = join(directory.path, "sessions");
  {
    using store = open(directory.path);
    store.create(anOutcome(idOf(1), { state: "running" }));
    store.save(anOutcome(idOf(1), { state: "failed" }));
    await store.durable();
    renameSync(copies, join(directory.path, "aside"));
    store.save(anOutcome(idOf(1), { state: "completed" }));
    await store.durable();
    renameSync(join(directory.path, "aside"), copies);
  }
  expect(flagsOf(directory.path)).toEqual([{ state: "completed", copied: 0 }]);
  expect(copyOf(directory.path, idOf(1)).state).toBe("failed");
  using _next = open(directory.path);
  expect(copyOf(directory.path, idOf(1)).state).toBe("completed");
});

test("a later verdict is in the copy, also when the program ended before it was written", async () => {
  using directory = temporaryDirectory();
  {
    using store = open(directory.path);
    store.create(anOutcome(idOf(1), { state: "running" }));
    store.save(anOutcome(idOf(1), { state: "completed" }));
    await store.durable();
    store.addVerdict(idOf(1), EXAMPLE_VERDICT);
    await store.durable();
    expect(copyOf(directory.path, idOf(1)).verdicts).toHaveLength(1);
    store.addVerdict(idOf(1), EXAMPLE_VERDICT);
    await store.committed();
  }
  {
    using _next = open(directory.path);
    expect(copyOf(directory.path, idOf(1)).verdicts).toHaveLength(2);
  }
  expect(flagsOf(directory.path)).toEqual([{ state: "completed", copied: 1 }]);
});

test("verdicts that come one upon another are all in the copy", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  store.create(anOutcome(idOf(1), { state: "running" }));
  store.save(anOutcome(idOf(1), { state: "completed" }));
  for (let n = 1; n <= 20; n += 1) {
    store.addVerdict(idOf(1), EXAMPLE_VERDICT);
    await store.committed();
  }
  await store.durable();
  expect(copyOf(directory.path, idOf(1)).verdicts).toHaveLength(20);
});

test("a session that has not ended has no copy", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  store.create(anOutcome(idOf(1), { state: "judging" }));
  store.addVerdict(idOf(1), EXAMPLE_VERDICT);
  await store.durable();
  expect(readdirSync(join(directory.path, "sessions"))).toEqual([]);
});

test("of the states that a new session has in one turn the last is stored, also when it has ended", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  store.create(anOutcome(idOf(1)));
  store.save(anOutcome(idOf(1), { state: "running" }));
  store.create(anOutcome(idOf(2)));
  store.save(anOutcome(idOf(2), { state: "running" }));
  store.save(anOutcome(idOf(2), { state: "completed" }));
  await store.durable();
  expect(flagsOf(directory.path)).toEqual([
    { state: "running", copied: 1 },
    { state: "completed", copied: 0 },
  ]);
  expect(store.list().map(({ state }) => state)).toEqual(["completed", "running"]);
});

test("a session whose row the database refuses is lost with its turn, and nobody else hears of it before", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  store.create(anOutcome(idOf(1)));
  await store.committed();
  {
    using database = new Database(join(directory.path, "sessions.db"));
    database.run(`CREATE TRIGGER refuse BEFORE INSERT ON sessions WHEN new.session_id = '${idOf(2)}'
      BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  }
  expect(store.create(anOutcome(idOf(2)))).toBe(true);
  const created = store.committed();
  store.save(anOutcome(idOf(1), { state: "completed" }));
  await expect(created).rejects.toMatchObject({ code: "storage_failed" });
  expect(store.get(idOf(2))).toBeUndefined();
  // Its end was lost with the turn: it is owed, and made good.
  expect(store.get(idOf(1))?.state).toBe("completed");
});

test("a session that ends in the turn of its creation is refused with it", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  {
    using database = new Database(join(directory.path, "sessions.db"));
    database.run("CREATE TRIGGER refuse BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'refused'); END");
  }
  store.create(anOutcome(idOf(1)));
  const created = store.committed();
  expect(failureOf(() => store.save(anOutcome(idOf(1), { state: "completed" }))).code).toBe("storage_failed");
  await expect(created).rejects.toMatchObject({ code: "storage_failed" });
  expect(store.list()).toEqual([]);
});

test("a row of an earlier version reads back, and its copy says nothing twice", async () => {
  using directory = temporaryDirectory();
  const ended = anOutcome(idOf(1), { state: "completed" });
  {
    using store = open(directory.path);
    store.create(ended);
    store.append(idOf(1), "left", aTurn(1));
    store.save(ended);
    await store.durable();
  }
  {
    using database = new Database(join(directory.path, "sessions.db"));
    const outcome = JSON.stringify({ ...ended, decisions: {}, verdicts: [] });
    database.query("UPDATE sessions SET copied = 0, outcome = $outcome").run({ $outcome: outcome });
  }
  using store = open(directory.path);
  const text = readFileSync(join(directory.path, "sessions", `${idOf(1)}.json`), "utf8");
  expect(text.match(/"(?:decisions|verdicts)":/g)).toHaveLength(2);
  expect(store.get(idOf(1))).toEqual({ ...ended, decisions: { left: [aTurn(1)], right: [] }, verdicts: [] });
});

testNeeding(MOUNTS)("a session that does not fit is lost with its turn, and its id is free again", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  using store = open(directory.path);
  expect(store.create(anOutcome(idOf(1), { version: "x".repeat(7_000_000) }))).toBe(true);
  store.append(idOf(1), "left", aTurn(1));
  await expect(store.committed()).rejects.toMatchObject({ code: "storage_full" });
  expect(store.get(idOf(1))).toBeUndefined();
  expect(store.create(anOutcome(idOf(1)))).toBe(true);
  await store.committed();
  expect(store.get(idOf(1))?.decisions).toEqual({ left: [], right: [] });
});

testNeeding(MOUNTS)("what is read is stored: neither an end nor its copy is taken back", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  using store = open(directory.path);
  for (const n of [1, 2]) store.create(anOutcome(idOf(n), { state: "running" }));
  await store.committed();
  store.save(anOutcome(idOf(1), { state: "completed" }));
  expect(store.get(idOf(1))?.state).toBe("completed");
  const huge = () => store.append(idOf(2), "left", { ...aTurn(1), summary: "x".repeat(7_000_000) });
  expect(failureOf(huge).code).toBe("storage_full");
  expect(store.get(idOf(1))?.state).toBe("completed");
  await store.durable();
  expect(copyOf(directory.path, idOf(1)).state).toBe("completed");
});

testNeeding(MOUNTS)("a rejudge whose verdict is lost is told so, also while an older end is owed", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  using store = open(directory.path);
  const services = testServices({}, { store });
  const { outcome } = await runOnce(services, await bundled("extract-rate-limit"));
  store.create(anOutcome(idOf(1), { state: "running" }));
  await store.committed();
  Bun.spawnSync(["dd", "if=/dev/zero", `of=${join(directory.path, "ballast")}`, "bs=4k"]);
  store.save(anOutcome(idOf(1), { state: "failed", version: "x".repeat(1_000_000) }));
  await expect(store.durable()).rejects.toMatchObject({ code: "storage_full" });
  const [arm_a, arm_b] = outcome.arms.map(({ arm_id }) => ({ session_id: outcome.session_id, arm_id }));
  if (!arm_a || !arm_b) throw new Error("two arms");
  const request = { arm_a, arm_b, judge_model: "builtin/evidence" };
  const answer = rejudge(services, request, new AbortController().signal);
  await expect(answer).rejects.toMatchObject({ code: "storage_full" });
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
    for (let n = 1; n < 20; n += 1) store.create(anOutcome(idOf(n), { state: "running" }));
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
  store.create(anOutcome(idOf(1)));
  const filling = async () => {
    for (let n = 2; ; n += 1) {
      store.create(anOutcome(idOf(n), { version: "x".repeat(100_000) }));
      await store.committed();
    }
  };
  await expect(filling()).rejects.toMatchObject({ code: "storage_full" });
  expect(store.get(idOf(1))?.session_id).toBe(idOf(1));
  expect(store.list().length).toBeGreaterThan(1);
});

testNeeding(MOUNTS)("writes that a full disk took back are told to all who made them in that turn", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  using store = open(directory.path);
  for (const n of [1, 2]) store.create(anOutcome(idOf(n), { state: "running" }));
  await store.committed();
  store.append(idOf(1), "left", aTurn(1));
  const told = [store.committed()];
  store.append(idOf(2), "left", { ...aTurn(1), summary: "x".repeat(4_000_000) });
  told.push(store.committed());
  const answers = await Promise.allSettled(told);
  const full = expect.objectContaining({ code: "storage_full" });
  expect(answers.map((answer) => answer.status === "rejected" && answer.reason)).toEqual([full, full]);
  expect(store.get(idOf(1))?.decisions["left"]).toEqual([]);
  store.append(idOf(1), "left", aTurn(1));
  await store.committed();
  expect(store.get(idOf(1))?.decisions["left"]).toEqual([aTurn(1)]);
});

testNeeding(MOUNTS)("a session that could be saved is not failed by what is written down about its copy", async () => {
  for (let pages = 0; pages < 12; pages += 1) {
    using directory = temporaryDirectory();
    using _disk = smallDisk(directory.path, "1m");
    using store = open(directory.path);
    store.create(anOutcome(idOf(1), { state: "running" }));
    await store.committed();
    const { bavail, bsize } = statfsSync(directory.path);
    writeFileSync(join(directory.path, "ballast"), new Uint8Array(Math.max(0, bavail - pages) * bsize));
    try {
      store.save(anOutcome(idOf(1), { state: "completed" }));
      await store.committed();
    } catch {
      continue;
    }
    await store.durable();
    expect(store.list().map(({ state }) => state)).toEqual(["completed"]);
  }
});

test("another process sees what was written in a turn all at once, when the turn is over", async () => {
  using directory = temporaryDirectory();
  using writer = open(directory.path);
  writer.create(anOutcome(idOf(1), { state: "running" }));
  await writer.committed();
  using reader = new Database(join(directory.path, "sessions.db"), { readonly: true });
  const rows = () => reader.query("SELECT seq FROM decisions").all().length;
  writer.append(idOf(1), "left", aTurn(1));
  writer.append(idOf(1), "right", aTurn(1));
  expect(rows()).toBe(0);
  await writer.committed();
  expect(rows()).toBe(2);
});

test("closing keeps what was written in the turn that has not ended", () => {
  using directory = temporaryDirectory();
  {
    using store = open(directory.path);
    store.create(anOutcome(idOf(1), { state: "running" }));
    store.append(idOf(1), "left", aTurn(1));
  }
  using store = open(directory.path);
  expect(store.get(idOf(1))?.decisions["left"]).toEqual([aTurn(1)]);
});

test("a store promises nothing of a disk that it can no longer ask", async () => {
  using directory = temporaryDirectory();
  const store = open(directory.path);
  await store.durable();
  store[Symbol.dispose]();
  await expect(store.durable()).rejects.toMatchObject({ code: "storage_failed" });
});

test("everyone who waits for the disk is answered, also those who come while it is busy", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  store.create(anOutcome(idOf(1)));
  const waiting = Array.from({ length: 20 }, async (_, n) => {
    store.append(idOf(1), "left", aTurn(n + 1));
    if (n % 2 === 1) await store.committed();
    await store.durable();
    return n;
  });
  expect(await Promise.all(waiting)).toHaveLength(20);
});

testNeeding(MOUNTS)("a disk too small for SQLite's own files is full, not broken", () => {
  for (const size of ["4k", "12k", "28k", "36k"]) {
    using directory = temporaryDirectory();
    using _disk = smallDisk(directory.path, size);
    expect(failureOf(() => open(directory.path)).code).toBe("storage_full");
  }
});

testNeeding(MOUNTS)("a session that ended while the disk was full is saved so as soon as there is space", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path);
  using store = open(directory.path);
  store.create(anOutcome(idOf(1), { state: "running" }));
  await store.committed();
  const ballast = join(directory.path, "ballast");
  Bun.spawnSync(["dd", "if=/dev/zero", `of=${ballast}`, "bs=4k"]);
  const ended = anOutcome(idOf(1), { state: "failed", version: "x".repeat(1_000_000) });
  store.save(ended);
  await expect(store.durable()).rejects.toMatchObject({ code: "storage_full" });
  rmSync(ballast);
  expect(store.list().map(({ state }) => state)).toEqual(["failed"]);
  await store.durable();
  expect(existsSync(join(directory.path, "sessions", `${idOf(1)}.json`))).toBe(true);
});

test("a session whose creation was lost leaves nothing, however it ends", async () => {
  using directory = temporaryDirectory();
  using store = open(directory.path);
  store.save(anOutcome(idOf(1), { state: "failed" }));
  await store.durable();
  expect(store.get(idOf(1))).toBeUndefined();
  expect(readdirSync(join(directory.path, "sessions"))).toEqual([]);
});

test("temporary files of dead processes are swept at the start, those of living ones stay", () => {
  using directory = temporaryDirectory();
  using living = open(directory.path);
  const owners = join(directory.path, ".owners");
  mkdirSync(owners, { recursive: true });
  writeFileSync(join(owners, "dead~session.json"), "half");
  using _second = open(directory.path);
  expect(existsSync(join(owners, "dead~session.json"))).toBe(false);
  expect(living.create(anOutcome(idOf(1)))).toBe(true);
  expect(readdirSync(owners).filter((name) => name.endsWith(".db"))).toHaveLength(2);
});

test("only the owner of the process can read the state, also in a directory that was there", () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "state");
  using _fresh = open(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  const shared = join(directory.path, "shared");
  mkdirSync(shared, { mode: 0o755 });
  using store = open(shared);
  store.create(anOutcome(idOf(1)));
  const modes = ["sessions.db", "sessions.db-wal"].map((name) => statSync(join(shared, name)).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600]);
});
