import type { CommandPolicy } from "../domain/scenario.ts";
import { commandForms, plainCommands } from "./command-forms.ts";

/** What a refusal by a closed list is called, since no single rule refused. */
export const ALLOW_RULE = "commands.allow";

/** What a refusal is called when a line is too involved to be held against the rules. */
export const DENY_RULE = "commands.deny";

/**
 * The rule that refuses a shell line: the `deny` rule as written, `commands.deny` when wrappers around wrappers hide what
 * runs, or `commands.allow` when the list is closed and a command is not on it; null when it may run. A guard rail against the plain spelling, not a boundary: `git -C . push` passes `git push*`.
 * `deny` sees through wrappers (`sudo`, `timeout 5`, `sh -c "..."`) and paths; `allow` takes commands as they are written.
 */
export function refusedCommand(policy: CommandPolicy, line: string): string | null {
  const denied = deniedBy(policy.deny, line);
  if (denied !== null) return denied;
  if (policy.allow === null) return null;
  const allowed = policy.allow;
  const isListed = (spellings: readonly string[]) =>
    allowed.some((rule) => spellings.some((spelling) => matchesRule(rule, spelling)));
  return plainCommands(line).every(isListed) ? null : ALLOW_RULE;
}

function deniedBy(rules: readonly string[], line: string): string | null {
  if (rules.length === 0) return null;
  const forms = commandForms(line);
  if (forms === undefined) return DENY_RULE;
  return rules.find((rule) => forms.some((form) => matchesRule(rule, form))) ?? null;
}

/** Tells of globs whether a shell line runs a command that they describe, seen as `deny` sees it. Reads the line once. */
export function commandMatcher(line: string): (glob: string) => boolean {
  let forms: readonly string[] | undefined;
  return (glob) => {
    forms ??= commandForms(line) ?? [];
    return forms.some((form) => matchesRule(glob, form));
  };
}

/** `*` stands for any text, spaces and slashes included; a rule that ends in ` *` also fits without arguments. */
function matchesRule(rule: string, command: string): boolean {
  const glob = rule.trim().replace(/\s+/g, " ");
  return matchesGlob(glob, command) || (glob.endsWith(" *") && command === glob.slice(0, -2));
}

/** Time at most length of glob times length of text, whatever either holds; a regex would give no such bound. */
function matchesGlob(glob: string, text: string): boolean {
  let star = -1;
  let resume = 0;
  let g = 0;
  for (let t = 0; t < text.length; ) {
    if (glob[g] === "*") {
      star = g++;
      resume = t;
    } else if (glob[g] === text[t]) {
      g++;
      t++;
    } else if (star !== -1) {
      g = star + 1;
      t = ++resume;
    } else return false;
  }
  while (glob[g] === "*") g++;
  return g === glob.length;
}
