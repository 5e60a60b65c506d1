import { loadScenarioFile } from "../../src/scenario/load-scenario.ts";
import type { FakeProvider } from "../fake-provider/fake-provider.ts";
import { playAgent } from "../fake-provider/play-agent.ts";
import { runOnce, testServices } from "../harness.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { BROKEN, type Cli, PROMPT } from "./clis.ts";
import { AGENTS_DIR } from "./installs.ts";

interface Changes {
  readonly policies?: object;
  /** Fields of `agent:`, as a scenario writes them. */
  readonly agent?: object;
}

const PRICE = { in: 3, out: 15, cached_in: 0.3, cache_write: 3.75 };

/** Runs the agent in a session against an arm that does nothing. */
export async function runCli(fake: Pick<FakeProvider, "environment">, cli: Cli, changes: Changes = {}) {
  await using folder = await scenarioFolder({ "calc.yaml": JSON.stringify(scenario(cli, changes)) });
  const notices: string[] = [];
  const services = testServices(fake.environment, { agents_dir: AGENTS_DIR, notice: (line) => notices.push(line) });
  const { outcome } = await runOnce(services, await loadScenarioFile(folder.path("calc.yaml")));
  return { outcome, notices, summary: outcome.arms[0], decisions: outcome.decisions["agent"] ?? [] };
}

/** The turns of a CLI, as its provider plays them. */
export const playCli = ({ turns }: Pick<Cli, "turns">) => playAgent([{ knownBy: PROMPT, turns }]);

/** The task of every CLI: one file that is wrong, and a check that it is mended. */
export const TASK = {
  prompt: PROMPT,
  fixture: { files: { "calc.js": BROKEN } },
  probe: { checks: [{ id: "adds", run: "grep -q 'a + b' calc.js" }] },
};

export const RUBRIC = { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } };

const scenario = ({ use, install, model }: Cli, { policies = {}, agent = {} }: Changes) => ({
  ...{ name: "calc", task: TASK, policies, rubric: RUBRIC },
  arms: [
    { id: "agent", model, price_per_mtok: PRICE, agent: { use, install, ...agent } },
    { id: "script", model: "scripted/x", script: [{ say: "Nothing to do." }] },
  ],
});
