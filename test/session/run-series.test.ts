import { expect, test } from "bun:test";
import { prepareSeries } from "../../src/comparison/planning/prepare-series.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { type OpenOptions, openSeries } from "../../src/comparison/session/open-series.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { SelfTest } from "../../src/domain/self-test.ts";
import type { Series } from "../../src/domain/series.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { seriesReport } from "../../src/doors/operation/find-series.ts";
import { Semaphore } from "../../src/runtime/semaphore.ts";
import { readSession } from "../../src/store/read-session.ts";
import type { SessionStore } from "../../src/store/store.ts";
import { runTable, talk, talkServices } from "./series.ts";

const sourceOf = (...scenarios: readonly LoadedScenario[]) => ({
  scenarios,
  load: async (name: string) => scenarios.find(({ definition }) => definition.name === name) as LoadedScenario,
});

/** As `talk`, with an arm that replays one of two scripts. */
async function weighted(name: string): Promise<LoadedScenario> {
  const { definition, ...loaded } = await talk(name);
  const [first, second] = definition.arms;
  const scripts = ["Yes.", "No."].map((say) => ({ weight: 1, turns: [{ say, calls: [] }] }));
  const arms: typeof definition.arms = [{ ...first, model: "scripted/a", scripts }, second];
  return { ...loaded, definition: { ...definition, arms } };
}

async function run(
  services: SessionServices,
  scenarios: readonly LoadedScenario[],
  options: OpenOptions,
): Promise<Series> {
  const { done } = await openSeries(services, sourceOf(...scenarios), options);
  return await seriesReport(services.store, await done);
}

test("nine wins are a claim: the series stops, and each verdict says where it stood", async () => {
  const services = talkServices({ judge: () => "a" });
  const series = await run(services, [await talk()], { stop_when_sure: true });
  expect(series).toMatchObject({
    ...{ state: "completed", stop: "sure", conclusion: "a_preferred", failure: null },
    headline: { win_rate: 1, claim: { side: "a", at_trial: 9 } },
    counts: { trials: 9, wins: 9, ties: 0, losses: 0 },
  });
  const sessions = await Promise.all(
    series.trials.map(({ session_id }) => readSession(services.store, session_id ?? "")),
  );
  expect(sessions.map((session) => session?.verdict?.series?.wins)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(sessions.map((session) => session?.verdict?.series?.conclusion)).toEqual([
    ...Array(8).fill("undecided"),
    "a_preferred",
  ]);
  expect(sessions.map((session) => session?.trial?.trial)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("a series on whose comparison others lost claims nothing, in no place, and does not stop for it", async () => {
  // The first four runs are of another series.
  const services = talkServices({ judge: (n) => (n <= 4 ? "b" : "a") });
  const scenario = await talk();
  await run(services, [scenario], { trials: 4 });
  const series = await run(services, [scenario], { trials: 12, stop_when_sure: true });
  expect(series).toMatchObject({
    ...{ stop: "exhausted", conclusion: "undecided", gate: { a: "not_worse", b: null } },
    ...{ headline: { claim: { side: "a", at_trial: 9 } }, earlier: { trials: 4 } },
  });
  const sessions = await Promise.all(
    series.trials.map(({ session_id }) => readSession(services.store, session_id ?? "")),
  );
  const told = sessions.map((session) => session?.verdict?.series);
  expect(told.map((summary) => summary?.conclusion)).toEqual(Array(12).fill("undecided"));
  expect(told.at(-1)?.statement).toContain(
    "). Nothing is concluded: this series alone would establish a preference for a",
  );
  expect((await services.store.series.read(series.series_id))?.standing).toMatchObject({
    conclusion: "undecided",
    counted: 12,
  });
  const more = await run(services, [scenario], { goOn: series.series_id, trials: 30 });
  expect(more).toMatchObject({ stop: "sure", conclusion: "a_preferred", counts: { trials: 13 } });
});

test("what others ran is read only when the trials of a series alone conclude something", async () => {
  const services = talkServices({ judge: () => "a" });
  const reads: string[] = [];
  const store: SessionStore = {
    ...services.store,
    trials: (of) => {
      if ("comparison" in of) reads.push(of.comparison);
      return services.store.trials(of);
    },
  };
  const { done } = await openSeries({ ...services, store }, sourceOf(await talk()), { trials: 7 });
  const { series_id } = await done;
  expect(reads).toEqual([]);
  const more = await openSeries({ ...services, store }, sourceOf(await talk()), { goOn: series_id, trials: 20 });
  await more.done;
  // Once confirmed, it is not asked again.
  expect(reads).toHaveLength(1);
});

test("series that are opened at once and continued in turn are one bet", async () => {
  // One of three series wins ten of ten; all together win ten of thirty.
  const services = talkServices({ judge: (n) => (n % 3 === 1 ? "a" : "b") });
  const scenario = await talk();
  const ids: (string | undefined)[] = [undefined, undefined, undefined];
  for (let trials = 1; trials <= 10; trials += 1)
    for (const [index, goOn] of ids.entries())
      ids[index] = (await run(services, [scenario], { trials, ...(goOn && { goOn }) })).series_id;
  const [first] = await Promise.all(
    ids.map(async (id) => {
      const record = await services.store.series.read(id ?? "");
      return record && (await seriesReport(services.store, record));
    }),
  );
  expect(first).toMatchObject({ conclusion: "undecided", headline: { claim: { side: "a" } }, earlier: { trials: 20 } });
});

test("a planned number of trials is run, whoever is ahead", async () => {
  const series = await run(talkServices({ judge: (n) => (n === 2 ? "b" : "a") }), [await talk()], { trials: 10 });
  expect(series).toMatchObject({
    ...{ state: "completed", stop: "exhausted", conclusion: "undecided" },
    counts: { trials: 10, wins: 9, losses: 1 },
  });
});

test("runs that repeat each other word for word claim nothing, and end early", async () => {
  const services = talkServices({ judge: () => "a", alike: true });
  const series = await run(services, [await talk()], { stop_when_sure: true });
  expect(series).toMatchObject({ stop: "out_of_reach", conclusion: "undecided", headline: { claim: null } });
  expect(series.flags).toContain("no_variation");
  expect(series.trials).toHaveLength(8);
});

test("scenarios take turns, and count in complete rounds", async () => {
  const services = talkServices({ judge: () => "a" });
  const series = await run(services, [await talk("one"), await talk("two")], { trials: 3 });
  expect(series.trials.map(({ scenario, round }) => [scenario, round])).toEqual([
    ...[
      ["one", 1],
      ["two", 1],
      ["one", 2],
    ],
    ...[
      ["two", 2],
      ["one", 3],
      ["two", 3],
    ],
  ] as never);
  expect(series).toMatchObject({ rounds: 3, counts: { trials: 6, wins: 6 } });
});

test("no more trials run at once than were asked for", async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  // All wait until as many as may run are open, and a while for one more.
  const before = async (side: string) => {
    if (side === "b") return;
    const { promise, resolve } = Promise.withResolvers<void>();
    most = Math.max(most, waiting.push(resolve));
    if (waiting.length === 3) {
      for (let turn = 0; turn < 50; turn += 1) await new Promise((next) => setImmediate(next));
      for (const go of waiting.splice(0)) go();
    }
    await promise;
  };
  const services = talkServices({ judge: () => "a", before }, { slots: new Semaphore(16, 0) });
  const series = await run(services, [await talk()], { trials: 12, parallel: 3 });
  expect(most).toBe(3);
  expect(series.counts.trials).toBe(12);
});

test("a trial that ends while the series looks at its trials is looked at too", async () => {
  const gates = new Map([2, 3].map((n) => [n, Promise.withResolvers<void>()]));
  const before = (side: string, n: number) => (side === "a" ? gates.get(n)?.promise : undefined);
  const services = talkServices({ judge: () => "a", before }, { slots: new Semaphore(3, 0) });
  const { store } = services;
  const opened = new Set<number>();
  const late: SessionServices["store"] = {
    ...store,
    trials: async (of) => {
      const rows = await store.trials(of);
      const [row] = "session_id" in of ? rows : [];
      const next = (row?.place?.trial ?? 0) + 1;
      if (row?.state !== "completed" || opened.has(next)) return rows;
      opened.add(next);
      gates.get(next)?.resolve();
      const all = await store.trials({ series_id: row.place?.series_id ?? "" });
      const later = all.find(({ place }) => place?.trial === next);
      await services.runs.live(later?.session_id ?? "")?.done;
      await new Promise(setImmediate);
      return rows;
    },
  };
  const series = await run({ ...services, store: late }, [await talk()], { trials: 3, parallel: 3 });
  expect(series).toMatchObject({ state: "completed", stop: "exhausted", failure: null, counts: { trials: 3 } });
});

test("where others hold all places, a trial waits for one", async () => {
  const slots = new Semaphore(1, 0);
  const other = await slots.acquire(new AbortController().signal);
  const services = talkServices({ judge: () => "a" }, { slots });
  const { done } = await openSeries(services, sourceOf(await talk()), { trials: 2 });
  expect(await services.store.trials({ series_id: services.series.all()[0]?.series_id ?? "" })).toEqual([]);
  other[Symbol.dispose]();
  expect((await seriesReport(services.store, await done)).counts.trials).toBe(2);
});

/** Full when it is asked for the second time, and never again. */
class FullOnce extends Semaphore {
  #asked = 0;
  override get isFull(): boolean {
    this.#asked += 1;
    return this.#asked === 2;
  }
}

test("a trial that finds no place leaves no gap in the numbers", async () => {
  const services = talkServices({ judge: () => "a" }, { slots: new FullOnce(4) });
  const series = await run(services, [await talk()], { trials: 4, parallel: 3 });
  expect(series.trials.map(({ trial }) => trial)).toEqual([1, 2, 3, 4]);
  expect(series.counts).toMatchObject({ trials: 4, deleted: 0 });
});

test("a cancelled series stops its trials, starts none, and tells what there is", async () => {
  const third = Promise.withResolvers<void>();
  const before = async (side: string, n: number, signal: AbortSignal) => {
    if (side !== "a" || n !== 3) return;
    third.resolve();
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const services = talkServices({ judge: () => "a", before });
  const { series_id, done } = await openSeries(services, sourceOf(await talk()), { trials: 9 });
  await third.promise;
  services.series.live(series_id)?.cancel(new Failure("cancelled", "Stop."));
  const series = await seriesReport(services.store, await done);
  expect(series).toMatchObject({
    ...{ state: "cancelled", stop: "cancelled", conclusion: "undecided" },
    counts: { trials: 2, wins: 2, cancelled: 1 },
  });
  expect(services.series.live(series_id)).toBeUndefined();
});

test("a trial that the judge could not judge is judged again, and is missing when that gives nothing either", async () => {
  const asked = new Map<number, number>();
  const services = talkServices({
    judge: (n) => {
      asked.set(n, (asked.get(n) ?? 0) + 1);
      return n === 2 ? "unusable" : "a";
    },
  });
  const series = await run(services, [await talk()], { trials: 3 });
  expect(series).toMatchObject({ counts: { trials: 2, wins: 2, invalid: 1 }, state: "completed" });
  const second = await readSession(services.store, series.trials[1]?.session_id ?? "");
  expect(second?.verdicts.map(({ kind, outcome }) => [kind, outcome])).toEqual([["run", "invalid"]]);
  expect(second?.verdict?.outcome).toBe("invalid");
  expect(asked.get(2)).toBeGreaterThan(asked.get(1) ?? 0);
});

test("a failed run is replaced, in its round", async () => {
  let failed = false;
  const before = (side: string, n: number) => {
    if (side !== "b" || n !== 2 || failed) return;
    failed = true;
    throw new Failure("provider_failed", "The provider is gone.");
  };
  const series = await run(talkServices({ judge: () => "a", before }), [await talk()], { trials: 3 });
  expect(series.trials.map(({ round, counted }) => [round, counted])).toEqual([
    ...[
      [1, true],
      [2, false],
    ],
    ...[
      [2, true],
      [3, true],
    ],
  ] as never);
  expect(series).toMatchObject({ stop: "exhausted", counts: { trials: 3, failed: 1 } });
});

test("a trial that is run again replays the script of the one that was lost, and so do those after it", async () => {
  const scenarios = [await weighted("one"), await weighted("two")];
  const { prepare } = await prepareSeries(talkServices({ judge: () => "a" }), sourceOf(...scenarios), { trials: 3 });
  const drawn = async (trial: number, round: number, scenario: string) =>
    (await prepare({ trial, round, scenario })).settings.scripts;
  const unbroken = await drawn(4, 2, "two");
  expect(unbroken).toMatchObject({ a: { trial: 4 } });
  expect(await drawn(9, 2, "two")).toEqual(unbroken);
  expect(await drawn(3, 2, "one")).toMatchObject({ a: { trial: 3 } });
});

test("a trial is broken by the arm that failed, not by the one that was stopped for it", async () => {
  const before = (side: string, n: number, signal: AbortSignal) => {
    if (n !== 2) return;
    if (side === "b") throw new Failure("provider_failed", "The provider is gone.");
    return new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const series = await run(talkServices({ judge: () => "a", before }), [await talk()], { trials: 2 });
  expect(series.missing_by).toEqual({ a: 0, b: 1, both: 0, judge: 0 });
});

test("a fault of the user ends the series, which says it", async () => {
  const before = (side: string, n: number) => {
    if (side === "a" && n === 2) throw new Failure("credentials_missing", "The key was refused.");
  };
  const series = await run(talkServices({ judge: () => "a", before }), [await talk()], { trials: 5 });
  expect(series).toMatchObject({
    state: "failed",
    stop: "failed",
    failure: "The key was refused.",
    counts: { trials: 1 },
  });
});

test("a series that a fault of the user ended goes on when that is mended", async () => {
  let refused = true;
  const before = () => {
    if (refused) throw new Failure("credentials_missing", "The key was refused.");
  };
  const services = talkServices({ judge: () => "a", before });
  const source = sourceOf(await talk());
  const { series_id, done } = await openSeries(services, source, { trials: 2 });
  expect((await done).state).toBe("failed");
  refused = false;
  const again = await openSeries(services, source, { goOn: series_id });
  const series = await seriesReport(services.store, await again.done);
  expect(series).toMatchObject({ stop: "exhausted", failure: null, counts: { trials: 2, failed: 1 } });
});

/** A store where a series that runs cannot be written. */
function refusing(store: SessionStore, failure: Failure): SessionStore {
  const { series } = store;
  return {
    ...store,
    series: {
      create: (record) => series.create(record),
      async update(record) {
        if (record.state === "running") throw failure;
        await series.update(record);
      },
      take: (series_id) => series.take(series_id),
      read: (series_id) => series.read(series_id),
      keep: (results) => series.keep(results),
      results: (series_id) => series.results(series_id),
      ledger: (stored) => series.ledger(stored),
      list: (query) => series.list(query),
    },
  };
}

test("a series that breaks stops its trials", async () => {
  const before = async (side: string, n: number, signal: AbortSignal) => {
    if (side !== "a" || n !== 2) return;
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const services = talkServices({ judge: () => "a", before }, { slots: new Semaphore(2, 0) });
  const { store } = services;
  const broken = refusing(store, new Failure("storage_failed", "The store is gone."));
  const series = await run({ ...services, store: broken }, [await talk()], { trials: 4, parallel: 2 });
  expect(series).toMatchObject({ state: "failed", failure: "The store is gone.", counts: { trials: 1, running: 0 } });
});

test("a scenario that changes while its series runs ends it", async () => {
  const loaded = await talk();
  const services = talkServices({ judge: () => "a" });
  let asked = 0;
  const load = async () => {
    asked += 1;
    return asked < 3 ? loaded : { ...loaded, digest: "0".repeat(64) };
  };
  const { done } = await openSeries(services, { scenarios: [loaded], load }, { trials: 5 });
  const series = await seriesReport(services.store, await done);
  expect(series).toMatchObject({ state: "failed", counts: { trials: 2 } });
  expect(series.failure).toContain("000000000000");
});

test("a series goes on where it stopped, with more trials, and tells what was changed", async () => {
  const services = talkServices({ judge: () => "a" });
  const source = sourceOf(await talk());
  const { series_id, done } = await openSeries(services, source, { trials: 3 });
  await done;
  const again = await openSeries(services, source, { goOn: series_id, trials: 5 });
  expect(again.series_id).toBe(series_id);
  const series = await seriesReport(services.store, await again.done);
  expect(series).toMatchObject({ stop: "exhausted", counts: { trials: 5 }, limits: { trials: 5 } });
  expect(series.changes.map(({ limits }) => limits.trials)).toEqual([3]);
  expect(series.trials.map(({ trial }) => trial)).toEqual([1, 2, 3, 4, 5]);
});

test("only a passed self-test, the newest, clears a judge, and a failed one is told with its scenario", async () => {
  const services = talkServices({ judge: () => "a" });
  const { store } = services;
  const { done } = await openSeries(services, sourceOf(await talk()), { trials: 1 });
  const record = await done;
  const key = record.plan.scenarios[0]?.self_test_key ?? "";
  const after = async (verdict: SelfTest["verdict"], minute: number) => {
    const created_at = `2026-01-03T10:${minute}:00.000Z`;
    await store.self_tests.keep(key, {
      ...EXAMPLES.self_test,
      self_test_id: `self-test-${minute}`,
      created_at,
      verdict,
    });
    return await seriesReport(store, record);
  };
  expect((await seriesReport(store, record)).flags).toEqual(["few_tasks", "judge_unaudited"]);
  expect((await after("warn", 10)).flags).toEqual(["few_tasks", "judge_unaudited"]);
  expect((await after("pass", 11)).flags).toEqual(["few_tasks"]);
  const failed = await after("fail", 12);
  expect(failed.flags).toEqual(["judge_failed_self_test", "few_tasks", "judge_unaudited"]);
  expect(failed.statement).toContain(
    `Judge ${failed.judge.model} failed its self-test on ${failed.scenarios[0]?.scenario}, so its preferences there show little.`,
  );
});

test("a series that cannot go on for want of space can go on later", async () => {
  const services = talkServices({ judge: () => "a" });
  const { store } = services;
  const source = sourceOf(await talk());
  const { series_id, done } = await openSeries(services, source, { trials: 1 });
  await done;
  const full = refusing(store, new Failure("storage_full", "The disk is full."));
  const more = { goOn: series_id, trials: 2 };
  await expect(openSeries({ ...services, store: full }, source, more)).rejects.toThrow("The disk is full.");
  const again = await openSeries(services, source, more);
  expect((await seriesReport(store, await again.done)).counts.trials).toBe(2);
});

const REFUSED: readonly (readonly [what: string, options: OpenOptions, words: RegExp])[] = [
  [
    "too few trials to be sure",
    { trials: 8, stop_when_sure: true },
    /8 in all are too few for any claim; plan 9 or more/,
  ],
  ["a limit without prices", { trials: 2, max_cost_usd: 1 }, /has no price, and max_cost_usd \(--max-cost\) needs one/],
  ["an unknown series", { goOn: "series-20260101T000000000Z-00000000" }, /there is no series .*gone with its process/],
];

test.each(REFUSED)("refused before anything is spent: %s", async (_what, options, words) => {
  const services = talkServices({ judge: () => "a" });
  const refused = await openSeries(services, sourceOf(await talk()), options).catch((error: unknown) => error);
  expect((refused as Failure).message).toMatch(words);
  expect(await services.store.series.list()).toEqual([]);
});

test("refused: more scenarios or trials than a series holds", async () => {
  const [services, loaded] = [talkServices({ judge: () => "a" }), await talk()];
  const named = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ ...loaded, definition: { ...loaded.definition, name: `talk-${n}` } }));
  await expect(run(services, named(2_001), { trials: 1 })).rejects.toThrow(
    /2001 scenarios: one series holds 2000 at most/,
  );
  await expect(run(services, named(21), { trials: 953 })).rejects.toThrow(
    /953 of each of 21 scenarios are more than the 20000 that one series holds; plan 952 or fewer/,
  );
});

test("refused: one scenario twice, and scenarios with different arms", async () => {
  const [services, loaded] = [talkServices({ judge: () => "a" }), await talk()];
  const [first, second] = loaded.definition.arms;
  const other = {
    ...loaded,
    file: "other.yaml",
    definition: { ...loaded.definition, name: "other", arms: [second, first] as typeof loaded.definition.arms },
  };
  await expect(run(services, [loaded, loaded], { trials: 1 })).rejects.toThrow(/is in the series already/);
  await expect(run(services, [loaded, other], { trials: 1 })).rejects.toThrow(
    /other\.yaml: its arms are b and a, those of .* are a and b/,
  );
});

test("refused: to go on with another plan, which is named", async () => {
  const services = talkServices({ judge: () => "a" });
  const { series_id, done } = await openSeries(services, sourceOf(await talk()), { trials: 1 });
  await done;
  await expect(openSeries(services, sourceOf(await talk()), { goOn: series_id, margin: 0.2 })).rejects.toThrow(
    /another plan \(margin\)/,
  );
  await expect(openSeries(services, sourceOf(await talk("two")), { goOn: series_id })).rejects.toThrow(
    /another plan \(scenarios: two\)/,
  );
  const asked = await talk();
  const { definition } = asked;
  const answered = {
    ...asked,
    digest: "0".repeat(64),
    definition: { ...definition, task: { ...definition.task, answer: true as const } },
  };
  await expect(openSeries(services, sourceOf(answered), { goOn: series_id })).rejects.toThrow(
    /another plan \(scenarios: talk, whose work is the answer\)/,
  );
});

test("a row that fails again and again is given up, and counts against the side ahead", async () => {
  const before = (side: string, n: number) => {
    if (side === "a" && n > 1 && n < 6) throw new Failure("provider_failed", "the provider is down");
  };
  const services = talkServices({ judge: () => "a", before });
  const series = await runTable(services, 10, { trials: 1 });
  expect(series).toMatchObject({ state: "completed", stop: "exhausted", rounds: 1 });
  expect(series.counts).toMatchObject({ trials: 9, wins: 9, failed: 4 });
  expect(series.scenarios.filter(({ given_up }) => given_up).map(({ input }) => input)).toEqual(["r2"]);
  expect(series.statement).toContain("1 row is given up");
  expect(series.headline.claim).not.toBeNull();
  expect([series.headline.fragile, series.conclusion]).toEqual([true, "undecided"]);
});

test("a table whose rows are lost one after the other ends its series", async () => {
  const before = (side: string) => {
    if (side === "a") throw new Failure("provider_failed", "the provider is down");
  };
  const series = await runTable(talkServices({ judge: () => "a", before }), 12, { trials: 1 });
  expect(series).toMatchObject({ state: "failed", stop: "failed", failure: 'arm "a": the provider is down' });
  expect(series.trials).toHaveLength(16);
});
