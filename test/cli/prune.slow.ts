import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { readSession } from "../../src/store/read-session.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { abeval } from "../abeval.ts";
import { anOutcome } from "../outcomes.ts";
import { aSeries, aTrial } from "../series-record.ts";
import { keep } from "../stored.ts";
import { temporaryDirectory } from "../temporary.ts";

const ROOT = join(import.meta.dir, "../..");
const SERIES = "series-20260103T000000000Z-01234567";
const idOf = (day: number, n = 0) => `session-sample-2026010${day}T00000000${n}Z`;

/** Two sessions, and a series of three trials. */
async function fill(state_dir: string): Promise<void> {
  using store = sqliteStore(state_dir, systemClock, systemEntropy);
  await keep(store, anOutcome(idOf(1), { state: "completed" }));
  await keep(store, anOutcome(idOf(2), { state: "completed" }));
  await store.series.create(aSeries(SERIES));
  for (const n of [1, 2, 3]) await keep(store, aTrial(idOf(3, n), SERIES, n, { state: "completed" }));
  await store.series.update(aSeries(SERIES, { state: "completed", stop: "exhausted" }));
}

async function held(state_dir: string) {
  using store = sqliteStore(state_dir, systemClock, systemEntropy);
  const ids = (await store.list()).map(({ session_id }) => session_id);
  return { ids: ids.toSorted(), store: await Promise.all(ids.map((id) => readSession(store, id))) };
}

const copies = (state_dir: string) =>
  readdirSync(join(state_dir, "sessions"))
    .map((name) => name.replace(".json", ""))
    .toSorted();

test("abeval prune says what would go, and does it with --yes: rows, logs and copies", async () => {
  using directory = temporaryDirectory();
  const state_dir = join(directory.path, "state");
  await fill(state_dir);
  const prune = (...flags: string[]) => abeval(["prune", "--state-dir", state_dir, ...flags]);
  // The newest is so old whenever this runs, and stays for its size.
  const dry = await prune("--older-than", "1h", "--keep-size", "25kB", "--dry-run");
  expect(dry.status).toBe(0);
  expect(dry.stdout).toMatch(/^delete: 2 sessions, \d+\.\d kB, from 2026-01-01 to 2026-01-02\n/);
  expect(dry.stdout).toMatch(
    /\nkeep: {3}3 sessions, 3 of them in 1 series, \d+\.\d kB, from 2026-01-03 to 2026-01-03\n/,
  );
  expect(dry.stdout).toEndWith("\nnothing was deleted; to delete these, add --yes\n");
  expect(copies(state_dir)).toHaveLength(5);
  const done = await prune("--older-than", "1h", "--keep-size", "25kB", "--yes");
  expect(done.stdout).toMatch(/\ndeleted: 2 sessions; [\d.]+ (kB|bytes) returned to the disk\n$/);
  expect(copies(state_dir)).toEqual([1, 2, 3].map((n) => idOf(3, n)));
  expect((await held(state_dir)).ids).toEqual(copies(state_dir));
});

test("a prune of everything needs to be told so", async () => {
  using directory = temporaryDirectory();
  const state_dir = join(directory.path, "state");
  await fill(state_dir);
  const prune = (...flags: string[]) => abeval(["prune", "--state-dir", state_dir, ...flags]);
  const refused = await prune("--older-than", "1h", "--yes");
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain(
    "this would delete everything that has ended, so nothing was deleted; to delete it, add --all",
  );
  expect(copies(state_dir)).toHaveLength(5);
  expect((await prune("--older-than", "1h", "--all", "--yes")).stdout).toContain("\ndeleted: 5 sessions; ");
  expect(await held(state_dir)).toEqual({ ids: [], store: [] });
  expect(copies(state_dir)).toEqual([]);
});

test("what cannot be meant is refused with a word on what would be right", async () => {
  using directory = temporaryDirectory();
  const state_dir = join(directory.path, "state");
  await fill(state_dir);
  const refused = async (...flags: string[]) => {
    const { status, stderr } = await abeval(["prune", ...flags]);
    expect(status).toBe(2);
    return stderr;
  };
  const here = ["--state-dir", state_dir];
  expect(await refused(...here)).toContain("say what to delete: --older-than, --keep-size, --scenario or --all");
  expect(await refused("--all")).toContain("where are the sessions? Name --state-dir <path>, or --database-url <url>");
  for (const age of ["30", "-1d", "d", "1e9d", "30days"])
    expect(await refused(...here, `--older-than=${age}`)).toContain(
      "expected a number with one of h, d, w, such as 30d",
    );
  expect(await refused(...here, "--keep-size", "2gb")).toContain("one of kB, MB, GB, TB, such as 30MB");
  expect(await refused(...here, "--all", "--yes", "--dry-run")).toContain("exclude each other");
  expect(await refused("--state-dir", join(directory.path, "none"), "--all")).toContain("no sessions are kept there");
  expect(readdirSync(directory.path)).toEqual(["state"]);
  {
    using _used = sqliteStore(state_dir, systemClock, systemEntropy);
    expect(await refused(...here, "--all", "--yes")).toContain("another abeval uses it; stop that one first");
  }
  using database = new Database(join(state_dir, "sessions.db"));
  database.run("PRAGMA user_version = 99");
  expect(await refused(...here, "--all", "--yes")).toContain("made by a newer abeval (schema 99); use that version");
  expect(copies(state_dir)).toHaveLength(5);
});

/** `<state> <statement>`: a prune of everything whose process kills itself before the statement of that number. */
const PROGRAM = `
  import { Database } from "bun:sqlite";
  import { systemClock, systemEntropy } from ${JSON.stringify(join(ROOT, "src/runtime/clock.ts"))};
  import { planPrune, prune } from ${JSON.stringify(join(ROOT, "src/store/pruning.ts"))};
  import { sqliteStore } from ${JSON.stringify(join(ROOT, "src/store/sqlite/sqlite-store.ts"))};
  const [state, lethal] = process.argv.slice(2);
  const { pruning } = sqliteStore(state, systemClock, systemEntropy);
  const { goes } = await planPrune(pruning, { scenarios: [] });
  let statements = 0;
  for (const method of ["query", "run"]) {
    const real = Database.prototype[method];
    Database.prototype[method] = function (...call) {
      if (++statements === Number(lethal)) process.kill(process.pid, "SIGKILL");
      return real.apply(this, call);
    };
  }
  await prune(pruning, goes);
  await pruning.compact();
  process.exit(0);`;

test("a kill before any of its statements leaves a whole store: each session with its copy, a series with all its trials", async () => {
  using directory = temporaryDirectory();
  const program = join(directory.path, "program.ts");
  writeFileSync(program, PROGRAM);
  const counts: number[] = [];
  for (let statement = 1; ; statement += 1) {
    const state_dir = join(directory.path, `state-${statement}`);
    await fill(state_dir);
    const child = Bun.spawn([process.execPath, program, state_dir, String(statement)], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const status = await child.exited;
    const { ids, store } = await held(state_dir);
    expect(store.map((outcome) => outcome?.state)).toEqual(ids.map(() => "completed"));
    expect(copies(state_dir)).toEqual(ids);
    counts.push(ids.length);
    if (child.signalCode !== "SIGKILL") {
      expect(status).toBe(0);
      break;
    }
  }
  expect(counts[0]).toBe(5);
  expect(counts.at(-1)).toBe(0);
  expect(counts.filter((count) => count !== 5 && count !== 0)).toEqual([]);
  expect(counts.length).toBeGreaterThan(8);
});
