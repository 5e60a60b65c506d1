import { NAMED_VIOLATIONS } from "./defaults.ts";
import type { Violation } from "./evidence.ts";
import { excerpt } from "./excerpt.ts";
import { plainText } from "./plain-text.ts";

/** Subjects named for a rule; the session has them all. */
const NAMED = 3;

/** An arm chooses the names of its files. */
const SUBJECT_CHARS = 120;

/**
 * Why an arm is out: a clause for each rule that put it out, as in `it changed the protected file tests/a.ts (rule
 * tests/**)`. Empty when none did. Each is one line of text, safe to print.
 */
export const whyDisqualified = (violations: readonly Violation[]): readonly string[] =>
  brokenRules(violations.filter(({ severity }) => severity === "disqualify"));

/** A clause for each rule that an arm broke. A refused call broke none. */
export function brokenRules(violations: readonly Violation[]): readonly string[] {
  const done = violations.filter(({ blocked }) => !blocked);
  const byRule = Map.groupBy(done, ({ rule, subject }) => `${subject.startsWith(UNCHECKED)} ${rule}`);
  return [...byRule.values()].map((broken) => `it ${deedOf(broken, done.length >= NAMED_VIOLATIONS)}`);
}

/** How the subject of a rule begins that nobody could check. */
export const UNCHECKED = "cannot be checked: ";

/** How the subject of a rule begins that a command ran past, because it could not be read. */
export const UNREAD = "not read: ";

/** What policies call a path that no writable glob fits, and how they begin a required behaviour. */
const [WRITABLE, REQUIRED] = ["paths.writable", "required: "];

/** @param cut there may be more than these */
function deedOf(broken: readonly Violation[], cut: boolean): string {
  const [{ rule, subject } = { rule: "", subject: "" }] = broken;
  if (subject.startsWith(UNCHECKED))
    return `left files that could not be checked against the rule ${oneLine(rule)} (${quoted(oneLine(subject.slice(UNCHECKED.length)))})`;
  if (subject.startsWith(UNREAD))
    return `ran what the rule ${oneLine(rule)} could not read (${subjectsOf(broken.map(afterUnread), cut)})`;
  const subjects = subjectsOf(broken, cut);
  if (rule.startsWith(REQUIRED))
    return `did not show the required behaviour ${oneLine(rule.slice(REQUIRED.length))} (${subjects})`;
  if (rule === WRITABLE) return `changed ${subjects} outside the writable paths`;
  const files = `changed the protected ${broken.length === 1 ? "file" : "files"} ${subjects}`;
  return broken.length === 1 && subject === rule ? files : `${files} (rule ${oneLine(rule)})`;
}

const afterUnread = (violation: Violation) => ({ ...violation, subject: violation.subject.slice(UNREAD.length) });

function subjectsOf(broken: readonly Violation[], cut: boolean): string {
  const named = broken.slice(0, NAMED).map(({ subject }) => quoted(oneLine(subject)));
  const more = broken.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${cut ? "at least " : ""}${more} more` : ""}`;
}

/** Quotes a subject: a file's name may read like one of our sentences. */
const quoted = (subject: string) => (/^[\w@+./-]+$/.test(subject) ? subject : JSON.stringify(subject));

const oneLine = (text: string) => excerpt(plainText(text), SUBJECT_CHARS).replace(/\s+/g, " ");
