import { claimedSide, type Levels } from "./conclusion.ts";
import type { Counts } from "./e-process.ts";

/**
 * Wins to come with which a side claims, for each number of losses to come up to `most`; more than `most` where so many do not
 * do. Ties change nothing of it.
 */
export function claimBorder(
  { wins, losses }: Pick<Counts, "wins" | "losses">,
  most: number,
  levels: Pick<Levels, "alpha">,
): readonly number[] {
  let needed = 0;
  return Array.from({ length: most + 1 }, (_, more) => {
    while (needed <= most && claimedSide({ wins: wins + needed, ties: 0, losses: losses + more }, levels) !== "a")
      needed += 1;
    return needed;
  });
}
