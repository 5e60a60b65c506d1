import type { Entropy } from "../clock.ts";

/** Neutral names of the first and the second slot, the same pair in both orders, so that a liking for one is a liking for a slot. */
export type Labels = readonly [first: string, second: string];

/** What is drawn anew for every call, so that no text written before it can know it. */
export interface Secrets {
  /** Opens and closes a block of evidence. */
  readonly nonce: string;
  /** Starts every line of evidence. */
  readonly mark: string;
  /** Must come back in the answer: a planted answer cannot have it. */
  readonly echo: string;
  /** Must never come back. */
  readonly tripwire: string;
}

const CONSONANTS = "BCDFGHJKLMNPQRSTVWXZ";
const DIGITS = "23456789";

/** Draws until neither label stands in the evidence; after these many the last draw is taken. */
const DRAWS = 16;

/** Two different codes of one shape, e.g. `K7P` and `M4T`, that do not occur in the evidence. */
export function drawLabels(entropy: Entropy, evidence: string): Labels {
  for (let draw = 1; ; draw += 1) {
    const bytes = Buffer.from(entropy(6), "hex");
    const [first, second] = [code(bytes.subarray(0, 3), 0), code(bytes.subarray(3), 1)];
    const fresh = !evidence.includes(first) && !evidence.includes(second);
    if (fresh || draw === DRAWS) return [first, second];
  }
}

/** Halves of the alphabet by slot, so that the two codes never start alike. */
function code(bytes: Buffer, slot: 0 | 1): string {
  const half = CONSONANTS.length / 2;
  const start = CONSONANTS.charAt(slot * half + ((bytes[0] ?? 0) % half));
  const end = CONSONANTS.charAt((bytes[2] ?? 0) % CONSONANTS.length);
  return start + DIGITS.charAt((bytes[1] ?? 0) % DIGITS.length) + end;
}

export function drawSecrets(entropy: Entropy): Secrets {
  return { nonce: entropy(16), mark: `${entropy(2)}|`, echo: entropy(8), tripwire: entropy(8) };
}
