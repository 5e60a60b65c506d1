import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { scenarioDigest } from "../../src/comparison/scenario/digest.ts";
import { rejudge } from "../../src/comparison/session/rejudge.ts";
import { SessionOutcome } from "../../src/domain/session.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { readSession } from "../../src/store/read-session.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { abeval } from "../abeval.ts";
import { testServices } from "../harness.ts";
import { stateOf } from "./state-archive.ts";

/**
 * A state directory as the released 0.1.6 left it: a run decided by checks, one by a model judge with a rejudge and a
 * cross-session verdict, one without a model, one that its provider refused, and one killed while it was judged.
 */
const stateOf016 = () => stateOf("state-0.1.6.tar.gz");

const JUDGED = "session-extract-rate-limit-20261122T092627081Z";

test("a state directory of 0.1.6 lists and reads whole", async () => {
  using state = stateOf016();
  using store = sqliteStore(state.path, systemClock, systemEntropy);
  const listed = await store.list();
  expect(listed.map(({ session_id, state, outcome }) => [session_id, state, outcome])).toEqual([
    ["session-pager-last-page-20261122T092636273Z", "interrupted", null],
    ["session-log-triage-20261122T092636169Z", "failed", null],
    ["session-extract-rate-limit-20261122T092631632Z", "completed", "winner"],
    [JUDGED, "completed", "winner"],
    ["session-pager-last-page-20261122T092622720Z", "completed", "winner"],
  ]);
  for (const { session_id } of listed) {
    const session = await readSession(store, session_id);
    expect([...Value.Errors(SessionOutcome, session)]).toEqual([]);
    if (session) expect(scenarioDigest(session.definition)).toBe(session.scenario_digest);
  }
  expect((await readSession(store, JUDGED))?.verdicts.map(({ kind }) => kind)).toEqual(["cross_session"]);
});

test("sessions of 0.1.6 are found and put in order like new ones", async () => {
  using state = stateOf016();
  using store = sqliteStore(state.path, systemClock, systemEntropy);
  expect((await store.list({ text: "JUDGE extract", sort: "duration" })).length).toBeGreaterThan(0);
  const [first] = await store.list({ sort: "gap", limit: 1 });
  const { verdict, definition, totals } = (await readSession(store, first?.session_id ?? "")) ?? {};
  expect(first).toMatchObject({
    title: definition?.title,
    wall_ms: totals?.wall_ms,
    arms: [{ score: verdict?.score_a }, { score: verdict?.score_b }],
  });
  expect(await store.summarize({ names: "all" })).toMatchObject({
    sessions: 5,
    results: [
      { name: "winner", sessions: 3 },
      { name: "failed", sessions: 1 },
      { name: "interrupted", sessions: 1 },
    ],
  });
});

test("two arms that 0.1.6 stored are judged again", async () => {
  using state = stateOf016();
  using store = sqliteStore(state.path, systemClock, systemEntropy);
  const [arm_a, arm_b] = ((await readSession(store, JUDGED))?.arms ?? []).map(({ arm_id }) => ({
    session_id: JUDGED,
    arm_id,
  }));
  if (!arm_a || !arm_b) throw new Error("the archive has lost a session");
  const request = { arm_a, arm_b, judge_model: "builtin/evidence" };
  const verdict = await rejudge(testServices({}, { store }), request, new AbortController().signal);
  expect([verdict.kind, verdict.arm_a, verdict.arm_b]).toEqual(["rejudge", arm_a, arm_b]);
  expect((await readSession(store, JUDGED))?.verdicts).toHaveLength(2);
});

test("a run goes into a state directory of 0.1.6", async () => {
  using state = stateOf016();
  const { status, stderr } = await abeval([
    "run",
    "scenarios/pager-last-page.yaml",
    "--quiet",
    "--state-dir",
    state.path,
  ]);
  expect([status, stderr]).toEqual([0, ""]);
  using store = sqliteStore(state.path, systemClock, systemEntropy);
  expect(await store.list()).toHaveLength(6);
});

test("a state directory that a running 0.1.6 uses is left as it is", async () => {
  using state = stateOf016();
  const path = join(state.path, "sessions.db");
  const versionOf = () => {
    using database = new Database(path, { readonly: true });
    return database.query("PRAGMA user_version").get();
  };
  mkdirSync(join(state.path, ".owners"), { recursive: true });
  const before = versionOf();
  {
    // As each process holds it while it lives.
    using lock = new Database(join(state.path, ".owners", "0123456789abcdef.db"), { create: true });
    lock.run("BEGIN EXCLUSIVE");
    expect(() => sqliteStore(state.path, systemClock, systemEntropy)).toThrow("an older abeval uses it; stop that one");
    expect(versionOf()).toEqual(before);
  }
  using store = sqliteStore(state.path, systemClock, systemEntropy);
  expect(await store.list()).toHaveLength(5);
  expect(versionOf()).not.toEqual(before);
});

test("verdicts that 0.1.6 stored keep their order, each with a place of its own", async () => {
  using state = stateOf016();
  {
    using database = new Database(join(state.path, "sessions.db"));
    database.run(`INSERT INTO verdicts (session_id, verdict)
      SELECT session_id, json_set(verdict, '$.verdict_id', 'later-' || n) FROM verdicts, (SELECT 1 AS n UNION SELECT 2)
      WHERE session_id = '${JUDGED}' ORDER BY n`);
    database.run(`INSERT INTO verdicts (session_id, verdict) VALUES ('${JUDGED}', '{')`);
  }
  using store = sqliteStore(state.path, systemClock, systemEntropy);
  await expect(store.read(JUDGED)).rejects.toMatchObject({ code: "storage_failed" });
  {
    using database = new Database(join(state.path, "sessions.db"));
    database.run("DELETE FROM entries WHERE entry = '{'");
  }
  const log = await store.read(JUDGED);
  expect(log.map(({ n }) => n)).toEqual(log.map((_, index) => index + 1));
  expect(log.slice(-2).map(({ entry }) => entry.type === "judged" && entry.verdict.verdict_id)).toEqual([
    "later-1",
    "later-2",
  ]);
});
