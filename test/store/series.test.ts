import { describe, expect, test } from "bun:test";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { DecisionEntry, RunEntry } from "../../src/domain/session-entry.ts";
import { type TrialRow, trialRowOf } from "../../src/domain/trial.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { readSession } from "../../src/store/read-session.ts";
import type { SessionStore } from "../../src/store/store.ts";
import { anOutcome, aTurn } from "../outcomes.ts";
import { aSeries, aTrial, someResults } from "../series-record.ts";
import { begin, COMPLETED } from "../stored.ts";
import { STORES } from "./stores.ts";

const idOf = (n: number) => `session-sample-20260102T0304${String(n).padStart(5, "0")}Z`;
const seriesOf = (n: number) => `series-20260102T0304${String(n).padStart(5, "0")}Z-01234567`;

const SERIES = seriesOf(1);
const AT = "2026-01-02T03:04:06.000Z";

const turn = (seq: number): DecisionEntry => ({ type: "decision", arm_id: "left", decision: aTurn(seq) });
const running: RunEntry = { type: "stage", at: AT, stage: "running" };
const verdict = { type: "judged", verdict: { ...EXAMPLES.verdict, kind: "run" } } as const;
const CANCELLED: RunEntry = {
  type: "ended",
  at: AT,
  state: "cancelled",
  failure: { stage: "running", class: "user", code: "cancelled", message: "stopped", retryable: true },
};

const refused = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ code }: { code: string }) => code,
  );

const statesOf = (rows: readonly TrialRow[]) => rows.map(({ place, state }) => [place?.trial, state] as const);

/** Begins a trial and ends it as `entries` say. */
async function trial(store: SessionStore, n: number, entries: readonly RunEntry[], series_id = SERIES): Promise<void> {
  await store.append(await begin(store, aTrial(idOf(n), series_id, n)), entries, "durable");
}

describe.each(STORES)("%s store", (_name, open) => {
  test("a series reads back as it was written, and as it was last replaced", async () => {
    await using opened = await open();
    const { store } = opened;
    expect(await store.series.read(SERIES)).toBeUndefined();
    expect(await store.series.create(aSeries(SERIES))).toBe(true);
    expect(await store.series.read(SERIES)).toEqual(aSeries(SERIES));
    const next = aSeries(SERIES, { standing: { ...aSeries(SERIES).standing, counted: 1, win_rate: 1 / 3 } });
    await store.series.update(next);
    expect(await store.series.read(SERIES)).toEqual(next);
  });

  test("the ledger counts comparisons of the same scenarios, each once, and those of one table whatever its settings", async () => {
    await using opened = await open();
    const { series } = opened.store;
    const { plan, standing } = aSeries(SERIES);
    const compared = (digit: string, scenario = "sample") =>
      [{ scenario, digest: digit.repeat(64), comparison: digit.repeat(64), self_test_key: null }] as const;
    const of = (n: number, digit: string, scenario?: string) =>
      aSeries(seriesOf(n), { plan: { ...plan, scenarios: [...compared(digit, scenario)] } });
    const preferred = { ...standing, conclusion: "b_preferred" as const };
    for (const one of [of(1, "1"), of(2, "2"), of(3, "2"), of(4, "3", "other")]) await series.create(one);
    await series.create({
      ...of(5, "4"),
      plan: { ...of(5, "4").plan, scenarios: [...compared("4"), ...compared("4", "other")] },
    });
    expect(await series.ledger(of(1, "1"))).toEqual({ comparisons: 2, claims: 0 });
    await series.update({ ...of(3, "2"), standing: preferred });
    expect(await series.ledger(of(9, "9"))).toEqual({ comparisons: 2, claims: 1 });
    await series.update({ ...of(3, "2"), state: "completed", standing });
    expect(await series.ledger(of(1, "1"))).toEqual({ comparisons: 2, claims: 0 });
    const content = "c".repeat(64);
    for (const digit of ["a", "b", "c", "c"]) await series.keep({ ...someResults(digit, AT), content });
    await series.keep({ ...someResults("d", AT), content: "d".repeat(64) });
    expect(await series.ledger({ ...someResults("a", AT), content })).toEqual({ comparisons: 3, claims: 3 });
    expect(await series.ledger(someResults("f", AT))).toEqual({ comparisons: 0, claims: 0 });
  });

  test("a table of results is listed with the series, is none to run, and keeps the time at which it was first stored", async () => {
    await using opened = await open();
    const { store } = opened;
    const results = someResults("a", AT);
    await store.series.create(aSeries(SERIES));
    expect(await store.series.keep(results)).toEqual(results);
    const again = { ...results, created_at: "2026-02-02T00:00:00.000Z" };
    const columns = [{ field: "tier", values: ["x"], of_row: [0] }];
    const kept = { ...results, results: { ...results.results, columns } };
    expect(await store.series.keep({ ...again, results: kept.results })).toEqual(kept);
    expect(await store.series.results(results.series_id)).toEqual(kept);
    expect(await store.series.results(SERIES)).toBeUndefined();
    expect(await store.series.read(results.series_id)).toBeUndefined();
    expect(await store.series.take(results.series_id)).toBeUndefined();
    expect(await store.series.list({ scenario: "Any name" })).toEqual([
      {
        ...{ series_id: results.series_id, kind: "results", state: "completed", stop: null, judge_model: null },
        ...{
          created_at: AT,
          finished_at: AT,
          scenarios: ["Any name"],
          members: 1,
          arms: ["new one", "old"],
          control: "old",
          trials: 2,
          standing: { ...results.standing, answer: "better", flags: ["results_imported"] },
        },
      },
    ]);
    expect((await store.series.list()).map(({ series_id }) => series_id)).toEqual([results.series_id, SERIES]);
  });

  test("a listing has the flags of its trials and of its judge's self-tests, also where earlier versions kept none", async () => {
    await using opened = await open();
    const { store } = opened;
    const { standing, plan } = aSeries(SERIES);
    const judged = (self_test_key: string) => plan.scenarios.map((one) => ({ ...one, self_test_key }));
    const [failed, passed] = ["a".repeat(64), "b".repeat(64)];
    await store.series.create(aSeries(seriesOf(1), { standing: { ...standing, flags: ["check_could_not_run"] } }));
    await store.series.create(
      aSeries(seriesOf(2), { standing: { ...standing, undecided_by: "contradictory_trials" } }),
    );
    await store.series.create(aSeries(seriesOf(3), { plan: { ...plan, scenarios: judged(failed) } }));
    await store.series.create(aSeries(seriesOf(4), { plan: { ...plan, scenarios: judged(passed) } }));
    const listed = await store.series.list({}, new Set([failed]));
    expect(listed.map((row) => row.standing.flags)).toEqual([
      undefined,
      ["judge_failed_self_test"],
      ["claim_reversed"],
      ["check_could_not_run"],
    ]);
    expect((await store.series.list())[1]?.standing).toEqual({ ...standing, answer: "not_known" });
  });

  test("the id of a series is given once, also when many ask at the same moment", async () => {
    await using opened = await open();
    const { store } = opened;
    const asked = Array.from({ length: 8 }, (_, n) =>
      store.series.create(aSeries(SERIES, { plan_digest: `${n}`.repeat(64) })),
    );
    const given = await Promise.all(asked);
    expect(given.filter((created) => created)).toHaveLength(1);
    expect((await store.series.read(SERIES))?.plan_digest).toBe(`${given.indexOf(true)}`.repeat(64));
    expect(await store.series.list()).toHaveLength(1);
  });

  test("of all that come with one key the first begins a series, and what a key is held for is told", async () => {
    await using opened = await open();
    const { store } = opened;
    const key = { key: "k", request: "r", at: "2026-01-02T03:04:05.678Z" };
    const asked = await Promise.all([1, 2, 3].map((n) => store.series.create(aSeries(seriesOf(n)), key)));
    expect(asked.filter((created) => created)).toHaveLength(1);
    const [series] = await store.series.list();
    expect(await store.request_keys.read(key)).toEqual({ request: "r", id: series?.series_id ?? "" });
    expect(await store.request_keys.hold(key, "other")).toBe(false);
    const taken = { ...key, key: "l" };
    expect(await store.series.create(aSeries(series?.series_id ?? ""), taken)).toBe(false);
    expect(await store.request_keys.read(taken)).toBeUndefined();
  });

  test("nobody writes a series that it does not run: one that ended, or is unknown", async () => {
    await using opened = await open();
    const { store } = opened;
    await store.series.create(aSeries(SERIES));
    const ended = aSeries(SERIES, { state: "completed", stop: "sure", finished_at: AT });
    await store.series.update(ended);
    expect(await refused(store.series.update(aSeries(SERIES)))).toBe("series_not_running");
    expect(await refused(store.series.update(aSeries(seriesOf(2))))).toBe("series_not_running");
    expect(await store.series.read(SERIES)).toEqual(ended);
    expect(await store.series.read(seriesOf(2))).toBeUndefined();
  });

  test("a series that nobody runs is taken as it was, by one", async () => {
    await using opened = await open();
    const { store } = opened;
    await store.series.create(aSeries(SERIES));
    expect(await store.series.take(seriesOf(2))).toBeUndefined();
    expect(await refused(store.series.take(SERIES))).toBe("invalid_request");
    const ended = aSeries(SERIES, { state: "cancelled", stop: "cancelled", finished_at: AT });
    await store.series.update(ended);
    const asked = await Promise.allSettled([store.series.take(SERIES), store.series.take(SERIES)]);
    expect(asked).toMatchObject([
      { status: "fulfilled", value: ended },
      { status: "rejected", reason: { code: "invalid_request" } },
    ]);
    await store.series.update(aSeries(SERIES));
    expect(await store.series.read(SERIES)).toEqual(aSeries(SERIES));
    // Whoever took it may also give it back.
    await store.series.update(ended);
    expect(await store.series.take(SERIES)).toEqual(ended);
  });

  test("series are listed newest first, by scenario, by state, by page, as they are now", async () => {
    await using opened = await open();
    const { store } = opened;
    for (const n of [1, 2, 3]) await store.series.create(aSeries(seriesOf(n)));
    await store.series.create(aSeries(seriesOf(4), { scenarios: ["other", "sample"] }));
    await store.series.create(aSeries(seriesOf(5), { scenarios: ["other"] }));
    // Two rows of one scenario's inputs are two members.
    const scenarios = ["sample", "sample"];
    const ended = { scenarios, state: "completed", stop: "exhausted", finished_at: AT } as const;
    await store.series.update(aSeries(seriesOf(2), ended));
    const ids = async (query = {}) => (await store.series.list(query)).map(({ series_id }) => series_id);
    expect(await ids()).toEqual([5, 4, 3, 2, 1].map(seriesOf));
    expect(await ids({ scenario: "sample" })).toEqual([4, 3, 2, 1].map(seriesOf));
    expect(await ids({ state: "completed" })).toEqual([seriesOf(2)]);
    expect(await ids({ scenario: "sample", state: "running", limit: 1, before: seriesOf(3) })).toEqual([seriesOf(1)]);
    expect(await refused(ids({ before: seriesOf(9) }))).toBe("unknown_series");
    const { standing, limits } = aSeries(seriesOf(2));
    expect(await store.series.list({ state: "completed" })).toEqual([
      {
        series_id: seriesOf(2),
        state: "completed",
        stop: "exhausted",
        created_at: aSeries(seriesOf(2)).created_at,
        finished_at: AT,
        scenarios: ["sample"],
        members: 2,
        arms: ["left", "right"],
        control: "left",
        judge_model: "builtin/evidence",
        trials: limits.trials,
        standing: { ...standing, answer: "not_known" },
      },
    ]);
  });

  test("what a caller does to a series or to trials that it gave or was given changes nothing in the store", async () => {
    await using opened = await open();
    const { store } = opened;
    const given = aSeries(SERIES);
    await store.series.create(given);
    given.limits.trials = 1;
    const read = await store.series.read(SERIES);
    if (read) read.limits.trials = 2;
    const [listed] = await store.series.list();
    if (listed) listed.standing.counted = 3;
    expect(await store.series.read(SERIES)).toEqual(aSeries(SERIES));
    await begin(store, aTrial(idOf(1), SERIES, 1));
    const [row] = await store.trials({ series_id: SERIES });
    if (row) row.state = "failed";
    expect(statesOf(await store.trials({ series_id: SERIES }))).toEqual([[1, "queued"]]);
  });

  test("the trials of a series stand in the order of creation, each as it is now", async () => {
    await using opened = await open();
    const { store } = opened;
    await store.series.create(aSeries(SERIES));
    const runs = [];
    for (const n of [1, 2, 3]) runs.push(await begin(store, aTrial(idOf(n), SERIES, n)));
    await trial(store, 4, [COMPLETED], seriesOf(2));
    await begin(store, anOutcome(idOf(5)));
    const [first, , third] = runs;
    if (!first || !third) throw new Error("three were begun");
    await store.append(third, [running, turn(1), verdict, COMPLETED], "durable");
    await store.append(first, [running], "written");
    const rows = await store.trials({ series_id: SERIES });
    expect(statesOf(rows)).toEqual([
      [1, "running"],
      [2, "queued"],
      [3, "completed"],
    ]);
    expect(rows[2]).toMatchObject({ outcome: EXAMPLES.verdict.outcome, winner_side: EXAMPLES.verdict.winner_side });
    for (const row of rows) {
      const session = await readSession(store, row.session_id);
      expect(session && trialRowOf(session)).toEqual(row);
    }
    expect(await store.trials({ series_id: seriesOf(9) })).toEqual([]);
  });

  test("the runs of a comparison are those of its series and those that stand alone, and no others", async () => {
    await using opened = await open();
    const { store } = opened;
    const comparison = "c".repeat(64);
    await begin(store, anOutcome(idOf(1), { comparison }));
    await begin(store, aTrial(idOf(2), SERIES, 1, { comparison }));
    await begin(store, aTrial(idOf(3), SERIES, 2));
    await begin(store, anOutcome(idOf(4)));
    const found = await store.trials({ comparison });
    expect(found.map((row) => [row.session_id, row.place?.trial])).toEqual([
      [idOf(1), undefined],
      [idOf(2), 1],
    ]);
    expect((await store.trials({ comparison, limit: 1 })).map(({ session_id }) => session_id)).toEqual([idOf(1)]);
    expect(await store.trials({ comparison: "d".repeat(64) })).toEqual([]);
  });

  test("a run that only replays says what drew it, and one in which a model was asked does not", async () => {
    await using opened = await open();
    const { store } = opened;
    const choice = (trial: number) => ({ left: { seed: "seed", trial, chosen: 0 } });
    const settings = (trial: number) => ({ settings: { ...anOutcome(idOf(1)).settings, scripts: choice(trial) } });
    const live = anOutcome(idOf(1)).arms.map((arm) => ({ ...arm, model: "openai/m" })) as SessionOutcome["arms"];
    await begin(store, aTrial(idOf(1), SERIES, 1, settings(1)));
    await begin(store, aTrial(idOf(2), SERIES, 2, settings(2)));
    await begin(store, aTrial(idOf(3), SERIES, 3, settings(1)));
    await begin(store, aTrial(idOf(4), SERIES, 4, { ...settings(1), arms: live }));
    const draws = (await store.trials({ series_id: SERIES })).map(({ draw }) => draw);
    expect(draws.map((draw) => draws.indexOf(draw))).toEqual([0, 1, 0, 3]);
    expect(draws.map((draw) => draw === undefined)).toEqual([false, false, false, true]);
  });

  test("a verdict that is asked for later changes no trial", async () => {
    await using opened = await open();
    const { store } = opened;
    await trial(store, 1, [verdict, COMPLETED]);
    const before = await store.trials({ series_id: SERIES });
    await store.add([idOf(1)], { type: "judged", verdict: { ...EXAMPLES.verdict, kind: "rejudge", winner_side: "b" } });
    expect(await store.trials({ series_id: SERIES })).toEqual(before);
  });

  test("what an arm used is unknown until it has ended, and known of one that was cut short", async () => {
    await using opened = await open();
    const { store } = opened;
    const run = await begin(store, aTrial(idOf(1), SERIES, 1));
    const left = async () => (await store.trials({ series_id: SERIES }))[0]?.arms.a;
    await store.append(run, [running, turn(1)], "written");
    await store.append(run, [turn(2)], "written");
    expect(await left()).toMatchObject({ tokens: null, cost_usd: null, broken: false });
    await store.append(run, [CANCELLED], "durable");
    expect(await left()).toMatchObject({ tokens: 30, broken: false });
    await store.add([idOf(1)], { type: "judged", verdict: { ...EXAMPLES.verdict, kind: "cross_session" } });
    expect(await left()).toMatchObject({ tokens: 30, broken: false });
  });

  test("the sessions of a series are listed by page", async () => {
    await using opened = await open();
    const { store } = opened;
    for (const n of [1, 2, 3]) await begin(store, aTrial(idOf(n), SERIES, n));
    await begin(store, aTrial(idOf(4), seriesOf(2), 1));
    await begin(store, anOutcome(idOf(5)));
    const listed = await store.list({ series_id: SERIES });
    expect(listed.map((row) => [row.session_id, row.trial])).toEqual(
      [3, 2, 1].map((n) => [idOf(n), { series_id: SERIES, trial: n, round: n }]),
    );
    const page = await store.list({ series_id: SERIES, state: "queued", before: idOf(3), limit: 1 });
    expect(page.map(({ session_id }) => session_id)).toEqual([idOf(2)]);
    expect((await store.list({ limit: 1 }))[0]).not.toHaveProperty("trial");
  });

  test("entries are made of the trials as they are in the moment of the write", async () => {
    await using opened = await open();
    const { store } = opened;
    const runs = [];
    for (const n of [1, 2, 3]) runs.push(await begin(store, aTrial(idOf(n), SERIES, n)));
    // All at one moment: each sees the ends of those before it, and itself as it was.
    const counted = (trials: readonly TrialRow[]): RunEntry[] => [
      { type: "observed", differences: trials.map(({ state }) => state) },
      COMPLETED,
    ];
    await Promise.all(runs.map((run) => store.append(run, counted, "durable")));
    const seen = await Promise.all([1, 2, 3].map(async (n) => (await readSession(store, idOf(n)))?.fairness.observed));
    expect(seen).toEqual([
      ["queued", "queued", "queued"],
      ["completed", "queued", "queued"],
      ["completed", "completed", "queued"],
    ]);
    expect(statesOf(await store.trials({ series_id: SERIES })).map(([, state]) => state)).toEqual(
      Array(3).fill("completed"),
    );
  });

  test("a run that is no trial is shown none", async () => {
    await using opened = await open();
    const { store } = opened;
    await begin(store, aTrial(idOf(1), SERIES, 1));
    const run = await begin(store, anOutcome(idOf(2), { comparison: aSeries(SERIES).plan_digest }));
    let shown: readonly TrialRow[] | undefined;
    const entries = (trials: readonly TrialRow[]) => {
      shown = trials;
      return [COMPLETED];
    };
    await store.append(run, entries, "durable");
    expect(shown).toEqual([]);
    expect((await readSession(store, idOf(2)))?.state).toBe("completed");
  });

  test("entries that cannot be made are not stored, and neither is anything of their call", async () => {
    await using opened = await open();
    const { store } = opened;
    const run = await begin(store, aTrial(idOf(1), SERIES, 1));
    const failing = () => {
      throw new Error("cannot be made");
    };
    await expect(store.append(run, failing, "durable")).rejects.toThrow("cannot be made");
    expect(await store.read(idOf(1))).toHaveLength(1);
    await store.append(run, () => [COMPLETED], "durable");
    expect(await refused(store.append(run, () => [running], "written"))).toBe("interrupted");
    expect(statesOf(await store.trials({ series_id: SERIES }))).toEqual([[1, "completed"]]);
  });
});

describe("the memory store", () => {
  test("keeps the trials of a series when it forgets their sessions, and forgets runs that stand alone", async () => {
    using store = memoryStore(2);
    await store.series.create(aSeries(SERIES));
    const comparison = aSeries(SERIES).plan_digest;
    await store.append(await begin(store, anOutcome(idOf(9), { comparison })), [COMPLETED], "durable");
    for (const n of [1, 2, 3, 4]) await trial(store, n, [COMPLETED]);
    expect(await store.list()).toHaveLength(2);
    expect((await store.trials({ series_id: SERIES })).map(({ place }) => place?.trial)).toEqual([1, 2, 3, 4]);
    expect(await store.trials({ comparison })).toHaveLength(4);
  });

  test("forgets the series that ended first with its trials, and none that runs", async () => {
    using store = memoryStore(2);
    for (const n of [1, 2, 3, 4]) {
      await store.series.create(aSeries(seriesOf(n)));
      await trial(store, n, [COMPLETED], seriesOf(n));
    }
    const end = (n: number) => store.series.update(aSeries(seriesOf(n), { state: "completed" }));
    for (const n of [4, 2]) await end(n);
    // One that goes on has not ended.
    await store.series.take(seriesOf(4));
    await store.series.update(aSeries(seriesOf(4)));
    for (const n of [1, 3]) await end(n);
    expect((await store.series.list()).map(({ series_id }) => series_id)).toEqual([4, 3, 1].map(seriesOf));
    expect(await store.trials({ series_id: seriesOf(2) })).toEqual([]);
    expect(await store.trials({ series_id: seriesOf(1) })).toHaveLength(1);
    await end(4);
    expect(await store.trials({ series_id: seriesOf(1) })).toEqual([]);
    expect(await store.trials({ series_id: seriesOf(4) })).toHaveLength(1);
  });
});
