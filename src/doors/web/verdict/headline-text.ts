import { whyNobody } from "../../../domain/no-winner.ts";
import type { Comparison } from "./comparison.ts";

/** Who won, or in a few words why nobody did. */
export function headlineText({ verdict, a, b }: Comparison): string {
  const { outcome, winner_side } = verdict;
  if (outcome !== "winner" || winner_side === null) return whyNobody(verdict);
  return `${winner_side === "a" ? a.name : b.name} won`;
}
