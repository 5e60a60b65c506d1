import { posix } from "node:path";
import picomatch from "picomatch";
import type { PathPolicy } from "../domain/scenario.ts";

/** What a refusal is called when no writable glob fits. */
export const WRITABLE_RULE = "paths.writable";

/** Dot files count like any other; a leading `!` is not a negation. */
const GLOB_OPTIONS = { dot: true, nonegate: true } as const;

/** Whether a glob fits a path of the workspace, `./` and `a/../` resolved. */
export const matchesPath = (glob: string, path: string): boolean =>
  picomatch.isMatch(posix.normalize(path), glob, GLOB_OPTIONS);

/**
 * The rule that forbids changing a path: the `protected` glob as written, or `paths.writable` when no writable glob fits;
 * null when it may be changed. Judges the name only; whoever has the file must also look where links lead.
 */
export function refusedPath(policy: PathPolicy, path: string): string | null {
  const guarding = policy.protected.find((glob) => matchesPath(glob, path));
  if (guarding !== undefined) return guarding;
  return policy.writable.some((glob) => matchesPath(glob, path)) ? null : WRITABLE_RULE;
}
