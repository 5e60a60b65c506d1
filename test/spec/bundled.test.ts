import { expect } from "bun:test";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { openCatalog } from "../../src/comparison/scenario/scenario-catalog.ts";
import type { Arm } from "../../src/domain/arm.ts";
import type { ScenarioListing } from "../../src/domain/scenario.ts";
import { createApp } from "../../src/doors/http/app.ts";
import { SCENARIOS } from "../harness.ts";
import { aService, jsonPost } from "../http/service.ts";
import { verifies } from "./verifies.ts";

const idle = ({ scripts: _, ...arm }: Arm): Arm => ({ ...arm, script: [{ say: "Done." }] });

/** With arms that do nothing, and one check that asks nothing: how each scenario really ends takes long and has tests of its own. */
function withoutWork({ definition, ...loaded }: LoadedScenario): LoadedScenario {
  const { arms, task, policies } = definition;
  const asksNothing = { run: "true", output_matches: null, before: null };
  const checks = (task.probe?.checks ?? []).slice(0, 1).map((check) => ({ ...check, ...asksNothing }));
  const probe = task.probe && { ...task.probe, checks };
  const changes = { task: { ...task, probe }, policies: { ...policies, required: [] } };
  return { ...loaded, definition: { ...definition, ...changes, arms: [idle(arms[0]), idle(arms[1])] } };
}

verifies(["run:compares", "http:runs"], "every bundled scenario runs as one comparison, to its verdict", async () => {
  await using service = aService();
  const bundled = openCatalog(SCENARIOS);
  const catalog = {
    directory: SCENARIOS,
    list: () => bundled.list(),
    get: async (name: string) => withoutWork(await bundled.get(name)),
  };
  const app = createApp({ ...service.services, catalog });
  const ask = async (path: string, init?: RequestInit) =>
    await app.handle(new Request(`http://localhost${path}`, init));
  const listed: ScenarioListing[] = await (await ask("/api/scenarios")).json();
  expect(listed).not.toBeEmpty();
  const ran = listed.map(async ({ name }) => {
    const response = await ask("/api/runs", jsonPost({ scenario: name }));
    const { error, state, failure, verdict } = await response.json();
    return { name, status: response.status, error, state, failure, kind: verdict?.kind };
  });
  expect(await Promise.all(ran)).toEqual(
    listed.map(({ name }) => ({ name, status: 200, error: undefined, state: "completed", failure: null, kind: "run" })),
  );
});
