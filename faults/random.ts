/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A generator for case `index` alone, so that one case can be repeated without the others. */
export const randomOfCase = (seed: number, index: number): Random => randomFrom(seed + Math.imul(index, 0x9e3779b1));

/** A whole number from 0 to `limit` - 1. */
export const whole = (random: Random, limit: number): number => Math.floor(random() * limit);

/** @throws RangeError when there is nothing to pick from. */
export function pick<T>(random: Random, from: readonly T[]): T {
  const chosen = from[whole(random, from.length)];
  if (chosen === undefined) throw new RangeError("nothing to pick from");
  return chosen;
}
