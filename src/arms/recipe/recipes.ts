import type { ExternalAgent } from "../../domain/external-agent.ts";
import { claudeCode } from "./agents/claude-code.ts";
import { cline } from "./agents/cline.ts";
import { codex } from "./agents/codex.ts";
import { continueCli } from "./agents/continue.ts";
import { copilot } from "./agents/copilot.ts";
import { geminiCli } from "./agents/gemini-cli.ts";
import { opencode } from "./agents/opencode.ts";
import { pi } from "./agents/pi.ts";
import { qwenCode } from "./agents/qwen-code.ts";
import { commandRecipe } from "./command-recipe.ts";
import type { Recipe } from "./recipe.ts";

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
