import { checkValue, isNumberAlone, isSameResult } from "./check-result.ts";
import type { ChangedFile, Changes, ProbeResult } from "./evidence.ts";
import { globMatcher } from "./path-glob.ts";
import { isUnknown } from "./size-of.ts";
import { looksAtAnswer, type Task } from "./task.ts";

/** Globs of everything that an arm can change. */
export const EVERYTHING: readonly string[] = ["**"];

/**
 * Whether two arms left the same, as far as `globs` count: the same files, deletions and executable bits. False where that is
 * not known for sure.
 */
export function isSameWork(a: Changes | null, b: Changes | null, globs: readonly string[]): boolean {
  if (a === null || b === null || isUnknown(a) || isUnknown(b)) return false;
  // What is not listed one by one is in the digest alone.
  if ((a.truncated || b.truncated) && a.digest !== b.digest) return false;
  const others = new Map(b.files.map((file) => [file.path, file]));
  const differing = a.files.filter((file) => !isSameFile(file, others.get(file.path))).map(({ path }) => path);
  const counts = globMatcher(globs);
  const apart = [...differing, ...onlyIn(pathsOf(b), pathsOf(a)), ...modesApart(a, b)];
  return !apart.some(counts);
}

/** Whether the arm changed anything that counts. */
export function isChanged({ files, mode_changed = [] }: Changes, globs: readonly string[]): boolean {
  const counts = globMatcher(globs);
  return files.some(({ path }) => counts(path)) || mode_changed.some(counts);
}

const pathsOf = ({ files }: Changes) => files.map(({ path }) => path);

function isSameFile(file: ChangedFile, other: ChangedFile | undefined): boolean {
  if (other === undefined || file.status !== other.status || file.digest !== other.digest) return false;
  const isKnown = file.status === "deleted" || file.digest !== undefined || file.after !== null;
  return isKnown && file.after === other.after;
}

const modesApart = ({ mode_changed: a = [] }: Changes, { mode_changed: b = [] }: Changes) => [
  ...onlyIn(a, b),
  ...onlyIn(b, a),
];

function onlyIn(some: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return some.filter((path) => !known.has(path));
}

/**
 * Checks that one arm passed and the other did not, by id. Those that look at an answer or at calls are not among them: these
 * differ where files are the same.
 */
export function checksApart({ probe }: Pick<Task, "probe">, a: ProbeResult | null, b: ProbeResult | null): Set<string> {
  const beyond = (probe?.checks ?? []).filter((check) => looksAtAnswer(check) || check.called);
  const aside = new Set(beyond.map(({ id }) => id));
  const others = new Map(b?.checks.map((check) => [check.id, check]));
  const apart = (a?.checks ?? []).filter((check) => {
    const other = others.get(check.id);
    return other !== undefined && !isSameResult(check, other);
  });
  return new Set(apart.map(({ id }) => id)).difference(aside);
}

/** The results without some checks, which stand beside them. Where none is left the score is 0 of 0. */
export function leaveOut(probe: ProbeResult, ids: ReadonlySet<string>): ProbeResult {
  const left_out = probe.checks.filter(({ id }) => ids.has(id));
  if (left_out.length === 0) return probe;
  const checks = probe.checks.filter(({ id }) => !ids.has(id));
  const not_repeatable = [...(probe.not_repeatable ?? []), ...left_out];
  return { ...probe, ...tally(checks), checks, not_repeatable };
}

/** What some checks come to together. */
export function tally(checks: ProbeResult["checks"]): Pick<ProbeResult, "score" | "passed" | "total"> {
  const weight = checks.reduce((sum, check) => sum + check.weight, 0);
  const reached = checks.reduce((sum, check) => sum + check.weight * checkValue(check), 0);
  return {
    score: Math.min(1, reached / (weight || 1)),
    passed: checks.filter(({ status }) => status === "pass").length,
    total: checks.filter((check) => !isNumberAlone(check)).length,
  };
}
