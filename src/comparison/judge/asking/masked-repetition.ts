import type { Outcome, Side } from "../../../domain/verdict.ts";
import { exceeds, type Label } from "../verdict/score-table.ts";

/** Both orders of one hearing, merged, with each order's weighted gap from arm a. */
export interface Hearing {
  readonly merged: Merged;
  /** Null when an order has no gap. */
  readonly gaps: readonly [ab: number, ba: number] | null;
}

/**
 * What the masked repetition, without the arms' words, did to the result of the first.
 * - `none`: there was none, or nothing depended on it.
 * - `confirms`: it names the same winner.
 * - `unconfirmed`: it names no winner, but the gap fell by no more than the judge's noise.
 * - `unusable`: it gave no usable answer.
 * - `not_held`: the winner's words are suspected and could not be left out.
 * - `overturns`: words had moved the result.
 */
export type MaskedRepetition = "none" | "confirms" | "unconfirmed" | "unusable" | "not_held" | "overturns";

export interface HearingsOutcome {
  readonly outcome: Outcome;
  readonly winner_side: Side | null;
  readonly lean_side: Side | null;
  readonly second: MaskedRepetition;
}

/** The scores of one judge on the same evidence move by this much from hearing to hearing. */
export const NOISE = 0.15;

/**
 * Exchanging the arms mirrors the result. A winner that the masked repetition does not name stays only when nobody suspects
 * its words and the gap fell by no more than noise. A suspected arm gets the worse of the two hearings, so that planting
 * never pays: what its words took from the other arm comes back as the other's lean.
 */
export function compareWithMasked(first: Hearing, second: Hearing, suspects: ReadonlySet<Side>): HearingsOutcome {
  const { outcome, winner_side, lean_side } = first.merged;
  const kept = (how: MaskedRepetition): HearingsOutcome => ({ outcome, winner_side, lean_side, second: how });
  if (second.merged.outcome === "invalid") return winner_side ? onlyLean(winner_side, "unusable") : kept("unusable");
  if (winner_side === null) {
    const worse = [...suspects].some((side) => rank(second.merged, side) < rank(first.merged, side));
    const lean = leanOf(first, second, suspects);
    return worse && lean !== lean_side ? onlyLean(lean, "overturns") : kept("none");
  }
  if (second.merged.winner_side === winner_side) return kept("confirms");
  if (!suspects.has(winner_side) && !moved(first, second, winner_side)) return kept("unconfirmed");
  return onlyLean(leanOf(first, second, suspects), "overturns");
}

/** Without a masked repetition a suspected winner is only a lean: its words may have moved the result. */
export function withoutMaskedRepetition({ merged }: Hearing, suspects: ReadonlySet<Side>): HearingsOutcome {
  const { outcome, winner_side, lean_side } = merged;
  if (winner_side !== null && suspects.has(winner_side)) return onlyLean(winner_side, "not_held");
  return { outcome, winner_side, lean_side, second: "none" };
}

const onlyLean = (lean_side: Side | null, second: MaskedRepetition): HearingsOutcome => ({
  outcome: "inconclusive",
  winner_side: null,
  lean_side,
  second,
});

/** Whom the masked repetition favours. A suspected arm that the first did not favour gets no lean. */
function leanOf(first: Hearing, second: Hearing, suspects: ReadonlySet<Side>): Side | null {
  const side = favoured(second.merged);
  return side !== null && suspects.has(side) && favoured(first.merged) !== side ? null : side;
}

const favoured = ({ winner_side, lean_side }: Merged) => winner_side ?? lean_side;

/** How well this arm comes off: 2 for a win to -2 for a loss. */
function rank({ winner_side, lean_side }: Merged, side: Side): number {
  const [strength, other] = winner_side ? [2, winner_side] : [lean_side ? 1 : 0, lean_side];
  return other === side ? strength : -strength;
}

/** The gap fell by more than noise. Where the orders disagree about how far it fell, that difference is the noise. */
function moved(first: Hearing, second: Hearing, winner: Side): boolean {
  if (first.gaps === null || second.gaps === null) return true;
  const sign = winner === "a" ? 1 : -1;
  const [ab, ba] = [sign * (first.gaps[0] - second.gaps[0]), sign * (first.gaps[1] - second.gaps[1])];
  return exceeds((ab + ba) / 2, Math.max(NOISE, Math.abs(ab - ba)));
}

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
