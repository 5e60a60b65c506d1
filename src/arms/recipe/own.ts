import type { ToolTable } from "./recipe.ts";

/** Rows of tools that touch nothing of the workspace. */
export const own = (...names: readonly string[]): ToolTable =>
  Object.fromEntries(names.map((name) => [name, "own" as const]));
