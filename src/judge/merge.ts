import type { Outcome, Side } from "../domain/verdict.ts";

/** Which side a call's scores name, arm frame. */
export type Label = Side | "tie";

export interface Merged {
  readonly outcome: Outcome;
  readonly winner_side: Side | null;
  /** Whom an inconclusive pair leans to. */
  readonly lean_side: Side | null;
  /** Mean of both labels, +1 for arm a; null without two valid calls. */
  readonly net_vote: number | null;
  /** Share of the calls whose label is the final one. */
  readonly agreement: number | null;
  /** Half the difference of both labels; positive: the arm shown first was favoured. */
  readonly position_pull: number | null;
}

const VOTE: Record<Label, number> = { a: 1, tie: 0, b: -1 };

/**
 * Both presentation orders, one call each, become one outcome; null is a call without a valid answer. The rule is
 * antisymmetric: exchanging the arms mirrors the result, so a judge that only sees positions can never name a winner.
 */
export function mergeOrders(ab: Label | null, ba: Label | null): Merged {
  if (ab === null || ba === null)
    return {
      outcome: "invalid",
      winner_side: null,
      lean_side: null,
      net_vote: null,
      agreement: 0,
      position_pull: null,
    };
  const net_vote = (VOTE[ab] + VOTE[ba]) / 2;
  const position_pull = (VOTE[ab] - VOTE[ba]) / 2;
  return { ...outcomeOf(ab, ba), net_vote, position_pull };
}

function outcomeOf(ab: Label, ba: Label): Pick<Merged, "outcome" | "winner_side" | "lean_side" | "agreement"> {
  const [first, second] = [ab, ba].filter((label) => label !== "tie");
  if (first === undefined) return { outcome: "tie", winner_side: null, lean_side: null, agreement: 1 };
  if (second === undefined) return { outcome: "inconclusive", winner_side: null, lean_side: first, agreement: 0.5 };
  if (first !== second) return { outcome: "inconsistent", winner_side: null, lean_side: null, agreement: 0 };
  return { outcome: "winner", winner_side: first, lean_side: null, agreement: 1 };
}
