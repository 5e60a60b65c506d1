import { firmnessText } from "../../../domain/firmness-text.ts";
import type { Confidence, Outcome, Side } from "../../../domain/verdict.ts";
import { named } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";

const OUTCOMES: Record<Outcome, string> = {
  winner: "Winner",
  tie: "Tie",
  inconclusive: "Inconclusive",
  inconsistent: "Inconsistent",
  invalid: "No usable judgement",
};

/** Also of an outcome that a newer version has added. */
export const outcomeText = (outcome: string) => named<string>(OUTCOMES, outcome);

export function OutcomeName({ outcome, side, name }: { outcome: Outcome; side: Side | null; name: string | null }) {
  if (outcome !== "winner" || side === null) return <span class="outcome">{outcomeText(outcome)}</span>;
  return (
    <span class="outcome">
      {OUTCOMES.winner}: <ArmName side={side} name={name ?? side} />
    </span>
  );
}

const LEVELS: Record<Confidence, number> = { none: 0, low: 1, medium: 2, high: 3 };

export function ConfidenceName({ confidence }: { confidence: Confidence }) {
  return (
    <span class="confidence">
      <span aria-hidden="true">{"●".repeat(LEVELS[confidence]) + "○".repeat(3 - LEVELS[confidence])}</span>{" "}
      {firmnessText(confidence) ?? "none"}
    </span>
  );
}
