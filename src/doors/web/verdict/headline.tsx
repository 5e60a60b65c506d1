import { whyNobody } from "../../../domain/no-winner.ts";
import { ArmName } from "../part/arm-name.tsx";
import type { Comparison } from "./comparison.ts";

/** Who won, in its colour, or in a few words why nobody did. */
export function Headline({ comparison }: { comparison: Comparison }) {
  const { outcome, winner_side } = comparison.verdict;
  if (outcome !== "winner" || winner_side === null) return <>{whyNobody(comparison.verdict)}</>;
  return (
    <span class={`preferred side-${winner_side}`}>
      <ArmName side={winner_side} name={comparison[winner_side].name} /> won
    </span>
  );
}
