import { usdText } from "./number-text.ts";
import type { ArmSummary, AtLeast, SessionOutcome, SessionTotals } from "./session.ts";
import { judgingsOf, priceDateOf, sumKnown } from "./usage.ts";

/** A figure that is known, or of which only a part is: then it is this much at least. */
interface Known {
  readonly value: number | null;
  readonly is_least: boolean;
}

/** What an arm or a whole run cost, USD. */
export const knownCost = ({ cost_usd, at_least }: Pick<Used, "cost_usd" | "at_least">): Known =>
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
    `total ${leastText(knownCost(totals), usdText)}${priceDateText(priceDateOf({ arms, verdict }).price_date)}`,
    ...whyUnknown(arms),
  ];
}

/** Says which list prices a cost rests on; empty for those that the user gave. */
export const priceDateText = (price_date: string | undefined): string =>
  price_date === undefined ? "" : ` (list price of ${price_date})`;

interface Used {
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  readonly cost_usd: number | null;
  readonly at_least?: AtLeast | undefined;
}

/** Arms and judge together, of attempts that were lost too. */
export function sumTotals(outcome: SessionOutcome): SessionTotals {
  const { lost_attempts = [], started_at, finished_at } = outcome;
  // What another session ran is in its totals.
  const arms = outcome.arms.filter(({ shared }) => shared === undefined);
  const judgings = judgingsOf(outcome);
  const parts: readonly Used[] = [...arms, ...judgings, ...lost_attempts];
  const why = [
    ...arms.filter(isPartly).map(({ arm_id, at_least }) => `${arm_id}: ${at_least?.why ?? "its use is not known"}`),
    ...(judgings.some(isPartly) ? ["not all that the judge used is known"] : []),
    ...(lost_attempts.some(isPartly) ? ["not all that lost attempts used is known"] : []),
  ];
  return {
    ...sumOf(parts),
    wall_ms: started_at && finished_at ? between(started_at, finished_at) : null,
    ...(why.length > 0 && { at_least: { ...leastOf(parts), why: why.join("; ") } }),
  };
}

/** Milliseconds. Null where the clock was set back meanwhile: nobody knows how long it took. */
function between(started_at: string, finished_at: string): number | null {
  const ms = Date.parse(finished_at) - Date.parse(started_at);
  return ms < 0 ? null : ms;
}

/** Some of it is unknown, and not for want of a price alone. */
const isPartly = ({ tokens_in, tokens_out, at_least }: Used) =>
  at_least !== undefined || tokens_in === null || tokens_out === null;

const sumOf = (parts: readonly Used[]) => ({
  tokens_in: sumKnown(parts.map(({ tokens_in }) => tokens_in)),
  tokens_out: sumKnown(parts.map(({ tokens_out }) => tokens_out)),
  cost_usd: sumKnown(parts.map(({ cost_usd }) => cost_usd)),
});

function leastOf(parts: readonly Used[]): Omit<AtLeast, "why"> {
  const sum = (side: "tokens_in" | "tokens_out") =>
    parts.reduce((total, part) => total + (part[side] ?? part.at_least?.[side] ?? 0), 0);
  return { tokens_in: sum("tokens_in"), tokens_out: sum("tokens_out"), cost_usd: sumKnown(parts.map(leastCost)) };
}

/** Null where only a price is missing. */
const leastCost = (part: Used): number | null =>
  part.cost_usd ?? (part.at_least ? part.at_least.cost_usd : isPartly(part) ? 0 : null);
