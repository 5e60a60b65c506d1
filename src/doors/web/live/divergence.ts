import type { Decision } from "../../../domain/decision.ts";

/** How many steps both arms began with alike. What a command printed does not count, as it holds times and the like. */
export function commonSteps(a: readonly Decision[], b: readonly Decision[]): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index += 1) if (essence(a[index]) !== essence(b[index])) return index;
  return shorter;
}

/** What was said or done in a step, without what it cost. */
function essence(decision: Decision | undefined): string {
  if (!decision?.detail) return JSON.stringify([decision?.kind, decision?.summary]);
  const { kind, detail } = decision;
  if (kind === "model_turn") return JSON.stringify([kind, detail.text, detail.tools, detail.thread]);
  if (kind === "tool_call") return JSON.stringify([kind, detail.tool, detail.input, detail.ok, detail.exit_code]);
  return JSON.stringify([kind, decision.summary]);
}
