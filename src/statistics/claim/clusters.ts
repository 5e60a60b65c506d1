import type { Levels } from "./conclusion.ts";
import { type Counts, countsOfMeans } from "./e-process.ts";
import type { CountedTrial } from "./tally.ts";

/** A trial, and the place of its scenario in the plan. */
export interface PlacedTrial extends CountedTrial {
  readonly place: number;
}

type Clusters = Levels["clusters"];

/** What stands for itself in a series: a cluster, or a member of the plan that is in none. @param place of the member in the plan */
export const unitAt = (clusters: Clusters, place: number): number => clusters?.[place] ?? place;

/** How many there are among so many members. */
export const unitCount = (clusters: Clusters, members: number): number =>
  clusters === undefined ? members : new Set(clusters).size;

export const placed = (scenarios: readonly (readonly CountedTrial[])[]): readonly PlacedTrial[] =>
  scenarios.flatMap((trials, place) => trials.map((trial) => ({ ...trial, place })));

/** The mean of each unit's trials in each round. */
export function unitMeans<T extends PlacedTrial>(
  trials: readonly T[],
  clusters: Clusters,
  measured: (trial: T) => number,
): readonly { readonly round: number; readonly unit: number; readonly mean: number }[] {
  const units = Map.groupBy(trials, ({ round, place }) => `${round} ${unitAt(clusters, place)}`);
  return [...units.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const mean = own.reduce((sum, trial) => sum + measured(trial), 0) / own.length;
    return { round: first.round, unit: unitAt(clusters, first.place), mean };
  });
}

/** What the trials are worth as evidence: each for itself, or the mean of each cluster in each round. */
export function betOn(
  trials: readonly PlacedTrial[],
  clusters: Clusters,
  measured: (trial: PlacedTrial) => number = ({ d }) => d,
): Counts {
  if (clusters) return countsOfMeans(unitMeans(trials, clusters, measured).map(({ mean }) => mean));
  let [wins, ties, losses] = [0, 0, 0];
  for (const trial of trials) {
    const d = measured(trial);
    if (d > 0) wins += 1;
    else if (d < 0) losses += 1;
    else ties += 1;
  }
  return { wins, ties, losses };
}
