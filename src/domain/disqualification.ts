import type { Violation } from "./evidence.ts";
import { excerpt } from "./excerpt.ts";
import { plainText } from "./plain-text.ts";

/** Subjects named for a rule; the session has them all. */
const NAMED = 3;

/** An arm chooses the names of its files. */
const SUBJECT_CHARS = 120;

/**
 * Why an arm is out: each broken rule with what broke it, as in `tests/**: tests/a.ts, tests/b.ts and 2 more`. Empty when
 * no rule put it out. One line of text for each rule, safe to print.
 */
export function disqualifyingRules(violations: readonly Violation[]): readonly string[] {
  const decisive = violations.filter(({ severity, blocked }) => severity === "disqualify" && !blocked);
  const byRule = Map.groupBy(decisive, ({ rule }) => rule);
  return [...byRule].map(([rule, broken]) => `${oneLine(rule)}: ${subjectsOf(broken)}`);
}

function subjectsOf(broken: readonly Violation[]): string {
  const named = broken.slice(0, NAMED).map(({ subject }) => quoted(oneLine(subject)));
  const more = broken.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A file's name may read like a sentence of ours. */
const quoted = (subject: string) => (/^[\w@+./-]+$/.test(subject) ? subject : JSON.stringify(subject));

const oneLine = (text: string) => excerpt(plainText(text), SUBJECT_CHARS).replace(/\s+/g, " ");
