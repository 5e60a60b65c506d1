import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RESULT_BYTES } from "../../src/doors/mcp/fit.ts";
import { demandTwoArms } from "../../src/doors/operation/find-series.ts";
import { getSeries } from "../../src/doors/operation/series.ts";
import { type Talk, talkServices, talkText } from "../session/series.ts";
import { type Linked, linked } from "./linked.ts";

interface Place {
  readonly series_id: string;
  readonly trial: number;
}

/** A server with the scenarios `talk` and `chat`, whose judge does as it is told. */
async function talking(play: Talk, names: readonly string[] = ["talk", "chat"]): Promise<Linked> {
  const { resolveModel } = talkServices(play);
  const server = await linked({ resolveModel });
  for (const name of names) writeFileSync(join(server.services.catalog.directory, `${name}.yaml`), talkText(name));
  await server.client.listTools();
  return server;
}

test("a scenario is run until enough is known, and the answer says what the runs show", async () => {
  await using server = await talking({ judge: () => "a" });
  const { data, text } = await server.call("run_scenario", {
    ...{ scenario: "talk", stop_when_sure: true, wait_seconds: 50 },
  });
  expect(data).toMatchObject({
    finished: true,
    series: {
      ...{ state: "completed", stop: "sure", conclusion: "a_preferred", arms: ["a", "b"], planned: 30 },
      standing: { trials: 9, wins: 9, ties: 0, losses: 0, win_rate: 1 },
    },
  });
  expect(data.session_id).toBeUndefined();
  expect(text.split("\n")[0]).toBe(data.series.statement.slice(0, text.indexOf("\n")));
  expect(text).toContain(`Next: get_session with session_id "${data.series_id}"`);
});

test("the figures of a series are read as they stand in the HTTP API", async () => {
  await using server = await talking({ judge: () => "a" });
  const { data } = await server.call("run_scenario", { scenario: "talk", trials: 2, wait_seconds: 50 });
  const { data: read } = await server.call("get_session", { session_id: data.series_id });
  const whole = demandTwoArms(await getSeries(server.services, { id: data.series_id }, new AbortController().signal));
  for (const figure of ["result", "like_these", "efficiency"] as const) expect(whole[figure]).not.toBeNull();
  const { control, result, like_these, gate_like_these, efficiency, ledger } = whole;
  expect(read.series).toMatchObject({ control, result, like_these, gate_like_these, efficiency });
  expect(read.series.ledger).toEqual(ledger);
});

test("several scenarios are run in turn, each told with where it stands", async () => {
  await using server = await talking({ judge: () => "b" });
  const { data } = await server.call("run_scenario", {
    ...{ scenarios: ["talk", "chat"], trials: 2, wait_seconds: 50 },
  });
  const { data: read, text } = await server.call("get_session", { session_id: data.series_id });
  expect(read.series.scenarios).toMatchObject([
    { scenario: "talk", standing: { trials: 2, losses: 2 } },
    { scenario: "chat", standing: { trials: 2, losses: 2 } },
  ]);
  expect(text).toMatch(/^- talk: Undecided; a won 0, b 2, no winner 0; win rate of a 0%, range 0% to \d+(\.\d)?%$/m);
});

test("a series is read page by page, and each trial says which it is", async () => {
  await using server = await talking({ judge: (n) => (n === 2 ? "tie" : "a") });
  const { data } = await server.call("run_scenario", { scenario: "talk", trials: 5, wait_seconds: 50 });
  const page = async (after_seq: number) =>
    await server.call("get_session", { session_id: data.series_id, limit: 2, after_seq });
  const pages = [await page(0), await page(2), await page(4)];
  expect(
    pages.map(({ data: { series } }) => [series.trials.map(({ trial }: Place) => trial), series.next_after]),
  ).toEqual([
    [[1, 2], 2],
    [[3, 4], 4],
    [[5], null],
  ]);
  expect(pages[0]?.text).toContain("More trials: after_seq 2.");
  const [, second] = pages[0]?.data.series.trials ?? [];
  expect(pages[0]?.text).toContain(`#2 talk: no winner, tie; ${second.session_id}`);
  const trial = await server.call("get_session", { session_id: second.session_id });
  expect(trial.data.summary.trial).toEqual({ series_id: data.series_id, trial: 2, round: 2 });
  expect(trial.text).toContain(`Trial 2 of ${data.series_id}`);
  const reasons = await server.call("get_session", { session_id: second.session_id, detail: "criteria" });
  expect(reasons.data.verdict.series).toMatchObject({ trial: 2, wins: 1, ties: 1 });
});

test("all stored runs of a comparison are read as a series", async () => {
  await using server = await talking({ judge: () => "a" });
  const { data } = await server.call("run_scenario", { scenario: "talk", wait_seconds: 50 });
  const full = await server.call("get_session", { session_id: data.session_id, detail: "full" });
  const stored = await server.call("get_session", { session_id: `cmp-${full.data.session.comparison}` });
  expect(stored.data.series).toMatchObject({ planned: null, standing: { trials: 1, wins: 1 } });
});

test("series are listed, and the trials of one", async () => {
  await using server = await talking({ judge: () => "a" });
  const start = async () =>
    (await server.call("run_scenario", { scenario: "talk", trials: 2, wait_seconds: 50 })).data.series_id;
  const ids = [await start(), await start()];
  const list = await server.call("list_sessions", { kind: "series", limit: 1 });
  expect(list.data).toMatchObject({ sessions: [], series: [{ series_id: ids[1] }], next_before: ids[1] });
  expect(list.text).toMatch(/^- series-\S+: talk, .*, completed \(exhausted\), Not known yet, 2 trials; a vs b, /);
  const next = await server.call("list_sessions", { kind: "series", before: ids[1] });
  expect(next.data.series.map(({ series_id }: Place) => series_id)).toEqual([ids[0]]);
  const trials = await server.call("list_sessions", { series_id: ids[0] });
  expect(trials.data.sessions.map(({ trial }: { trial: Place }) => [trial.series_id, trial.trial])).toEqual([
    [ids[0], 2],
    [ids[0], 1],
  ]);
});

test("progress tells the end of each trial, in order", async () => {
  await using server = await talking({ judge: (n) => (n === 2 ? "b" : "a") });
  const told: string[] = [];
  const onprogress = ({ message = "" }: { message?: string | undefined }) => void told.push(message);
  await server.call("run_scenario", { scenario: "talk", trials: 3, wait_seconds: 50 }, { onprogress });
  expect(told).toEqual([
    "trial 1, talk: a won; a 1, b 0, no winner 0, evidence 1.0",
    expect.stringMatching(/^trial 2, talk: b won; a 1, b 1, no winner 0, evidence \d\.\d$/),
    expect.stringMatching(/^trial 3, talk: a won; a 2, b 1, no winner 0, evidence \d\.\d$/),
  ]);
});

test("cancelling the call cancels the series", async () => {
  const reached = Promise.withResolvers<void>();
  const before = async (_side: string, n: number, signal: AbortSignal) => {
    if (n < 3) return;
    reached.resolve();
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  await using server = await talking({ judge: () => "a", before });
  const cancel = new AbortController();
  const call = server.call(
    "run_scenario",
    { scenario: "talk", trials: 9, wait_seconds: 50 },
    { signal: cancel.signal },
  );
  await reached.promise;
  const [series] = server.services.series.all();
  cancel.abort("not needed any more");
  expect(call).rejects.toThrow("not needed any more");
  expect(await series?.done).toMatchObject({ state: "cancelled", stop: "cancelled", standing: { counted: 2 } });
});

test("without waiting the id comes at once, and a series that has ended goes on when it is asked to", async () => {
  await using server = await talking({ judge: () => "a" });
  const { data } = await server.call("run_scenario", { scenario: "talk", trials: 2 });
  expect(data).toMatchObject({ finished: false, series: { state: "running" } });
  await server.services.series.live(data.series_id)?.done;
  const more = { scenario: "talk", trials: 4, continue: data.series_id, wait_seconds: 50 };
  const { data: gone } = await server.call("run_scenario", more);
  expect(gone).toMatchObject({ series_id: data.series_id, series: { standing: { trials: 4, wins: 4 } } });
});

const REFUSED: readonly (readonly [object, string])[] = [
  [{}, "invalid_request: scenario is missing (Scenario name.); several go into scenarios"],
  [{ scenario: "talk", scenarios: ["chat"] }, "invalid_request: scenario: give one name here, or several in scenarios"],
  [{ scenarios: ["talk", "quick"] }, "invalid_request: scenarios/quick.yaml: its arms are does and talks"],
  [{ scenarios: ["talk", "tlak"] }, 'unknown_scenario: there is no scenario "tlak"; did you mean "talk"?'],
  [{ scenario: "talk", trials: 0 }, "invalid_request: trials: expected a whole number from 1 to 1000, got 0"],
  [
    { scenario: "talk", continue: "series-20260102T030405678Z-0123abcd" },
    'unknown_series: there is no series "series-20260102T030405678Z-0123abcd"',
  ],
];

test.each(REFUSED)("a series is refused before anything is spent: %j", async (args, words) => {
  await using server = await talking({ judge: () => "a" });
  const refused = await server.call("run_scenario", { ...args });
  expect([refused.isError, refused.text.slice(0, words.length)]).toEqual([true, words]);
  expect(await server.services.store.list()).toEqual([]);
  expect(await server.services.store.series.list()).toEqual([]);
});

test("what a series has not is refused in words that can be acted on", async () => {
  await using server = await talking({ judge: () => "a" });
  const { data } = await server.call("run_scenario", { scenario: "talk", trials: 1, wait_seconds: 50 });
  const words = async (tool: string, args: object) => (await server.call(tool, { ...args })).text;
  expect(await words("get_session", { session_id: data.series_id, detail: "diff" })).toStartWith(
    "invalid_request: detail: a series has a summary; ask for diff with the session_id of one of its trials",
  );
  expect(await words("get_session", { session_id: "series-x" })).toBe(
    'unknown_series: there is no series "series-x"; list_sessions with kind "series" shows the ids',
  );
  expect(await words("list_sessions", { kind: "series", state: "judging" })).toStartWith("invalid_request: state: ");
  expect(await words("list_sessions", { kind: "series", series_id: data.series_id })).toStartWith(
    'invalid_request: unknown field "series_id"',
  );
});

test("a series of a hundred scenarios fits a result", async () => {
  const names = Array.from({ length: 100 }, (_, n) => `talk-${"of-many-things-".repeat(2)}${n}`);
  await using server = await talking({ judge: () => "tie" }, names);
  const { data } = await server.call("run_scenario", { scenarios: names, trials: 1, parallel: 4 });
  await server.services.series.live(data.series_id)?.done;
  const { bytes, data: read } = await server.call("get_session", { session_id: data.series_id });
  expect(bytes).toBeLessThanOrEqual(RESULT_BYTES);
  expect(read.series).toMatchObject({ scenarios_total: 100, trials_total: 100 });
  expect(read.series.trials.length).toBeGreaterThan(5);
}, 60_000);
