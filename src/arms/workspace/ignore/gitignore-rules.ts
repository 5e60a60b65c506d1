import { type FitsStep, stepFits } from "./gitignore-step.ts";

/** Any number of steps, also none. */
export const ANY_STEPS = Symbol("**");

/** One line of a .gitignore file. */
export interface Rule {
  /** Never empty, never two `ANY_STEPS` in a row or one at the end. */
  readonly pattern: readonly (typeof ANY_STEPS | FitsStep)[];
  /** Paths that fit are not ignored. */
  readonly negated: boolean;
  readonly only_directories: boolean;
}

/** The lines of a .gitignore file that are rules, each without what surrounds it. */
export const ruleLines = (text: string): readonly string[] =>
  text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .filter((line) => !line.startsWith("#"))
    .map(withoutTrailingSpaces)
    .filter((line) => line !== "");

/** An escaped space stays. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === " ") end -= 1;
  if (end === line.length) return line;
  let escapes = 0;
  while (line[end - 1 - escapes] === "\\") escapes += 1;
  return line.slice(0, escapes % 2 === 1 ? end + 1 : end);
}

/** Reads a line as git does: see its manual, gitignore(5). */
export function ruleOf(line: string): Rule {
  const negated = line.startsWith("!");
  const [, written = "", slash] = /^(.*?)(\/?)$/s.exec(negated ? line.slice(1) : line) ?? [];
  const only_directories = slash === "/";
  if (!written.includes("/")) return { negated, only_directories, pattern: [ANY_STEPS, stepFits(written)] };
  const plain = written.replace(/^\//, "").replace(/\\(.)/gs, (pair, escaped) => (escaped === "/" ? "/" : pair));
  const steps = plain.split("/");
  const pattern = steps.flatMap((step, at): Rule["pattern"] => {
    if (!isAnySteps(step)) return [stepFits(step)];
    // A directory does not lie in itself: `a/**` is what it holds.
    if (at === steps.length - 1) return [ANY_STEPS, stepFits("*")];
    return isAnySteps(steps[at + 1] ?? "") ? [] : [ANY_STEPS];
  });
  return { negated, only_directories, pattern };
}

const isAnySteps = (step: string) => /^\*\*+$/.test(step);
