import type { TrialRow } from "../../domain/trial.ts";
import { resultOf } from "./tally.ts";

/**
 * The runs without those that repeat one before them: the same draw of scripts, a recording of it, or one with the same stored
 * run of an arm. They say nothing new, or not by themselves.
 * @param rows in the order of creation
 */
export function withoutCopies(rows: readonly TrialRow[]): readonly TrialRow[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    if (typeof resultOf(row) !== "number") return true;
    const { draw, conduct, stored_run, session_id } = row;
    const [run, from] = [`run ${stored_run ?? session_id}`, stored_run && `run ${stored_run}`];
    if ([draw, from].some((known) => known !== undefined && seen.has(known))) return false;
    // A recording repeats the run that it was made of.
    for (const known of [draw, conduct, run]) if (known) seen.add(known);
    return true;
  });
}
