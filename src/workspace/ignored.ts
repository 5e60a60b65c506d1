import ignore, { type Ignore } from "ignore";

/**
 * Names that never count as work, wherever they are: what version control, package managers, test runners and type checkers
 * leave behind. Not what a tool makes only when asked by name, such as a coverage report or a build.
 */
const NEVER_WORK = new Set([
  ".git",
  "node_modules",
  "__pycache__",
  ".venv",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  ".hypothesis",
  ".tox",
  ".coverage",
  ".nyc_output",
]);

/** What Python leaves of a module. */
const COMPILED = /\.py[co]$/;

/** Tells whether a path counts as an arm's work. */
export type IsIgnored = (path: string, isDirectory: boolean) => boolean;

/**
 * By the fixture's own .gitignore files, which an arm may edit without effect here.
 * @param gitignores their text by the directory they lie in, "" for the top
 */
export function ignoredBy(gitignores: ReadonlyMap<string, string>): IsIgnored {
  const rules = [...gitignores]
    .toSorted(([a], [b]) => a.length - b.length)
    .map(([directory, text]) => ({ prefix: directory === "" ? "" : `${directory}/`, rule: ignore().add(text) }));
  return (path, isDirectory) => {
    if (isNeverWork(path)) return true;
    const relevant = rules.filter(({ prefix }) => path.startsWith(prefix) && path !== prefix);
    return relevant.reduce(
      (ignored, { prefix, rule }) => decide(rule, path.slice(prefix.length), isDirectory) ?? ignored,
      false,
    );
  };
}

export const isNeverWork = (path: string): boolean =>
  COMPILED.test(path) || path.split("/").some((step) => NEVER_WORK.has(step));

/** A deeper file overrules a higher one, but only where it says something. */
function decide(rule: Ignore, path: string, isDirectory: boolean): boolean | undefined {
  const { ignored, unignored } = rule.test(isDirectory ? `${path}/` : path);
  if (ignored) return true;
  return unignored ? false : undefined;
}
