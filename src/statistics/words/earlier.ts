import type { EarlierTrials } from "../../domain/series.ts";
import { logEvidence } from "../claim/e-process.ts";
import { evidenceOf, type Findings } from "../claim/findings.ts";
import { isOfOthers } from "../claim/pool.ts";
import type { CountedTrial, Difference } from "../claim/tally.ts";

/** By scenario: the runs of its comparison that are not of the series, which nobody should forget; null where there are none. */
export function earlierOf({ subject, pool }: Findings): readonly (EarlierTrials | null)[] {
  const { series_id } = subject.told;
  return subject.scenarios.map((_, place) => {
    const counted = pool?.tallies[place]?.counted ?? [];
    const others = counted.filter(({ row }) => isOfOthers(row, series_id));
    if (others.length === 0) return null;
    return { trials: others.length, e: evidenceAfter(others), e_with_this: evidenceAfter(counted) };
  });
}

function evidenceAfter(trials: readonly CountedTrial[]): number {
  const of = (difference: Difference) => trials.filter(({ d }) => d === difference).length;
  return evidenceOf(logEvidence({ wins: of(1), ties: of(0), losses: of(-1) }).both);
}
