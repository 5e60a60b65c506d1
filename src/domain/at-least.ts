import type { ArmSummary, SessionOutcome } from "./session.ts";
import { sumKnown } from "./usage.ts";
import { usdText } from "./usd-text.ts";

/** A figure that is known, or of which only a part is: then it is this much at least. */
export interface Known {
  readonly value: number | null;
  readonly is_least: boolean;
}

/** What an arm cost, USD. */
export const knownCost = ({ cost_usd, at_least }: Pick<ArmSummary, "cost_usd" | "at_least">): Known =>
  cost_usd === null && at_least ? { value: at_least.cost_usd, is_least: true } : { value: cost_usd, is_least: false };

/** Tokens of an arm, on one side or both. */
export function knownTokens(arm: ArmSummary, sides: readonly ("tokens_in" | "tokens_out")[]): Known {
  const { at_least } = arm;
  const whole = sumKnown(sides.map((side) => arm[side]));
  if (whole !== null || !at_least) return { value: whole, is_least: false };
  return { value: sumKnown(sides.map((side) => at_least[side])), is_least: true };
}

/** `text` writes the figure. */
export const leastText = ({ value, is_least }: Known, text: (value: number | null) => string): string =>
  is_least && value !== null ? `at least ${text(value)}` : text(value);

/** Why not all of what the arms used is known, a line for each arm. */
export const whyUnknown = (arms: readonly Pick<ArmSummary, "arm_id" | "at_least">[]): string[] =>
  arms.flatMap(({ arm_id, at_least }) => (at_least ? [`${arm_id}: ${at_least.why}`] : []));

/** The cost of a run for a reader: both arms, the judge, and their sum. It does not include a rejudge. */
export function costParts({ arms, verdict, totals }: Pick<SessionOutcome, "arms" | "verdict" | "totals">): string[] {
  const costs = arms.map(knownCost);
  const ofArms = { value: sumKnown(costs.map(({ value }) => value)), is_least: costs.some(({ is_least }) => is_least) };
  return [
    `arms ${leastText(ofArms, usdText)}`,
    `judge ${usdText(verdict?.usage.cost_usd ?? null)}`,
    `total ${usdText(totals.cost_usd)}`,
    ...whyUnknown(arms),
  ];
}
