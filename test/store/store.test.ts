import { describe, expect, test } from "bun:test";
import type { DecisionEntry, RunEntry } from "../../src/domain/session-entry.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { readSession } from "../../src/store/read-session.ts";
import type { Run, SessionStore } from "../../src/store/store.ts";
import { anOutcome, aSelfTest, aTurn } from "../outcomes.ts";
import { begin, COMPLETED, createdEntry } from "../stored.ts";
import { STORES } from "./stores.ts";

const idOf = (n: number, scenario = "sample") => `session-${scenario}-20260102T0304${String(n).padStart(5, "0")}Z`;

const ID = idOf(1);
const AT = "2026-01-02T03:04:05.678Z";

const turn = (seq: number, arm_id = "left"): DecisionEntry => ({ type: "decision", arm_id, decision: aTurn(seq) });
const stage = (name: "running" | "judging"): RunEntry => ({ type: "stage", at: AT, stage: name });
const judged = { type: "judged", verdict: { ...EXAMPLES.verdict, kind: "rejudge" } } as const;

const entriesOf = async (store: SessionStore, session_id = ID) =>
  (await store.read(session_id)).map(({ entry }) => entry);

const refused = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ code }: { code: string }) => code,
  );

describe.each(STORES)("%s store", (name, open) => {
  test("a log reads back as it was written: every entry, in order, with its place and its attempt", async () => {
    await using opened = await open();
    const { store } = opened;
    const created = createdEntry(anOutcome(ID));
    const run = await begin(store, anOutcome(ID));
    expect(run).toEqual({ session_id: ID, attempt: 1 });
    await store.append(run, [stage("running"), turn(1)], "written");
    await store.append(run, [turn(2)], "durable");
    const entries = [created, stage("running"), turn(1), turn(2)];
    expect(await store.read(ID)).toEqual(entries.map((entry, index) => ({ n: index + 1, attempt: 1, entry })));
  });

  test("a self-test is read by its id, and the last one of a key by that", async () => {
    await using opened = await open();
    const { store } = opened;
    const [first, second, other] = ["1", "2", "3"].map((n) => aSelfTest({ self_test_id: `self-test-${n}` }));
    if (!first || !second || !other) throw new Error("three were made");
    await store.self_tests.keep("key", first);
    await store.self_tests.keep("key", second);
    await store.self_tests.keep("other key", other);
    expect(await store.self_tests.read("self-test-1")).toEqual(first);
    expect(await store.self_tests.latest("key")).toEqual(second);
    expect([await store.self_tests.read("self-test-4"), await store.self_tests.latest("no key")]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("the entries that end a session give it as it reads from then on, if the store has it at hand", async () => {
    await using opened = await open();
    const { store } = opened;
    const run = await begin(store, anOutcome(ID));
    expect(await store.append(run, [stage("running"), turn(1)], "written")).toBeUndefined();
    const ended = await store.append(run, [COMPLETED], "durable");
    const read = await readSession(store, ID);
    if (name !== "PostgreSQL") expect(ended).toBeDefined();
    if (ended) expect<unknown>(ended).toEqual(read);
  });

  test("a log is read on from any place", async () => {
    await using opened = await open();
    const { store } = opened;
    const run = await begin(store, anOutcome(ID));
    await store.append(run, [turn(1), turn(2)], "written");
    expect((await store.read(ID, 2)).map(({ n, entry }) => [n, entry])).toEqual([[3, turn(2)]]);
    expect(await store.read(ID, 3)).toEqual([]);
    expect(await store.read(idOf(9))).toEqual([]);
  });

  test("calls that nobody waits for are stored in their order", async () => {
    await using opened = await open();
    const { store } = opened;
    const run = await begin(store, anOutcome(ID));
    const seqs = Array.from({ length: 50 }, (_, n) => n + 1);
    await Promise.all(seqs.map((seq) => store.append(run, [turn(seq)], seq % 2 === 0 ? "written" : "durable")));
    expect((await entriesOf(store)).slice(1)).toEqual(seqs.map((seq) => turn(seq)));
  });

  test("what has been answered can be read, and what is read is never half of a call", async () => {
    await using opened = await open();
    const { store } = opened;
    const run = await begin(store, anOutcome(ID));
    const appended = store.append(run, [turn(1), turn(2), turn(3)], "written");
    expect([1, 4]).toContain((await store.read(ID)).length);
    await appended;
    expect(await store.read(ID)).toHaveLength(4);
  });

  test("an id is given once, also when many ask at the same moment", async () => {
    await using opened = await open();
    const { store } = opened;
    const asked = Array.from({ length: 8 }, (_, n) => store.create(createdEntry(anOutcome(ID, { version: `${n}` }))));
    const runs = await Promise.all(asked);
    expect(runs.filter((run) => run !== undefined)).toHaveLength(1);
    expect(await store.read(ID)).toHaveLength(1);
    expect((await readSession(store, ID))?.version).toBe(`${runs.findIndex((run) => run !== undefined)}`);
  });

  test("of all that come with one key the first begins something, and holds the key for a day", async () => {
    await using opened = await open();
    const { store } = opened;
    const AT = "2026-01-02T03:04:05.678Z";
    const keyAt = (at: string) => ({ key: "k", request: "r", at });
    const ids = Array.from({ length: 8 }, (_, n) => ID.replace("sample", `sample${n}`));
    const begun = await Promise.all(ids.map((id) => store.create(createdEntry(anOutcome(id)), keyAt(AT))));
    const [first, ...others] = begun.flatMap((run) => run?.session_id ?? []);
    expect(others).toEqual([]);
    expect(await store.request_keys.read(keyAt(AT))).toEqual({ request: "r", id: first ?? "" });
    expect(await store.list()).toHaveLength(1);
    expect(await store.request_keys.hold(keyAt("2026-01-03T03:04:05.677Z"), "later")).toBe(false);
    const after = keyAt("2026-01-03T03:04:05.678Z");
    expect(await store.request_keys.read(after)).toBeUndefined();
    expect(await store.create(createdEntry(anOutcome(first ?? "")), after)).toBeUndefined();
    // Its id was taken: the key is free as before.
    expect(await store.request_keys.hold(after, "later")).toBe(true);
    await store.request_keys.drop(after);
    expect(await store.request_keys.read(after)).toBeUndefined();
    expect(await store.create(createdEntry(anOutcome(ID)), after)).toBeDefined();
  });

  test("an entry that cannot be stored takes its whole call with it, and no other", async () => {
    await using opened = await open();
    const { store } = opened;
    const run = await begin(store, anOutcome(ID));
    const broken = {
      type: "decision",
      get arm_id(): string {
        throw new Error("cannot be read");
      },
      decision: aTurn(2),
    } as const;
    const before = store.append(run, [turn(1)], "written");
    await expect(store.append(run, [turn(2), broken], "written")).rejects.toThrow();
    await before;
    await store.append(run, [turn(2)], "written");
    expect((await entriesOf(store)).slice(1)).toEqual([turn(1), turn(2)]);
  });

  test("a run that was taken over writes nothing any more, and the one that took over does", async () => {
    await using opened = await open();
    const { store } = opened;
    const first = await begin(store, anOutcome(ID));
    await store.append(first, [stage("running"), turn(1)], "written");
    const second = await store.takeOver(ID, AT);
    if (second === undefined) throw new Error("it had not ended");
    expect(second).toEqual({ session_id: ID, attempt: 2 });
    expect(await refused(store.append(first, [turn(2)], "written"))).toBe("interrupted");
    expect(await refused(store.append(first, [COMPLETED], "durable"))).toBe("interrupted");
    await store.append(second, [turn(1, "right")], "written");
    expect((await store.read(ID)).slice(3).map(({ attempt, entry }) => [attempt, entry])).toEqual([
      [2, { type: "attempt_started", at: AT }],
      [2, turn(1, "right")],
    ]);
    await store.add([ID], judged);
    expect((await store.read(ID)).at(-1)).toEqual({ n: 6, attempt: 2, entry: judged });
    // It begins again from the start.
    expect(await readSession(store, ID)).toMatchObject({ state: "queued", decisions: { left: [], right: [aTurn(1)] } });
  });

  test("a session that has ended or is unknown cannot be taken over, and takes nothing more from its run", async () => {
    await using opened = await open();
    const { store } = opened;
    const run = await begin(store, anOutcome(ID));
    await store.append(run, [COMPLETED], "durable");
    expect(await store.takeOver(ID, AT)).toBeUndefined();
    expect(await store.takeOver(idOf(2), AT)).toBeUndefined();
    expect(await refused(store.append(run, [turn(1)], "written"))).toBe("interrupted");
    expect(await store.read(ID)).toHaveLength(2);
    expect(await store.read(idOf(2))).toEqual([]);
    const whole = await begin(store, anOutcome(idOf(3), { state: "completed" }));
    expect(await store.takeOver(idOf(3), AT)).toBeUndefined();
    expect(await refused(store.append(whole, [turn(1)], "written"))).toBe("interrupted");
  });

  test("what others add goes to every session that there is, whether it runs or has ended", async () => {
    await using opened = await open();
    const { store } = opened;
    await begin(store, anOutcome(ID));
    await store.append(await begin(store, anOutcome(idOf(2))), [COMPLETED], "durable");
    await store.add([ID, idOf(2), idOf(3)], judged);
    expect(await entriesOf(store)).toEqual([createdEntry(anOutcome(ID)), judged]);
    expect((await entriesOf(store, idOf(2))).at(-1)).toEqual(judged);
    expect(await store.read(idOf(3))).toEqual([]);
  });

  test("a verdict that cannot be stored is stored with no session", async () => {
    await using opened = await open();
    const { store } = opened;
    for (const n of [1, 2]) await begin(store, anOutcome(idOf(n)));
    const breaking = {
      type: "judged",
      get verdict(): Verdict {
        throw new Error("cannot be read");
      },
    } as const;
    await expect(store.add([idOf(1), idOf(2)], breaking)).rejects.toThrow();
    expect(await store.read(idOf(1))).toHaveLength(1);
    expect(await store.read(idOf(2))).toHaveLength(1);
  });

  test("who watches is woken when there is something to read, until it leaves", async () => {
    await using opened = await open();
    const { store } = opened;
    const run = await begin(store, anOutcome(ID));
    const other = await begin(store, anOutcome(idOf(2)));
    const lengths: Promise<number>[] = [];
    const leave = store.watch(ID, () => lengths.push(store.read(ID).then((entries) => entries.length)));
    await store.append(run, [turn(1)], "written");
    expect(await Promise.all(lengths)).toEqual([2]);
    await store.append(other, [turn(1)], "written");
    await store.add([ID], judged);
    expect(await Promise.all(lengths)).toEqual([2, 3]);
    await store.takeOver(ID, AT);
    expect(await Promise.all(lengths)).toEqual([2, 3, 4]);
    leave();
    await store.add([ID], judged);
    expect(lengths).toHaveLength(3);
  });

  test("sessions are listed newest first, by scenario, by state, by page, as they are now", async () => {
    await using opened = await open();
    const { store } = opened;
    const runs = [];
    for (const n of [1, 2, 3]) runs.push(await begin(store, anOutcome(idOf(n))));
    await begin(store, anOutcome(idOf(4, "other"), { scenario: "other" }));
    const [first, second] = runs;
    if (!first || !second) throw new Error("three were begun");
    await store.append(first, [stage("running")], "written");
    await store.append(first, [{ type: "arm_ended", arm_id: "left", summary: { status: "finished" } }], "written");
    await store.append(
      second,
      [{ type: "judged", verdict: { ...EXAMPLES.verdict, kind: "run" } }, COMPLETED],
      "durable",
    );
    const ids = async (query = {}) => (await store.list(query)).map((row) => row.session_id);
    expect(await ids()).toEqual([idOf(4, "other"), idOf(3), idOf(2), idOf(1)]);
    expect(await ids({ scenario: "sample" })).toEqual([idOf(3), idOf(2), idOf(1)]);
    expect(await ids({ state: "completed" })).toEqual([idOf(2)]);
    expect(await ids({ state: "running" })).toEqual([idOf(1)]);
    expect(await ids({ scenario: "sample", limit: 1, before: idOf(3) })).toEqual([idOf(2)]);
    expect(await refused(ids({ before: idOf(99) }))).toBe("unknown_session");
    const [row] = await store.list({ state: "completed" });
    expect(row).toMatchObject({ winner: EXAMPLES.verdict.winner, outcome: EXAMPLES.verdict.outcome });
    expect(row?.finished_at).toBe(COMPLETED.type === "ended" ? COMPLETED.at : "");
  });

  test("a list shows at once how an arm ended, also when that is found later", async () => {
    await using opened = await open();
    const { store } = opened;
    const run = await begin(store, anOutcome(ID));
    const statuses = async () => (await store.list())[0]?.arms.map(({ status }) => status);
    await store.append(run, [stage("running")], "written");
    await store.append(run, [{ type: "arm_ended", arm_id: "left", summary: { status: "finished" } }], "written");
    await store.append(run, [{ type: "examined", arm_id: "right", summary: { violations: [] } }], "written");
    expect(await statuses()).toEqual(["finished", "running"]);
    await store.append(run, [{ type: "examined", arm_id: "left", summary: { status: "disqualified" } }], "written");
    expect(await statuses()).toEqual(["disqualified", "running"]);
  });

  test("what a caller does to what it gave or was given changes nothing in the store", async () => {
    await using opened = await open();
    const { store } = opened;
    const given = anOutcome(ID);
    await begin(store, given);
    given.arms[0].title = "changed";
    const [read] = await store.read(ID);
    if (read?.entry.type === "created") read.entry.session.arms[0].title = "changed";
    expect((await readSession(store, ID))?.arms[0].title).toBe("Arm left");
  });

  test("the money of a day is what was spent in it and what is set aside, and never more than its limit", async () => {
    await using opened = await open();
    const { ledger } = opened.store;
    expect(await ledger.reserve({ id: "one", day: "2026-01-02", usd: 6 }, 10)).toBeUndefined();
    expect(await ledger.reserve({ id: "two", day: "2026-01-02", usd: 5 }, 10)).toEqual({ spent: 0, reserved: 6 });
    await ledger.settle({ id: "one", day: "2026-01-02", usd: 1.5 });
    expect(await ledger.reserve({ id: "three", day: "2026-01-02", usd: 8.5 }, 10)).toBeUndefined();
    expect(await ledger.on("2026-01-02")).toEqual({ spent: 1.5, reserved: 8.5 });
    // What still runs may be paid for tomorrow; what was spent today is over then.
    expect(await ledger.on("2026-01-03")).toEqual({ spent: 0, reserved: 8.5 });
    await ledger.settle({ id: "three", day: "2026-01-03", usd: 2 });
    expect(await ledger.on("2026-01-02")).toEqual({ spent: 1.5, reserved: 0 });
    expect(await ledger.on("2026-01-03")).toEqual({ spent: 2, reserved: 0 });
  });

  test("money that was never set aside counts when it is spent", async () => {
    await using opened = await open();
    const { ledger } = opened.store;
    await ledger.settle({ id: "one", day: "2026-01-02", usd: 3 });
    expect(await ledger.reserve({ id: "two", day: "2026-01-02", usd: 8 }, 10)).toEqual({ spent: 3, reserved: 0 });
  });

  test("two who ask for the last of the money at the same moment do not both get it", async () => {
    await using opened = await open();
    const { ledger } = opened.store;
    const asked = ["one", "two"].map((id) => ledger.reserve({ id, day: "2026-01-02", usd: 6 }, 10));
    expect((await Promise.all(asked)).filter((taken) => taken === undefined)).toHaveLength(1);
  });
});

test("the memory store forgets the session that ended first, and none that runs", async () => {
  using store = memoryStore(2);
  const runs = [];
  for (const n of [1, 2, 3, 4]) runs.push(await begin(store, anOutcome(idOf(n))));
  const ids = async () => (await store.list()).map(({ session_id }) => session_id);
  const [first, second, third] = runs as [Run, Run, Run];
  for (const run of [second, third]) await store.append(run, [COMPLETED], "durable");
  expect(await ids()).toEqual([4, 3, 2, 1].map((n) => idOf(n)));
  // The oldest of all has just ended: somebody wants to read it.
  await store.append(first, [COMPLETED], "durable");
  expect(await ids()).toEqual([4, 3, 1].map((n) => idOf(n)));
  await begin(store, anOutcome(idOf(5)));
  expect(await ids()).toEqual([5, 4, 3, 1].map((n) => idOf(n)));
});
