import { expect, test } from "bun:test";
import { seriesSource } from "../../src/comparison/planning/prepare-series.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { openSeries } from "../../src/comparison/session/open-series.ts";
import { seriesReport } from "../../src/doors/operation/find-series.ts";
import { testServices } from "../harness.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { againstScript, serveAnswers } from "./served-answer.ts";

test("a series whose one arm is always away stops, and says which arm", async () => {
  await using server = serveAnswers(() => new Response("later", { status: 503, headers: { "retry-after": "0" } }));
  const text = againstScript(`{id: app, endpoint: {url: "${server.url}"}}`);
  await using folder = await scenarioFolder({ "served.yaml": text });
  const services = testServices();
  const source = seriesSource([await loadScenarioFile(folder.path("served.yaml"))]);
  const { done } = await openSeries(services, source, { trials: 10 });
  const { state, missing_by, statement, failure } = await seriesReport(services.store, await done);
  expect(state).toBe("failed");
  expect(missing_by).toEqual({ a: 6, b: 0, both: 0, judge: 0 });
  expect(failure).toStartWith('arm "app": its endpoint at ');
  expect(statement).toContain("The series failed after 0 of 10 planned trials. 6 trials gave no result");
  expect(statement).toContain("ended by app's run");
  expect(server.asked.length).toBe(36);
});
