import type { ExternalAgent } from "../../domain/external-agent.ts";
import { PROVIDER_PATHS, promptHome, providerVariables } from "./inside.ts";
import type { AgentLaunch, Recipe } from "./recipe.ts";
import { outputAsItIs } from "./unwrap-output.ts";

const PLACEHOLDER = /\{([a-z_]+(?::[a-z_]*)?)\}/g;

/** The names in braces, known or not. */
export const placeholdersIn = (argument: string): string[] =>
  [...argument.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);

/** An agent of which the scenario says itself how it is started; its tools are known by the shape of their calls. */
export const commandRecipe = (agent: Pick<ExternalAgent, "command" | "wires">): Recipe => ({
  name: "command",
  title: "a command of the scenario",
  identities: [],
  wires: agent.wires.length > 0 ? agent.wires : ["anthropic", "chat", "responses", "gemini"],
  packages: [],
  programs: [],
  tested: [],
  min_node: null,
  tools: {},
  side_model: "same",
  notes: ["**/CLAUDE.md", "**/AGENTS.md", "**/GEMINI.md"],
  start: (launch) => {
    const [program = "", ...rest] = (agent.command ?? []).map((argument) => filled(argument, launch));
    const { anthropic, openai, google } = providerVariables(launch);
    const isNeeded = agent.command?.some((argument) => placeholdersIn(argument).includes("prompt_file"));
    return {
      command: [program, ...rest, ...launch.args],
      environment: { ...anthropic, ...openai, ...google },
      home: isNeeded ? promptHome(launch) : {},
    };
  },
  unwrap: outputAsItIs,
});

/** Each placeholder once: what a prompt holds in braces stays as it is. */
function filled(argument: string, { prompt, prompt_file, model, key, base }: AgentLaunch): string {
  const bases = Object.entries(PROVIDER_PATHS).map(([provider, path]): [string, string] => [
    `base:${provider}`,
    base + path,
  ]);
  const values = new Map([...Object.entries({ prompt, prompt_file, model, key }), ...bases]);
  return argument.replace(PLACEHOLDER, (written, name: string) => values.get(name) ?? written);
}
