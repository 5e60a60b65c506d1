import { claimedSide } from "../../src/statistics/claim/conclusion.ts";

export interface Series {
  /** Share of series that ever claim a, and b. */
  readonly a: number;
  readonly b: number;
  /** Mean number of trials until a claim or the end. */
  readonly trials: number;
}

/** The exact sequential of series of at most `length` trials: a claim ends one. `tie` is the chance of a trial without a winner. */
export function exactly(length: number, win: number, tie = 0): Series {
  const size = length + 1;
  const sides = Array.from({ length: size * size }, (_, place) => {
    const [wins, losses] = [Math.floor(place / size), place % size];
    return wins + losses > length ? undefined : claimedSide({ wins, ties: 0, losses }, { alpha: 0.05 });
  });
  const decisive = 1 - tie;
  let places = new Map([[0, 1]]);
  const claimed = { a: 0, b: 0 };
  let trials = 0;
  for (let step = 1; step <= length; step += 1) {
    const next = new Map<number, number>();
    const add = (place: number, chance: number) => next.set(place, (next.get(place) ?? 0) + chance);
    for (const [place, chance] of places) {
      trials += chance;
      add(place, chance * tie);
      add(place + size, chance * decisive * win);
      add(place + 1, chance * decisive * (1 - win));
    }
    for (const [place, chance] of next) {
      const side = sides[place];
      if (side === undefined) continue;
      claimed[side] += chance;
      next.delete(place);
    }
    places = next;
  }
  return { ...claimed, trials };
}
