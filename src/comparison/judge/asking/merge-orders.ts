import type { Outcome, Side } from "../../../domain/verdict.ts";
import type { Label } from "../verdict/score-table.ts";

export interface Merged {
  readonly outcome: Outcome;
  readonly winner_side: Side | null;
  /** The arm that one order names while the other names a tie. */
  readonly lean_side: Side | null;
  /** Mean of both labels, +1 for arm a; null without two valid calls. */
  readonly net_vote: number | null;
  /** Share of the calls whose label is the final one. */
  readonly agreement: number | null;
  /** Half the difference of both labels. It is positive when the arm shown first was favoured. */
  readonly position_pull: number | null;
}

const VOTE: Record<Label, number> = { a: 1, tie: 0, b: -1 };

const NOBODY = { winner_side: null, lean_side: null } as const;

const NO_VOTES = { ...NOBODY, net_vote: null, agreement: 0, position_pull: null } as const;

/** Both answers are usable, but no criterion that they support has weight. */
export const NOTHING_WEIGHED: Merged = { ...NO_VOTES, outcome: "inconclusive" };

/**
 * Merges the labels of both orders; null is a call without a usable answer. Exchanging the arms mirrors the result, so a
 * judge that only sees positions never names a winner.
 */
export function mergeOrders(ab: Label | null, ba: Label | null): Merged {
  if (ab === null || ba === null) return { ...NO_VOTES, outcome: "invalid" };
  const net_vote = (VOTE[ab] + VOTE[ba]) / 2;
  const position_pull = (VOTE[ab] - VOTE[ba]) / 2;
  return { ...outcomeOf(ab, ba), net_vote, position_pull };
}

function outcomeOf(ab: Label, ba: Label): Pick<Merged, "outcome" | "winner_side" | "lean_side" | "agreement"> {
  const [first, second] = [ab, ba].filter((label) => label !== "tie");
  if (first === undefined) return { ...NOBODY, outcome: "tie", agreement: 1 };
  if (second === undefined) return { ...NOBODY, outcome: "inconclusive", lean_side: first, agreement: 0.5 };
  if (first !== second) return { ...NOBODY, outcome: "inconsistent", agreement: 0 };
  return { ...NOBODY, outcome: "winner", winner_side: first, agreement: 1 };
}
