import { expect, test } from "bun:test";
import { seriesSource } from "../../src/comparison/planning/prepare-series.ts";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { openSeries } from "../../src/comparison/session/open-series.ts";
import { inheritRuns, resumeRuns } from "../../src/comparison/session/resume-runs.ts";
import { createSession } from "../../src/comparison/session/run/conduct-session.ts";
import { seriesReport } from "../../src/doors/operation/find-series.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { readSession } from "../../src/store/read-session.ts";
import { testServices } from "../harness.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { againstScript, serveAnswers } from "./served-answer.ts";

/** Services whose day can be changed, and a scenario with a deployed arm of which nobody said what runs there. */
async function beforeMidnight() {
  const server = serveAnswers(() => Response.json({ answer: "good" }));
  const folder = await scenarioFolder({ "served.yaml": againstScript(`{id: app, endpoint: {url: "${server.url}"}}`) });
  const loaded = await loadScenarioFile(folder.path("served.yaml"));
  let days = 0;
  const now = () => new Date(systemClock.now().getTime() + days * 86_400_000);
  return {
    loaded,
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

test("a series of an arm without a version goes on after midnight, and another one of that day is another comparison", async () => {
  await using evening = await beforeMidnight();
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
});

test("a run that a worker takes after midnight is of the day on which it was accepted", async () => {
  await using evening = await beforeMidnight();
  const { services, loaded, toNextDay } = evening;
  const plan = await prepareSession(services, loaded, {});
  toNextDay();
  expect((await prepareSession(services, loaded, plan.options)).comparison).toBe(plan.comparison);
  expect((await prepareSession(services, loaded, {})).comparison).not.toBe(plan.comparison);
});

test("a run that a server inherits after midnight is done", async () => {
  await using evening = await beforeMidnight();
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
