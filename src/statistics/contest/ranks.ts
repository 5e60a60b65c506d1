/** One arm, shown to be better than another. */
export type Beats = readonly [better: string, worse: string];

/** By arm the best and the worst rank that claims leave open: it stands behind all that beat it, and before all that it beats. */
export function ranksOf(
  arms: readonly string[],
  beats: readonly Beats[],
): ReadonlyMap<string, readonly [number, number]> {
  const above = (arm: string) => new Set(beats.filter(([, worse]) => worse === arm).map(([better]) => better)).size;
  const below = (arm: string) => new Set(beats.filter(([better]) => better === arm).map(([, worse]) => worse)).size;
  return new Map(
    arms.map((arm) => {
      const low = 1 + above(arm);
      // Arms of a cycle stand before and behind each other.
      return [arm, [low, Math.max(low, arms.length - below(arm))]];
    }),
  );
}

/** Who beats the control beats whoever the control beats. */
export const throughControl = (beats: readonly Beats[], control: string): readonly Beats[] => {
  const better = beats.flatMap(([one, other]) => (other === control ? one : []));
  const worse = beats.flatMap(([one, other]) => (one === control ? other : []));
  return [...beats, ...better.flatMap((one) => worse.map((other) => [one, other] as const))];
};

/** Claims that go round: each beats the next, the last the first; of arms that do so one such list. */
export function cyclesIn(arms: readonly string[], beats: readonly Beats[]): readonly (readonly string[])[] {
  const beaten = new Map(arms.map((arm) => [arm, beats.flatMap(([one, other]) => (one === arm ? other : []))]));
  const told = new Set<string>();
  return arms.flatMap((arm) => {
    const way = told.has(arm) ? undefined : wayBack(arm, beaten);
    for (const one of way ?? []) told.add(one);
    return way ? [way] : [];
  });
}

/** The shortest way from an arm over those that it beats to itself. */
function wayBack(start: string, beaten: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const seen = new Set<string>();
  let ways: readonly (readonly string[])[] = [[start]];
  while (ways.length > 0) {
    const next = ways.flatMap((way) => (beaten.get(way.at(-1) ?? "") ?? []).map((other) => [...way, other]));
    const found = next.find((way) => way.at(-1) === start);
    if (found) return found.slice(0, -1);
    ways = next.filter((way) => {
      const last = way.at(-1) ?? "";
      const isNew = !seen.has(last);
      seen.add(last);
      return isNew;
    });
  }
  return undefined;
}
