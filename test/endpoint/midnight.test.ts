import { expect, test } from "bun:test";
import { seriesSource } from "../../src/comparison/planning/prepare-series.ts";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { storedBaseline } from "../../src/comparison/session/baseline.ts";
import { openSeries } from "../../src/comparison/session/open-series.ts";
import { inheritRuns, resumeRuns } from "../../src/comparison/session/resume-runs.ts";
import { createSession } from "../../src/comparison/session/run/conduct-session.ts";
import { seriesReport } from "../../src/doors/operation/find-series.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { readSession } from "../../src/store/read-session.ts";
import { testServices } from "../harness.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { againstScript, serveAnswers } from "./served-answer.ts";

/** Something of which nobody said what runs there. */
const UNVERSIONED = {
  "an arm": (url: string) => againstScript(`{id: app, endpoint: {url: "${url}"}}`),
  "a check": (url: string) =>
    againstScript("{id: app, model: scripted/y, script: [{say: good}]}").replace(
      "arms:\n",
      `      - {id: polite, posted: {url: "${url}"}}\narms:\n`,
    ),
};
type Unversioned = keyof typeof UNVERSIONED;
const EACH = Object.keys(UNVERSIONED) as Unversioned[];

/** Services whose day can be changed, and a scenario. */
async function beforeMidnight(what: Unversioned) {
  const server = serveAnswers(() => Response.json({ answer: "good", pass: true }));
  const folder = await scenarioFolder({ "served.yaml": UNVERSIONED[what](server.url) });
  const read = () => loadScenarioFile(folder.path("served.yaml"));
  const loaded = await read();
  let days = 0;
  const now = () => new Date(systemClock.now().getTime() + days * 86_400_000);
  return {
    ...{ loaded, read },
    name: (version: string) => folder.write("served.yaml", UNVERSIONED[what](`${server.url}", version: "${version}`)),
    services: testServices({}, { clock: { ...systemClock, now } }),
    toNextDay: () => {
      days += 1;
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test.each(EACH)(
  "a series of %s without a version goes on after midnight, and another one of that day is another comparison",
  async (what) => {
    await using evening = await beforeMidnight(what);
    const { services, toNextDay } = evening;
    const source = seriesSource([evening.loaded]);
    const first = await openSeries(services, source, { trials: 1 });
    await first.done;
    toNextDay();
    const { done } = await openSeries(services, source, { trials: 2, goOn: first.series_id });
    const report = await seriesReport(services.store, await done);
    expect(report).toMatchObject({
      series_id: first.series_id,
      trials: [
        { trial: 1, state: "completed" },
        { trial: 2, state: "completed" },
      ],
    });
    const other = await openSeries(services, source, { trials: 1 });
    const comparisonsOf = async (series_id: string) =>
      (await services.store.series.read(series_id))?.plan.scenarios.map(({ comparison }) => comparison);
    await other.done;
    expect(await comparisonsOf(other.series_id)).not.toEqual(await comparisonsOf(first.series_id));
  },
);

test.each(EACH)(
  "a run with %s that a worker takes after midnight is of the day on which it was accepted",
  async (what) => {
    await using evening = await beforeMidnight(what);
    const { services, loaded, toNextDay } = evening;
    const plan = await prepareSession(services, loaded, {});
    toNextDay();
    expect((await prepareSession(services, loaded, plan.options)).comparison).toBe(plan.comparison);
    expect((await prepareSession(services, loaded, {})).comparison).not.toBe(plan.comparison);
  },
);

test.each(EACH)("a run with %s that a server inherits after midnight is done", async (what) => {
  await using evening = await beforeMidnight(what);
  const services = { ...evening.services, catalog: { get: async () => evening.loaded } };
  const plan = await prepareSession(services, evening.loaded, {});
  const run = await createSession(services, { plan, place: undefined, requester: {} }, (entry) =>
    services.store.create(entry),
  );
  evening.toNextDay();
  await resumeRuns(services, inheritRuns(services, [run]));
  await Promise.all(services.runs.all().map(({ done }) => done));
  expect(await readSession(services.store, run.session_id)).toMatchObject({ state: "completed", failure: null });
});

test.each(EACH)("a stored run does not stand in where %s has no version", async (what) => {
  await using evening = await beforeMidnight(what);
  const { services, loaded } = evening;
  const ended = async (of: LoadedScenario, series_id?: string) => {
    const baseline = series_id === undefined ? undefined : await storedBaseline(services.store, series_id);
    const source = { ...seriesSource([of]), ...(baseline && { baseline }) };
    return await (await openSeries(services, source, { trials: 1 })).done;
  };
  const field = what === "an arm" ? 'arm "app" has no endpoint.version' : 'check "polite" has no posted.version';
  const first = await ended(loaded);
  await expect(ended(loaded, first.series_id)).rejects.toThrow(`${field}, so it is not known whether what runs there`);
  await evening.name("1");
  const named = await ended(await evening.read());
  const again = await ended(await evening.read(), named.series_id);
  expect(again).toMatchObject({ state: "completed", plan: { baseline: { series_id: named.series_id } } });
});
