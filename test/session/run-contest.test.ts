import { expect, test } from "bun:test";
import { seriesSource } from "../../src/comparison/planning/prepare-series.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { scenarioDigest } from "../../src/comparison/scenario/digest.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { type OpenOptions, openSeries } from "../../src/comparison/session/open-series.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { SeriesRecord } from "../../src/domain/series-record.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { Semaphore } from "../../src/runtime/semaphore.ts";
import { contestReport } from "../../src/statistics/contest.ts";
import { readSession } from "../../src/store/read-session.ts";
import { talk, talkServices } from "./series.ts";

/** As `talk`, with these arms. */
async function talkOf(...ids: readonly string[]): Promise<LoadedScenario> {
  const { definition, ...loaded } = await talk();
  const arms = ids.map((id) => ({ ...definition.arms[0], id, title: id, model: `fake/${id}` }));
  const changed = { ...definition, arms: arms as typeof definition.arms };
  return { ...loaded, definition: changed, digest: scenarioDigest(changed) };
}

interface Ran {
  readonly record: SeriesRecord;
  readonly rows: readonly TrialRow[];
  readonly sessions: readonly SessionOutcome[];
}

async function run(services: SessionServices, loaded: LoadedScenario, options: OpenOptions): Promise<Ran> {
  const { done } = await openSeries(services, seriesSource([loaded]), options);
  const record = await done;
  const rows = await services.store.trials({ series_id: record.series_id });
  const sessions = await Promise.all(rows.map(async ({ session_id }) => await readSession(services.store, session_id)));
  return { record, rows, sessions: sessions.filter((session) => session !== undefined) };
}

/** Counts how often each arm ran. */
function counting(changes: Parameters<typeof talkServices>[0] = { judge: () => "tie" }) {
  const ran: Record<string, number> = {};
  const services = talkServices({
    ...changes,
    before: async (side, nth, signal) => {
      ran[side] = (ran[side] ?? 0) + 1;
      await changes.before?.(side, nth, signal);
    },
  });
  return { services, ran };
}

const saidIn = ({ arms, decisions }: SessionOutcome) =>
  arms.map(({ arm_id, final_answer }) => [arm_id, final_answer, (decisions[arm_id] ?? []).length > 0]);

test("each arm runs once in a round, and the sessions of its pairs show that run", async () => {
  const { services, ran } = counting();
  const { record, rows, sessions } = await run(services, await talkOf("a", "b", "c", "d"), {
    trials: 2,
    contest: { keep_running: true },
  });
  expect(record).toMatchObject({ state: "completed", stop: "exhausted" });
  expect(record.plan.contest?.pairs.map(({ arms }) => arms)).toEqual([
    ["a", "b"],
    ["a", "c"],
    ["a", "d"],
  ]);
  expect(ran).toEqual({ a: 2, b: 2, c: 2, d: 2 });
  expect(rows.map(({ place, pair, state }): unknown => [place?.round, pair, state])).toEqual(
    [1, 2].flatMap((round) => [0, 1, 2].map((pair) => [round, pair, "completed"])),
  );
  expect(sessions.map(saidIn)).toEqual(
    [1, 2].flatMap((n) =>
      ["b", "c", "d"].map((arm) => [
        ["a", `arm a says ${n}`, true],
        [arm, `arm ${arm} says ${n}`, true],
      ]),
    ),
  );
  const [first, ...others] = sessions.slice(0, 3);
  expect(first?.arms.map(({ shared }) => shared)).toEqual([undefined, undefined]);
  for (const { arms } of others)
    expect(arms.map(({ shared }) => shared)).toEqual([{ session_id: first?.session_id ?? "", arm_id: "a" }, undefined]);
  expect(rows.slice(1, 3).map(({ stored_runs }) => stored_runs)).toEqual(Array(2).fill({ a: first?.session_id ?? "" }));
});

test("with `best` each arm is compared with each other one, and runs no more often for it", async () => {
  const { services, ran } = counting();
  const { sessions } = await run(services, await talkOf("a", "b", "c"), { trials: 1, contest: { mode: "best" } });
  expect(ran).toEqual({ a: 1, b: 1, c: 1 });
  expect(sessions.map(({ arms }) => arms.map(({ arm_id }) => arm_id))).toEqual([
    ["a", "b"],
    ["a", "c"],
    ["b", "c"],
  ]);
  expect(sessions.map(({ verdict }) => verdict?.outcome)).toEqual(["tie", "tie", "tie"]);
});

test("an arm that fails takes nothing from the others", async () => {
  const { services, ran } = counting({
    judge: () => "tie",
    before: (side) => {
      if (side === "b") throw new Failure("provider_failed", "b has no model today");
    },
  });
  const { record, rows } = await run(services, await talkOf("a", "b", "c"), {
    trials: 3,
    contest: { keep_running: true },
  });
  expect(record).toMatchObject({ state: "completed", stop: "exhausted" });
  const ofPair = (pair: number) => rows.filter((row) => row.pair === pair).map(({ state }) => state);
  expect(ofPair(1)).toEqual(["completed", "completed", "completed"]);
  expect(ofPair(0).length).toBeGreaterThan(3);
  expect(new Set(ofPair(0))).toEqual(new Set(["failed"]));
  // It is tried again with the run of the control that there is.
  expect(ran).toMatchObject({ a: 3, c: 3 });
});

test("who cancels the session that runs the control cancels no other: those are tried again", async () => {
  const { services } = counting({
    judge: () => "tie",
    before: (side, nth) => {
      if (side === "a" && nth === 1) services.runs.all()[0]?.cancel(new Failure("cancelled", "A person cancelled it."));
    },
  });
  const { rows } = await run(services, await talkOf("a", "b", "c"), { trials: 1, contest: { keep_running: true } });
  expect(rows.map(({ pair, state }) => [pair, state])).toEqual([
    [0, "cancelled"],
    [1, "interrupted"],
    [1, "completed"],
  ]);
});

test("one round at a time has a place for each arm, also where fewer run at once", async () => {
  const { services, ran } = counting();
  const { record } = await run({ ...services, slots: new Semaphore(1) }, await talkOf("a", "b", "c", "d"), {
    trials: 2,
    contest: { mode: "best", keep_running: true },
  });
  expect(record).toMatchObject({ state: "completed", stop: "exhausted" });
  expect(ran).toEqual({ a: 2, b: 2, c: 2, d: 2 });
});

/** A clock that somebody turns. */
function turnedClock() {
  let ms = 0;
  const clock = { now: () => new Date(Date.UTC(2026, 0, 1) + ms), ticks: () => ms };
  const turn = (by: number) => {
    ms += by;
  };
  return { clock, turn };
}

/** Whoever comes waits until so many are there. */
function together(count: number): () => Promise<void> {
  const there = Promise.withResolvers<void>();
  let left = count;
  return async () => {
    left -= 1;
    if (left === 0) there.resolve();
    await there.promise;
  };
}

const apartIn = ({ rows }: Ran) => rows.map(({ pair, apart }) => [pair, apart === true]);

test("arms that had no place until others had stopped ran apart, which the contest says", async () => {
  const { clock, turn } = turnedClock();
  const both = together(2);
  const { services } = counting({
    judge: () => "tie",
    before: async (side) => {
      if (side !== "c") await both();
      turn(5_000);
    },
  });
  const few = { ...services, arm_clock: clock, slots: new Semaphore(1) };
  const ran = await run(few, await talkOf("a", "b", "c"), { trials: 1, contest: { keep_running: true } });
  expect(apartIn(ran)).toEqual([
    [0, false],
    [1, true],
  ]);
  const { flags } = await contestReport(ran.record, ran.rows, { stored: [], judge_unaudited: false });
  expect(flags).toContain("not_concurrent");
});

test("arms that run at the same time are not said to run apart", async () => {
  const { clock, turn } = turnedClock();
  const all = together(3);
  const { services } = counting({
    judge: () => "tie",
    before: async () => {
      await all();
      turn(5_000);
    },
  });
  const enough = { ...services, arm_clock: clock, slots: new Semaphore(3) };
  const ran = await run(enough, await talkOf("a", "b", "c"), { trials: 1, contest: { keep_running: true } });
  expect(apartIn(ran)).toEqual([
    [0, false],
    [1, false],
  ]);
  const { flags } = await contestReport(ran.record, ran.rows, { stored: [], judge_unaudited: false });
  expect(flags).not.toContain("not_concurrent");
});

test.each<readonly [string, OpenOptions, readonly string[]]>([
  [
    "contest: the scenario has two arms (a, b), which make no contest; leave it out, or add arms",
    { contest: {} },
    ["a", "b"],
  ],
  ['control: there is no arm "x"; the arms are a, b, c', { contest: { control: "x" } }, ["a", "b", "c"]],
  [
    "contest: parallel: 6 rounds of 3 arms are more than the 16 arms that run at once; take 5 or fewer",
    { parallel: 6 },
    ["a", "b", "c"],
  ],
])("%s", async (message, options, arms) => {
  const { services } = counting();
  const refused = run(services, await talkOf(...arms), options);
  await expect(refused).rejects.toThrow(message);
});
