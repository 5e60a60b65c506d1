import type { Outcome, Side } from "../../domain/verdict.ts";

/** What one judge finds, or what a panel finds of what its judges find. */
export interface JudgeFinding {
  readonly outcome: Outcome;
  readonly winner_side: Side | null;
  readonly lean_side: Side | null;
}

/** The protocol of each judge with the version of the rule below. Verdicts of two versions are not comparable. */
export const panelProtocol = (of_each: string): string => `${of_each}+panel/2`;

/** What a seat without a usable answer counts as: a vote against any result, or, in verdicts of `panel/1`, nothing. */
export type Silence = "against" | "nothing";

/** How the panel of a stored verdict counted it. */
export const silenceIn = (protocol: string): Silence => (protocol.endsWith("+panel/1") ? "nothing" : "against");

/** Usable answers without which a panel says nothing. */
const QUORUM = 2;

/** Votes that a winner is ahead when somebody is against it. */
const CLEAR_LEAD = 2;

/**
 * A winner has the votes of most of the panel, and nobody against it or a lead of two. Silence helps nobody: a judge without a
 * usable answer might have voted against a winner, or broken a tie. Exchanging the arms mirrors the result.
 */
export function mergeFindings(findings: readonly JudgeFinding[], silence: Silence = "against"): JudgeFinding {
  const usable = findings.filter(({ outcome }) => outcome !== "invalid");
  if (usable.length < QUORUM) return nobody("invalid");
  const silent = silence === "nothing" ? 0 : findings.length - usable.length;
  const most = Math.floor(findings.length / 2) + 1;
  const votesFor = (side: Side) => usable.filter(({ winner_side }) => winner_side === side).length;
  const winner_side = (["a", "b"] as const).find((side) => {
    const [own, against] = [votesFor(side), votesFor(side === "a" ? "b" : "a") + silent];
    return own >= most && (against === 0 || own - against >= CLEAR_LEAD);
  });
  if (winner_side) return { outcome: "winner", winner_side, lean_side: null };
  if (votesFor("a") + votesFor("b") > 0) return { ...nobody("inconclusive"), lean_side: leanOf(usable) };
  const shared = UNDECIDED.find((one) => usable.filter(({ outcome }) => outcome === one).length >= most);
  const stands = shared !== undefined && (shared !== "tie" || silent === 0);
  return stands ? nobody(shared) : { ...nobody("inconclusive"), lean_side: leanOf(usable) };
}

/** What a panel finds when most of it finds it and nobody votes. */
const UNDECIDED = ["tie", "inconsistent"] as const;

const nobody = (outcome: Outcome): JudgeFinding => ({ outcome, winner_side: null, lean_side: null });

/** The side that more judges favour; a lean is half a vote. */
function leanOf(findings: readonly JudgeFinding[]): Side | null {
  const standing = findings.reduce(
    (sum, { winner_side, lean_side }) => sum + signOf(winner_side) + signOf(lean_side) / 2,
    0,
  );
  if (standing === 0) return null;
  return standing > 0 ? "a" : "b";
}

/** 1 for arm a, -1 for arm b, 0 for nobody. */
export const signOf = (side: Side | null): 1 | -1 | 0 => (side === null ? 0 : side === "a" ? 1 : -1);
