import type { ExternalAgent } from "../../domain/scenario.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { commandRecipe } from "./command-recipe.ts";
import { pi } from "./pi.ts";
import type { Recipe } from "./recipe.ts";

/** The agents that scenarios can name. */
export const RECIPES: readonly Recipe[] = [claudeCode, codex, pi];

/** Of a scenario that was read: an unknown name was refused then. */
export function recipeOf(agent: Pick<ExternalAgent, "use" | "command" | "wires">): Recipe {
  return RECIPES.find(({ name }) => name === agent.use) ?? commandRecipe(agent);
}
