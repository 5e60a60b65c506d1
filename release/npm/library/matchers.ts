import type { Comparison, Matcher } from "./api.ts";

/** `expect(r).toBeNotWorse("new_")`: the gate lets the arm pass. */
export const toBeNotWorse: Matcher = (given, arm) => matched(given, arm, ["not_worse", "better"]);

/** `expect(r).toBeBetter("new_")` */
export const toBeBetter: Matcher = (given, arm) => matched(given, arm, ["better"]);

function matched(given: unknown, arm: string, open: readonly string[]): ReturnType<Matcher> {
  const { gate } = (given ?? {}) as Partial<Comparison>;
  if (gate === undefined) return refused("expect() was not given what compare() found; is an await missing?");
  if (!Object.hasOwn(gate, arm)) return refused(`there is no arm ${arm}; there are ${Object.keys(gate).join(", ")}`);
  return { pass: open.includes(gate[arm] ?? ""), message: () => String(given) };
}

/** @throws Error: neither the matcher nor its contrary holds */
function refused(words: string): never {
  throw new Error(words);
}
