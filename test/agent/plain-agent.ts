import { join } from "node:path";
import type { RunOptions } from "../../src/comparison/planning/prepare-session.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import type { Arm } from "../../src/domain/arm.ts";
import type { ExternalAgent } from "../../src/domain/external-agent.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { FAKE_KEY, type FakeProvider } from "../fake-provider/fake-provider.ts";
import { runOnce, testServices } from "../harness.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

/** The agent that lies beside the bundled scenarios. */
export const PLAIN_AGENT: ExternalAgent = {
  ...{ use: null, install: null, args: [], env: {}, wires: ["chat"], tools: {}, side_model: "keep" },
  command: ["bun", "/home/agent/agent.mjs", "{base:openai}", "{model}", "{prompt}"],
  files: { dir: join(import.meta.dir, "../../scenarios/agents/plain"), files: {}, digest: "0".repeat(64) },
};

/** An agent that is one shell line, with a JavaScript module of its own where it needs one. */
export const shellAgent = (line: string, module = ""): ExternalAgent => ({
  ...PLAIN_AGENT,
  command: ["sh", "-c", line],
  files: { dir: null, files: { "agent.mjs": module }, digest: "0".repeat(64) },
});

/** A module that asks the model once, with a tool or without. It says what it was answered. */
export const ASKS_ONCE = `
  const body = { model: "m", messages: [{ role: "user", content: "hello" }], tools: [{ type: "function", function: { name: "shell" } }] };
  const headers = { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY };
  const ask = () => fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", headers, body: JSON.stringify(body) });
`;

interface Changes {
  readonly agent?: ExternalAgent;
  readonly arm?: Partial<Arm>;
  /** Lines of YAML below \`policies:\`. */
  readonly policies?: string;
  readonly options?: RunOptions;
  readonly services?: Partial<SessionServices>;
}

/** Runs an agent against a scripted arm on a file that says "one" and should say "two". */
export async function runAgent(
  fake: FakeProvider,
  { agent = PLAIN_AGENT, arm, policies = "{}", options, services: other }: Changes = {},
) {
  await using folder = await scenarioFolder({ "two.yaml": scenario(policies) });
  const loaded = await loadScenarioFile(folder.path("two.yaml"));
  const [first, second] = loaded.definition.arms;
  const definition = { ...loaded.definition, arms: [{ ...first, agent, ...arm }, second] as [Arm, Arm] };
  const notices: string[] = [];
  const services = testServices(fake.environment, { notice: (line) => notices.push(line), ...other });
  const { outcome } = await runOnce(services, { ...loaded, definition }, options);
  return { outcome, notices, summary: outcome.arms[0], decisions: outcome.decisions["agent"] ?? [] };
}

/** Runs an agent with more and more seconds, until it has asked so often in them: on a busy machine it begins late. */
export async function withSeconds<T extends { readonly summary: { readonly turns: number } }>(
  [seconds, turns]: readonly [atFirst: number, turns: number],
  run: (max_seconds: number) => Promise<T>,
): Promise<T> {
  const ran = await run(seconds);
  return ran.summary.turns < turns ? await withSeconds([2 * seconds, turns], run) : ran;
}

export const kindsOf = ({ decisions }: { readonly decisions: SessionOutcome["decisions"][string] }) =>
  decisions.map(({ kind }) => kind);

export const holdsKey = (value: unknown): boolean => JSON.stringify(value).includes(FAKE_KEY);

const scenario = (policies: string) => `name: two
task:
  prompt: Make it two.
  fixture: {files: {a.txt: "one\\n", tests/t.txt: "kept\\n"}}
  probe: {checks: [{id: two, run: grep -q two a.txt, required: true}]}
arms:
  - {id: agent, model: openai/gpt-x, price_per_mtok: {in: 1, out: 2}}
  - {id: script, model: scripted/x, tools: [read_file], script: [{say: done}]}
policies: ${policies}
rubric: {criteria: [{measure: probe_score}]}
`;

export const SCENARIO = scenario("{}");
