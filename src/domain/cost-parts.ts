import type { SessionOutcome } from "./session.ts";
import { sumKnown } from "./usage.ts";
import { usdText } from "./usd-text.ts";

/** What the run cost, for a reader: both arms, the judge, all of it. A rejudge is not part of it. */
export function costParts({ arms, verdict, totals }: Pick<SessionOutcome, "arms" | "verdict" | "totals">): string[] {
  return [
    `arms ${usdText(sumKnown(arms.map(({ cost_usd }) => cost_usd)))}`,
    `judge ${usdText(verdict?.usage.cost_usd ?? null)}`,
    `total ${usdText(totals.cost_usd)}`,
  ];
}
