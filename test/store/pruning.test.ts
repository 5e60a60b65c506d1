import { describe, expect, test } from "bun:test";
import { type Pruning, planPrune, prune } from "../../src/store/pruning.ts";
import { readSession } from "../../src/store/read-session.ts";
import type { SessionStore } from "../../src/store/store.ts";
import { anOutcome } from "../outcomes.ts";
import { aSeries, aTrial, someResults } from "../series-record.ts";
import { begin, COMPLETED } from "../stored.ts";
import { STORES } from "./stores.ts";

/** Of a session that was accepted on a day of 2026. */
const idOn = (month: number, n: number, scenario = "sample") =>
  `session-${scenario}-2026${String(month).padStart(2, "0")}01T0000000${String(n).padStart(2, "0")}Z`;
const seriesOn = (month: number) => `series-2026${String(month).padStart(2, "0")}01T000000000Z-01234567`;

const FIRST_OF = (month: number) => Date.UTC(2026, month - 1, 1);

async function ended(store: SessionStore, id: string, scenario = "sample") {
  await store.append(await begin(store, anOutcome(id, { scenario, state: "judging" })), [COMPLETED], "durable");
}

interface Trials {
  readonly month: number;
  readonly trials?: number;
  readonly scenarios?: readonly string[];
  readonly baseline?: string;
  readonly state?: "completed" | "running";
}

/** A series whose trials have all ended. */
async function series(store: SessionStore, { month, trials = 2, scenarios = ["sample"], baseline, state }: Trials) {
  const id = seriesOn(month);
  const record = aSeries(id, { scenarios });
  const digest = "0".repeat(64);
  const named = baseline && { baseline: { digest, series_id: baseline, at: record.created_at, side: "b", runs: 1 } };
  await store.series.create({ ...record, plan: { ...record.plan, ...(named as object) } });
  for (let trial = 1; trial <= trials; trial += 1) {
    const scenario = scenarios[trial % scenarios.length] ?? "sample";
    const outcome = aTrial(idOn(month, trial, scenario), id, trial, { scenario, state: "judging" });
    await store.append(await begin(store, outcome), [COMPLETED], "durable");
  }
  const plan = (await store.series.read(id))?.plan ?? record.plan;
  if (state !== "running") await store.series.update({ ...record, plan, state: "completed", stop: "exhausted" });
  return id;
}

const idsOf = (units: readonly { readonly id: string }[]) => units.map(({ id }) => id);

const left = async (store: SessionStore) => (await store.list()).map(({ session_id }) => session_id).toReversed();

describe.each(STORES.filter(([name]) => name !== "memory"))("pruning: %s store", (_name, open) => {
  const opened = async () => {
    const { store, ...rest } = await open();
    return { store, pruning: store.pruning as Pruning, ...rest };
  };

  test("what is old goes, as a whole and with its log; a series is as old as its newest trial", async () => {
    await using house = await opened();
    const { store, pruning } = house;
    await ended(store, idOn(1, 1));
    const old = await series(store, { month: 2 });
    await ended(store, idOn(3, 1));
    const plan = await planPrune(pruning, { before: FIRST_OF(3), scenarios: [] });
    expect(idsOf(plan.goes)).toEqual([idOn(1, 1), old]);
    expect(plan.goes.map(({ sessions }) => sessions)).toEqual([1, 2]);
    expect(plan.goes[1]).toMatchObject({ first: FIRST_OF(2), last: FIRST_OF(2) + 2 });
    expect(plan.goes.every(({ bytes }) => bytes > 1_000)).toBe(true);
    expect(await left(store)).toHaveLength(4);
    expect(await prune(pruning, plan.goes)).toBe(3);
    expect(await left(store)).toEqual([idOn(3, 1)]);
    expect(await store.series.read(old)).toBeUndefined();
    expect(await readSession(store, idOn(1, 1))).toBeUndefined();
    expect(await store.read(idOn(2, 1))).toEqual([]);
    expect(await readSession(store, idOn(3, 1))).toMatchObject({ state: "completed" });
    await pruning.compact();
    expect(await left(store)).toEqual([idOn(3, 1)]);
  });

  test("by size the oldest go until no more is left than was asked for", async () => {
    await using house = await opened();
    const { store, pruning } = house;
    for (const month of [1, 2, 3, 4]) await ended(store, idOn(month, 1));
    const all = await planPrune(pruning, { scenarios: [] });
    const [one] = all.goes.map(({ bytes }) => bytes);
    const half = await planPrune(pruning, { keep_bytes: 2 * (one ?? 0), scenarios: [] });
    expect(idsOf(half.goes)).toEqual([idOn(1, 1), idOn(2, 1)]);
    expect(idsOf((await planPrune(pruning, { keep_bytes: 5 * (one ?? 0), scenarios: [] })).goes)).toEqual([]);
    expect(idsOf(all.goes)).toEqual([1, 2, 3, 4].map((month) => idOn(month, 1)));
  });

  test("a table of results is as old as it is stored, and takes its bytes", async () => {
    await using house = await opened();
    const { store, pruning } = house;
    await ended(store, idOn(3, 1));
    const old = await store.series.keep(someResults("a", new Date(FIRST_OF(1)).toISOString()));
    const young = await store.series.keep(someResults("b", new Date(FIRST_OF(5)).toISOString()));
    const all = await planPrune(pruning, { scenarios: [] });
    expect(idsOf(all.goes)).toEqual([old.series_id, idOn(3, 1), young.series_id]);
    expect(all.goes[0]).toMatchObject({ first: FIRST_OF(1), last: FIRST_OF(1), sessions: 0 });
    const bytes = all.goes.map((unit) => unit.bytes);
    expect(Math.min(...bytes)).toBeGreaterThan(200);
    const keep_bytes = bytes.reduce((sum, size) => sum + size, 0) - 1;
    expect(idsOf((await planPrune(pruning, { keep_bytes, scenarios: [] })).goes)).toEqual([old.series_id]);
    const plan = await planPrune(pruning, { before: FIRST_OF(2), scenarios: [] });
    expect(idsOf(plan.goes)).toEqual([old.series_id]);
    expect(await prune(pruning, plan.goes)).toBe(0);
    expect(await store.series.results(old.series_id)).toBeUndefined();
    expect(await store.series.results(young.series_id)).toEqual(young);
  });

  test("by scenario, a series that runs another one too stays, and is named", async () => {
    await using house = await opened();
    const { store, pruning } = house;
    await ended(store, idOn(1, 1, "other"), "other");
    await ended(store, idOn(1, 2));
    const both = await series(store, { month: 2, scenarios: ["sample", "other"] });
    const own = await series(store, { month: 3, scenarios: ["other"] });
    const plan = await planPrune(pruning, { scenarios: ["other"] });
    expect(idsOf(plan.goes)).toEqual([idOn(1, 1, "other"), own]);
    expect(plan.partly).toEqual([both]);
    // A table of results has no sessions, and so no scenario that could be named.
    const table = seriesOn(4);
    await store.series.create(
      aSeries(table, { state: "completed", stop: "exhausted", finished_at: "2026-04-01T00:00:00.000Z" }),
    );
    expect(idsOf((await planPrune(pruning, { scenarios: ["other"] })).goes)).toEqual(idsOf(plan.goes));
    expect(idsOf((await planPrune(pruning, { scenarios: [] })).goes)).toContain(table);
    await prune(pruning, [{ kind: "series", id: table, sessions: 0, bytes: 0, first: null, last: null }]);
    expect(idsOf((await planPrune(pruning, { scenarios: ["other", "sample"] })).goes)).toHaveLength(4);
  });

  test("what goes on stays, also what began after it was chosen", async () => {
    await using house = await opened();
    const { store, pruning } = house;
    await begin(store, anOutcome(idOn(1, 1), { state: "running" }));
    const running = await series(store, { month: 2, state: "running" });
    await ended(store, idOn(3, 1));
    const plan = await planPrune(pruning, { scenarios: [] });
    expect(idsOf(plan.goes)).toEqual([idOn(3, 1)]);
    expect(plan.open).toBe(2);
    const chosen = [
      { kind: "session", id: idOn(1, 1) },
      { kind: "series", id: running },
    ] as const;
    expect(await pruning.forget(chosen)).toBe(0);
    expect(await left(store)).toHaveLength(4);
    expect(await store.series.read(running)).toMatchObject({ state: "running" });
  });

  test("a series that another takes as its baseline stays as long as that one", async () => {
    await using house = await opened();
    const { store, pruning } = house;
    const base = await series(store, { month: 1 });
    const later = await series(store, { month: 4, baseline: base });
    const plan = await planPrune(pruning, { before: FIRST_OF(3), scenarios: [] });
    expect(plan.goes).toEqual([]);
    expect(plan.baselines).toEqual([base]);
    expect(idsOf((await planPrune(pruning, { scenarios: [] })).goes)).toEqual([later, base]);
  });
});
