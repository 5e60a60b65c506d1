import { posix } from "node:path";
import { globMatcher } from "../../domain/path-glob.ts";
import type { PathPolicy } from "../../domain/policies.ts";

/** The rule that a refusal names when no writable glob fits. */
export const WRITABLE_RULE = "paths.writable";

/** Whether a glob fits a path of the workspace, `./` and `a/../` resolved. */
export const matchesPath = (glob: string, path: string): boolean => globMatcher([glob])(posix.normalize(path));

/**
 * Tells the rule that forbids changing a path; null when it may be changed. That is the `protected` glob as written, or
 * `paths.writable` when no writable glob fits. Looks at the name only: the caller must check where links lead.
 */
export function pathRules({ protected: globs, writable }: PathPolicy): (path: string) => string | null {
  const guards = globs.map((glob) => ({ glob, fits: globMatcher([glob]) }));
  const isWritable = globMatcher(writable);
  return (path) => {
    const normal = posix.normalize(path);
    const guard = guards.find(({ fits }) => fits(normal));
    if (guard) return guard.glob;
    return isWritable(normal) ? null : WRITABLE_RULE;
  };
}

/** `pathRules` for one path. */
export const refusedPath = (policy: PathPolicy, path: string): string | null => pathRules(policy)(path);
