import type { TrialRow } from "../../domain/trial.ts";
import { resultOf } from "./tally.ts";

/**
 * The runs without those that repeat one before them: the same draw of scripts, or a recording of it. They say nothing new.
 * @param rows in the order of creation
 */
export function withoutCopies(rows: readonly TrialRow[]): readonly TrialRow[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    if (typeof resultOf(row) !== "number") return true;
    if (row.draw !== undefined && seen.has(row.draw)) return false;
    // A recording repeats the run that it was made of.
    for (const known of [row.draw, row.conduct]) if (known) seen.add(known);
    return true;
  });
}
