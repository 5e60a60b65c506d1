import { expect } from "bun:test";
import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { openSeries } from "../../src/comparison/session/open-series.ts";
import type { Arm } from "../../src/domain/arm.ts";
import { seriesReport } from "../../src/doors/operation/find-series.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { testServices } from "../harness.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { temporaryDirectory } from "../temporary.ts";
import { PLAIN_AGENT, SCENARIO } from "./plain-agent.ts";

const PLAIN = join(import.meta.dir, "../../scenarios/agents/plain");

/** A directory of installs with one, `plain`, that the sandbox's user can read. */
function installed(): Disposable & { readonly path: string } {
  const directory = temporaryDirectory();
  const install = join(directory.path, "plain");
  mkdirSync(install);
  cpSync(PLAIN, install, { recursive: true });
  for (const path of [directory.path, install]) chmodSync(path, 0o755);
  return directory;
}

testNeeding(SANDBOX)("another version of an agent in the middle of a series stops it", async () => {
  using installs = installed();
  const update = () => writeFileSync(join(installs.path, "plain/agent.mjs"), "// another version");
  await using fake = await startFakeProvider({
    reply: () => {
      update();
      return { text: "Done." };
    },
  });
  await using folder = await scenarioFolder({ "two.yaml": SCENARIO });
  const loaded = await loadScenarioFile(folder.path("two.yaml"));
  const agent = { ...PLAIN_AGENT, install: "plain", files: null };
  const command = ["bun", "/opt/agent/agent.mjs", "{base:openai}", "{model}", "{prompt}"];
  const [first, second] = loaded.definition.arms;
  const arms: [Arm, Arm] = [{ ...first, agent: { ...agent, command } }, second];
  const changed = { ...loaded, definition: { ...loaded.definition, arms } };
  const services = testServices(fake.environment, { agents_dir: installs.path });
  const source = { scenarios: [changed], load: async () => changed };
  const { done } = await openSeries(services, source, { trials: 3 });
  const report = await seriesReport(services.store, await done);
  expect(report).toMatchObject({ state: "failed", counts: { trials: 1 } });
  expect(report.failure).toContain("an install of an arm");
});
