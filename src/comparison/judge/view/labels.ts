import type { Order, Side } from "../../../domain/verdict.ts";
import type { Entropy } from "../../../runtime/clock.ts";

/** Neutral names of the first and the second slot. Both orders share the pair, so that a liking for a label is one for a slot. */
export type Labels = readonly [first: string, second: string];

/** How a call shows the arms: which is first, and under which labels. */
export interface Presentation {
  readonly order: Order;
  readonly labels: Labels;
  /** What people call the arms. */
  readonly names: Readonly<Record<Side, string>>;
}

/** Drawn anew for every call, so that no text written before the call can know it. */
export interface Secrets {
  /** Opens and closes a block of evidence. */
  readonly nonce: string;
  /** Starts every line of evidence. */
  readonly mark: string;
  /** Must come back in the answer. A planted answer cannot have it. */
  readonly echo: string;
  /** Must never come back. */
  readonly tripwire: string;
}

const CONSONANTS = "BCDFGHJKLMNPQRSTVWXZ";
const DIGITS = "23456789";

/** Draws until neither label occurs in the evidence. The last of these draws is taken in any case. */
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

/** Each slot has its half of the alphabet, so that the two codes never start alike. */
function code(bytes: Buffer, slot: 0 | 1): string {
  const half = CONSONANTS.length / 2;
  const start = CONSONANTS.charAt(slot * half + ((bytes[0] ?? 0) % half));
  const end = CONSONANTS.charAt((bytes[2] ?? 0) % CONSONANTS.length);
  return start + DIGITS.charAt((bytes[1] ?? 0) % DIGITS.length) + end;
}

/** Labels mean nothing outside their call, so prose about labels becomes prose about arms. */
export function nameArms(text: string, { order, labels, names }: Presentation): string {
  // Each hearing draws new labels, so each would compile a pattern of its own.
  if (!labels.some((label) => text.includes(label))) return text;
  const [first, second] = order === "ab" ? [names.a, names.b] : [names.b, names.a];
  const either = new RegExp(`\\b(?:${labels.join("|")})\\b`, "g");
  return text.replace(either, (label) => (label === labels[0] ? first : second));
}
