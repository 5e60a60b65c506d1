import type { Counts } from "./e-process.ts";

/** Share of the prior on that neither arm is preferred: a forecast on equal arms must not promise a claim. */
const NO_DIFFERENCE = 0.5;

/**
 * The chance that the next decided trial is won, after each number of further wins and losses up to `most`, at `won * (most + 1) + lost`.
 * Half of the prior is on no difference, half on a share of wins with the density 6 x (1 - x).
 */
export function winChances({ wins, losses }: Pick<Counts, "wins" | "losses">, most: number): Float64Array {
  const logs = logFactorials(wins + losses + 2 * most + 3);
  const chances = new Float64Array((most + 1) ** 2);
  for (let won = 0; won <= most; won += 1)
    for (let lost = 0; won + lost <= most; lost += 1) {
      const [all, decided] = [wins + won, wins + won + losses + lost];
      const fit = (logs[all + 1] ?? 0) + (logs[decided - all + 1] ?? 0) - (logs[decided + 3] ?? 0);
      const differing = (1 - NO_DIFFERENCE) * 6 * Math.exp(fit + decided * Math.LN2);
      const equal = NO_DIFFERENCE / (NO_DIFFERENCE + differing);
      chances[won * (most + 1) + lost] = equal / 2 + ((1 - equal) * (all + 2)) / (decided + 4);
    }
  return chances;
}

function logFactorials(most: number): Float64Array {
  const logs = new Float64Array(most + 1);
  for (let number = 2; number <= most; number += 1) logs[number] = (logs[number - 1] ?? 0) + Math.log(number);
  return logs;
}
