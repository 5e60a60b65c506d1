import type { ExternalAgent } from "../../domain/external-agent.ts";
import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { commandRecipe } from "./command-recipe.ts";
import { continueCli } from "./continue.ts";
import { copilot } from "./copilot.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";
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

/** Of a scenario that was read: an unknown name was refused then. */
export function recipeOf(agent: Pick<ExternalAgent, "use" | "command" | "wires">): Recipe {
  return RECIPES.find(({ name }) => name === agent.use) ?? commandRecipe(agent);
}
