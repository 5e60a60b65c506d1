import type { ScoredOutcome } from "../../../comparison/judge/decide.ts";
import type { Verdict } from "../../../domain/verdict.ts";
import type { Comparison } from "./comparison.ts";
import type { leaderOf } from "./contributions.ts";

type Said = Pick<Verdict, "calls" | "judge">;

const isRepeated = ({ calls }: Said): boolean => calls.some(({ masked }) => masked);

/** By what a result without deciding facts goes; null where it goes by the scores. */
export function goesBy(verdict: Said): string | null {
  if (isRepeated(verdict)) return "what holds without the arms' own words";
  return verdict.judge.members ? "the judges' votes" : null;
}

/**
 * What the sum of the criteria is made of, and why the result may favour another arm; null where the sum is all that there is.
 * @param now the result that stands above it
 */
export function sumText(
  { verdict, a, b }: Comparison,
  now: Pick<ScoredOutcome, "outcome" | "winner_side" | "lean_side" | "decided_by">,
  leader: ReturnType<typeof leaderOf>,
): string | null {
  const by = goesBy(verdict);
  if (by === null) return null;
  const { members } = verdict.judge;
  const whose = members ? `The mean of ${members.length} judges' scores` : "The judge's scores";
  const heard = isRepeated(verdict) ? ", given with the arms' own words in sight" : "";
  const favoured = now.winner_side ?? now.lean_side;
  const isApart = leader !== null && leader.side !== favoured && now.outcome !== "tie";
  if (!isApart || now.decided_by === "gate" || now.decided_by === "probe") return `${whose}${heard}.`;
  const side =
    favoured === null ? "names nobody" : `${now.winner_side ? "names" : "leans to"} ${{ a, b }[favoured].name}`;
  return `${whose}${heard}. The result goes by ${by} and ${side}.`;
}
