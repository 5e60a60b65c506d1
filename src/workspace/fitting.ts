import type { GlobEffort } from "../domain/glob-text.ts";
import { globMatcher } from "../domain/path-glob.ts";
import { Pace } from "../pace.ts";
import type { TreeEntry } from "./tree/walk.ts";

/** Comparisons of a matcher in the time of one unit of `Pace`. */
const UNIT_STEPS = 500;

/** The entries that any of some globs fits; others have their turn, however many or deep they are. */
export async function fitting(entries: readonly TreeEntry[], globs: readonly string[]): Promise<readonly TreeEntry[]> {
  const effort: GlobEffort = { steps: 0 };
  const fits = globMatcher(globs, effort);
  const pace = new Pace();
  const found: TreeEntry[] = [];
  for (const entry of entries) {
    const before = effort.steps;
    if (fits(entry.path)) found.push(entry);
    await pace.units((effort.steps - before) / UNIT_STEPS);
  }
  return found;
}
