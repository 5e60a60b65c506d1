import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import type { SeenRequest } from "../fake-provider/exchange.ts";
import type { FakeProvider } from "../fake-provider/fake-provider.ts";
import { playAgent } from "../fake-provider/play-agent.ts";
import { runOnce, testServices } from "../harness.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { BROKEN, type Cli, PROMPT } from "./clis.ts";
import { AGENTS_DIR } from "./installs.ts";

interface Changes {
  readonly policies?: object;
  /** Fields of \`task:\` beside those of every CLI. */
  readonly task?: object;
  /** Fields of `agent:`, as a scenario writes them. */
  readonly agent?: object;
  /** Other fields of the agent's arm. */
  readonly arm?: object;
}

/** Runs the agent in a session against an arm that does nothing. */
export async function runCli({ environment }: Pick<FakeProvider, "environment">, cli: Cli, changes: Changes = {}) {
  const { policies = {}, agent = {}, task, arm } = changes;
  const arms = [
    { ...armOf("agent", cli, agent), ...arm },
    { id: "script", model: "scripted/x", script: [{ say: "No." }] },
  ];
  const { outcome } = await runArms(testServices(environment, { agents_dir: AGENTS_DIR }), {
    arms,
    policies,
    ...(task && { task: { ...TASK, ...task } }),
  });
  return { outcome, summary: outcome.arms[0], decisions: outcome.decisions["agent"] ?? [] };
}

/** Runs two agents against each other. */
export const runPair = (services: SessionServices, pair: readonly [Cli, Cli]) => runArms(services, pairParts(pair));

/** A scenario, as a file holds it, in which two agents run against each other. */
export const pairScenario = (pair: readonly [Cli, Cli], agent: object) => scenarioOf(pairParts(pair, agent));

const pairParts = (pair: readonly [Cli, Cli], agent: object = {}) => ({
  varies: ["agent", "model"],
  arms: pair.map((cli, i) => armOf(`arm-${i}`, cli, agent)),
});

const scenarioOf = (parts: object) => JSON.stringify({ name: "calc", task: TASK, rubric: RUBRIC, ...parts });

async function runArms(services: SessionServices, parts: object) {
  await using folder = await scenarioFolder({ "calc.yaml": scenarioOf(parts) });
  return await runOnce(services, await loadScenarioFile(folder.path("calc.yaml")));
}

const PRICE = { in: 3, out: 15, cached_in: 0.3, cache_write: 3.75 };

const armOf = (id: string, { use, install, model }: Cli, agent: object = {}) => ({
  ...{ id, model, price_per_mtok: PRICE },
  agent: { use, install, ...agent },
});

/** The task of every CLI: one file that is wrong, and a check that it is mended. */
const TASK = {
  prompt: PROMPT,
  fixture: { files: { "calc.js": BROKEN } },
  probe: { checks: [{ id: "adds", run: "grep -q 'a + b' calc.js" }] },
};

const RUBRIC = { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } };

/** The turns of a CLI, as its provider plays them. */
export const playCli = ({ turns }: Pick<Cli, "turns">) => playAgent([{ knownBy: PROMPT, turns }]);

/** Each CLI gets its own turns; one that asks for a small model of its own asks for a title. */
export const playPair = (pair: readonly [Cli, Cli]) => (request: SeenRequest) =>
  playCli(pair.find((cli) => isFrom(cli, request)) ?? pair[0])(request);

const isFrom = ({ wire, model }: Cli, request: SeenRequest) =>
  wire === request.wire && model.endsWith(`/${request.model}`);
