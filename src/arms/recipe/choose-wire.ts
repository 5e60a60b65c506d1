import type { ExternalAgent, WireName } from "../../domain/external-agent.ts";
import { recipeOf } from "./recipes.ts";

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
