import type { EarlierTrials } from "../domain/series.ts";
import type { TrialRow } from "../domain/trial.ts";
import { type Counts, logEvidence } from "./e-process.ts";
import { evidenceOf, type Findings } from "./findings.ts";
import { type Difference, tallyOf } from "./tally.ts";

/**
 * By scenario: the runs of its comparison from before the series, which nobody should forget; null where there are none.
 * @param stored runs of these comparisons in the order of creation; the series' own and later ones may be among them
 */
export function earlierOf(
  { subject, tallies }: Findings,
  stored: readonly TrialRow[],
): readonly (EarlierTrials | null)[] {
  const { series_id } = subject.told;
  return subject.scenarios.map(({ comparison }, place) => {
    const runs = stored.filter((row) => row.comparison === comparison);
    const first = runs.findIndex((row) => row.place?.series_id === series_id);
    const before = tallyOf(first === -1 ? runs : runs.slice(0, first)).counted.map(({ d }) => d);
    if (before.length === 0) return null;
    const own = tallies[place]?.counted.map(({ d }) => d) ?? [];
    return { trials: before.length, e: evidenceAfter(before), e_with_this: evidenceAfter([...before, ...own]) };
  });
}

function evidenceAfter(differences: readonly Difference[]): number {
  const of = (difference: Difference) => differences.filter((one) => one === difference).length;
  const counts: Counts = { wins: of(1), ties: of(0), losses: of(-1) };
  return evidenceOf(logEvidence(counts).both);
}
