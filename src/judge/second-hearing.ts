import type { Outcome, Side } from "../domain/verdict.ts";
import type { Merged } from "./merge.ts";

/** One hearing: both orders, and each order's weighted gap from arm a; no gaps when an order gave none. */
export interface Heard {
  readonly merged: Merged;
  readonly gaps: readonly [ab: number, ba: number] | null;
}

/**
 * What became of the result when it was heard again without the arms' own words. `none`: it was not, or nothing hung on
 * it. `confirms`: the same winner. `unconfirmed`: no winner, but by no more than the judge's own noise. `unread`: it gave
 * no usable answer. `unheard`: it could not be held, though the winner's words are suspected. `overturns`: words had moved
 * the result.
 */
export type SecondHearing = "none" | "confirms" | "unconfirmed" | "unread" | "unheard" | "overturns";

export interface Weighed {
  readonly outcome: Outcome;
  readonly winner_side: Side | null;
  readonly lean_side: Side | null;
  readonly second: SecondHearing;
}

/** Scores of one judge on the same evidence move by this much from hearing to hearing; less is no sign of anything. */
export const NOISE = 0.15;

/** Binary fractions: 0.4 - 0.25 must not exceed 0.15. */
const EPSILON = 1e-9;

/**
 * Both hearings together; antisymmetric in the arms. A winner that the second hearing does not name stands only when it was
 * not suspected and the gap fell by no more than noise. A suspected arm gets the worse of the two hearings, so that planting pays for nobody: what the words took from the other arm comes back as its lean.
 */
export function weighHearings(first: Heard, second: Heard, suspects: ReadonlySet<Side>): Weighed {
  const { outcome, winner_side, lean_side } = first.merged;
  const kept = (how: SecondHearing): Weighed => ({ outcome, winner_side, lean_side, second: how });
  const open = (lean: Side | null, how: SecondHearing): Weighed => ({
    outcome: "inconclusive",
    winner_side: null,
    lean_side: lean,
    second: how,
  });
  if (second.merged.outcome === "invalid") return winner_side ? open(winner_side, "unread") : kept("unread");
  if (winner_side === null) {
    const worse = [...suspects].some((side) => rank(second.merged, side) < rank(first.merged, side));
    const lean = leanOf(first, second, suspects);
    return worse && lean !== lean_side ? open(lean, "overturns") : kept("none");
  }
  if (second.merged.winner_side === winner_side) return kept("confirms");
  if (!suspects.has(winner_side) && !moved(first, second, winner_side)) return kept("unconfirmed");
  return open(leanOf(first, second, suspects), "overturns");
}

/** One hearing alone: a suspected winner is only a lean, since nothing shows that its words had not moved it. */
export function heardOnce({ merged }: Heard, suspects: ReadonlySet<Side>): Weighed {
  const { outcome, winner_side, lean_side } = merged;
  if (winner_side === null || !suspects.has(winner_side)) return { outcome, winner_side, lean_side, second: "none" };
  return { outcome: "inconclusive", winner_side: null, lean_side: winner_side, second: "unheard" };
}

/** Whom the second hearing favours, unless that is a suspected arm which the first did not favour. */
function leanOf(first: Heard, second: Heard, suspects: ReadonlySet<Side>): Side | null {
  const side = favoured(second.merged);
  return side !== null && suspects.has(side) && favoured(first.merged) !== side ? null : side;
}

const favoured = ({ winner_side, lean_side }: Merged) => winner_side ?? lean_side;

/** How well this arm comes off: 2 for a win to -2 for a loss. */
function rank({ winner_side, lean_side }: Merged, side: Side): number {
  const [strength, other] = winner_side ? [2, winner_side] : [lean_side ? 1 : 0, lean_side];
  return other === side ? strength : -strength;
}

/** The gap fell by more than noise; a judge whose orders disagree about how far it fell is so much noisier. */
function moved(first: Heard, second: Heard, winner: Side): boolean {
  if (first.gaps === null || second.gaps === null) return true;
  const sign = winner === "a" ? 1 : -1;
  const [ab, ba] = [sign * (first.gaps[0] - second.gaps[0]), sign * (first.gaps[1] - second.gaps[1])];
  return (ab + ba) / 2 > Math.max(NOISE, Math.abs(ab - ba)) + EPSILON;
}
