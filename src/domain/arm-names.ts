import type { Side } from "./verdict.ts";

/** What people call two arms: their ids. Across sessions both may have one id; the words of the request then tell them apart. */
export const armNames = (a: string, b: string): Readonly<Record<Side, string>> =>
  a === b ? { a: `${a} (arm_a)`, b: `${b} (arm_b)` } : { a, b };
