import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Series } from "../../src/domain/series.ts";
import { abeval } from "../abeval.ts";
import type { FakeProvider } from "../fake-provider/fake-provider.ts";
import { startTalkProvider } from "../fake-provider/talk.ts";
import { SANDBOX_MODE } from "../machine.ts";
import { connectProgram } from "../mcp/client.ts";
import { type Talk, talkText } from "../session/series.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";
import { type Served, serve } from "./served.ts";
import { jsonPost } from "./service.ts";

/** Room for scenarios and sessions, with the scenario `talk`. */
function aDirectory() {
  const directory = temporaryDirectory();
  const scenarios = join(directory.path, "scenarios");
  mkdirSync(scenarios);
  const file = join(scenarios, "talk.yaml");
  writeFileSync(file, talkText("talk", "gateway"));
  const state = join(directory.path, "state");
  return {
    ...{ file, state, flags: ["--scenarios-dir", scenarios, "--state-dir", state] },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

const environmentOf = ({ environment }: FakeProvider) => ({ ABEVAL_SANDBOX: SANDBOX_MODE, ...environment });

async function start({ url }: Served, request: object): Promise<string> {
  const response = await fetch(`${url}/api/series`, jsonPost({ scenarios: ["talk"], ...request }));
  expect(response.status).toBe(202);
  return ((await response.json()) as { series_id: string }).series_id;
}

const read = async ({ url }: Served, series_id: string) =>
  (await (await fetch(`${url}/api/series/${series_id}`)).json()) as Series;

/** The report when the series has ended. */
async function ended(served: Served, series_id: string): Promise<Series> {
  await (await fetch(`${served.url}/api/series/${series_id}/stream`)).text();
  return await read(served, series_id);
}

/** A door runs a series to its end. */
type Door = (directory: ReturnType<typeof aDirectory>, provider: FakeProvider) => Promise<Series>;

const DOORS: Readonly<Record<string, Door>> = {
  async "the command line"({ file, state }, provider) {
    const { stdout, stderr, status } = await abeval(
      ["run", file, "--stop-when-sure", "--quiet", "--state-dir", state],
      { env: environmentOf(provider) },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    return JSON.parse(stdout) as Series;
  },
  async HTTP({ flags }, provider) {
    await using served = await serve(flags, environmentOf(provider));
    return await ended(served, await start(served, { stop_when_sure: true }));
  },
  async MCP({ flags }, provider) {
    await using server = await connectProgram(["mcp", ...flags], environmentOf(provider));
    const { data } = await server.call("run_scenario", { scenario: "talk", stop_when_sure: true, wait_seconds: 50 });
    const { win_rate, low, high, e, ...counts } = data.series.standing;
    return { ...data.series, headline: { win_rate, low, high, e }, counts };
  },
};

/** What every door tells of a series. */
const said = ({ state, stop, conclusion, statement, flags, counts, headline }: Series) => ({
  ...{ state, stop, conclusion, statement, flags },
  counts: [counts.trials, counts.wins, counts.ties, counts.losses],
  headline: [headline.win_rate, headline.low, headline.high, headline.e],
});

test("one series says the same through every door", async () => {
  const told: (readonly [string, ReturnType<typeof said>])[] = [];
  for (const [name, door] of Object.entries(DOORS)) {
    using directory = aDirectory();
    const judge: Talk["judge"] = (n) => (n === 3 ? "b" : n === 5 ? "tie" : "a");
    await using provider = await startTalkProvider({ judge });
    told.push([name, said(await door(directory, provider))]);
  }
  const [[, first] = []] = told;
  expect(first).toMatchObject({ state: "completed", stop: "sure", conclusion: "a_preferred", counts: [13, 11, 1, 1] });
  expect(told).toEqual(Object.keys(DOORS).map((name) => [name, first as NonNullable<typeof first>]));
}, 60_000);

/** A provider whose arm a waits in its third run until it is let go. */
async function waiting() {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  let most = 0;
  const provider = await startTalkProvider({
    judge: () => "a",
    async before(side, n) {
      if (side !== "a") return;
      most = Math.max(most, n);
      if (n !== 3) return;
      reached.resolve();
      await opened.promise;
    },
  });
  return { provider, reached: reached.promise, open: () => opened.resolve(), runs: () => most };
}

test("a server that is told to stop ends the trial in flight and starts none; the series goes on with the next one", async () => {
  using directory = aDirectory();
  const { provider, reached, open, runs } = await waiting();
  await using _provider = provider;
  let series_id: string;
  {
    await using served = await serve([...directory.flags, "--grace", "30"], environmentOf(provider));
    series_id = await start(served, { trials: 5 });
    await reached;
    const stopped = served.stop();
    await until(() => served.log().includes("stopping: "));
    open();
    expect(await stopped).toEqual({ status: 0 });
  }
  expect(runs()).toBe(3);
  await using served = await serve(directory.flags, environmentOf(provider));
  expect(await read(served, series_id)).toMatchObject({
    ...{ state: "interrupted", stop: null, failure: expect.stringContaining("server was stopped") },
    counts: { trials: 3, wins: 3, failed: 0 },
  });
  await start(served, { continue: series_id });
  expect(await ended(served, series_id)).toMatchObject({
    ...{ state: "completed", stop: "exhausted", failure: null },
    counts: { trials: 5, wins: 5, failed: 0 },
  });
}, 60_000);
