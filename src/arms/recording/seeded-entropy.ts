import { sha256 } from "../../domain/sha256.ts";
import type { Entropy } from "../../runtime/clock.ts";

/** Chance that repeats itself: the same seed gives the same draws in the same order, 32 bytes each at most. */
export function seededEntropy(seed: string): Entropy {
  let draws = 0;
  return (bytes) => {
    draws += 1;
    return sha256(`${seed} ${draws}`).slice(0, bytes * 2);
  };
}
