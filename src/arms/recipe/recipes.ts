import type { ExternalAgent, WireName } from "../../domain/external-agent.ts";
import { claudeCode } from "./agents/claude-code.ts";
import { cline } from "./agents/cline.ts";
import { codex } from "./agents/codex.ts";
import { continueCli } from "./agents/continue.ts";
import { copilot } from "./agents/copilot.ts";
import { geminiCli } from "./agents/gemini-cli.ts";
import { opencode } from "./agents/opencode.ts";
import { pi } from "./agents/pi.ts";
import { qwenCode } from "./agents/qwen-code.ts";
import { PROVIDER_PATHS, promptHome, providerVariables } from "./inside.ts";
import type { AgentLaunch, Recipe } from "./recipe.ts";
import { outputAsItIs } from "./unwrap-output.ts";

/** The agents that scenarios can name. */
export const RECIPES: readonly Recipe[] = [
  claudeCode,
  codex,
  opencode,
  geminiCli,
  qwenCode,
  pi,
  continueCli,
  copilot,
  cline,
];

export const RECIPE_NAMES = RECIPES.map(({ name }) => name);

/** The recipe of an agent in a scenario that was read: unknown names were refused then. */
export function recipeOf(agent: Pick<ExternalAgent, "use" | "command" | "wires">): Recipe {
  return RECIPES.find(({ name }) => name === agent.use) ?? commandRecipe(agent);
}

/** What providers speak besides or instead of OpenAI's two. */
const SPOKEN: Readonly<Record<string, readonly WireName[]>> = {
  scripted: [],
  anthropic: ["anthropic"],
  google: ["gemini", "chat"],
  mistral: ["chat"],
  deepseek: ["chat"],
};

/** These have one address, which speaks no Anthropic. Any other may have a second one, `<NAME>_ANTHROPIC_BASE_URL`. */
const OF_ONE_ADDRESS = ["scripted", "openai", "google", "mistral"];

/** A gateway of any other name may speak both. */
const OPENAI_WIRES: readonly WireName[] = ["responses", "chat"];

const PRODUCT_OF: Readonly<Record<WireName, string>> = {
  anthropic: "Anthropic's messages",
  chat: "OpenAI's chat completions",
  responses: "OpenAI's responses",
  gemini: "Gemini's API",
};

const PROVIDER_OF: Readonly<Record<WireName, string>> = {
  anthropic: "anthropic",
  chat: "openai",
  responses: "openai",
  gemini: "google",
};

type Speaker = Pick<ExternalAgent, "use" | "command" | "wires">;

/** The first wire of the agent that the provider of `<provider>/<model>` speaks; null when they have none in common. */
export function wireOf(agent: Speaker, model: string): WireName | null {
  const spoken = SPOKEN[providerOf(model)] ?? OPENAI_WIRES;
  const wire = agent.wires.find((one) => spoken.includes(one));
  if (wire !== undefined) return wire;
  return agent.wires.includes("anthropic") && !OF_ONE_ADDRESS.includes(providerOf(model)) ? "anthropic" : null;
}

/** Why an agent cannot use a model, with what to do. */
export function wireProblem(agent: Speaker, model: string): string | null {
  if (wireOf(agent, model) !== null) return null;
  const wires = agent.wires;
  const [preferred = "anthropic"] = wires;
  if (providerOf(model) === "scripted") return `${model} replays a script, and an external agent asks a real model`;
  const provider = PROVIDER_OF[preferred];
  const spoken = wires.map((wire) => PRODUCT_OF[wire]).join(" or ");
  return (
    `${recipeOf(agent).title} speaks ${spoken}, and ${providerOf(model)} does not; name a model as ${provider}/<model>, ` +
    `and set ${provider.toUpperCase()}_BASE_URL to a gateway that translates when the model is another provider's`
  );
}

const providerOf = (model: string) => model.slice(0, Math.max(0, model.indexOf("/"))).toLowerCase();

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
