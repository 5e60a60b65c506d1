import type { CommandPolicy } from "../domain/policies.ts";
import { ANY, fitsPattern } from "../domain/wildcards.ts";
import { commandForms, plainCommands } from "./command-forms.ts";
import { readShell, type ShellLine } from "./shell-commands.ts";

/** The rule that a refusal names when a command is not on the `allow` list. */
export const ALLOW_RULE = "commands.allow";

/** The rule that a refusal names when a line has too many nested commands to check. */
export const DENY_RULE = "commands.deny";

/**
 * The rule that refuses a shell line; null when it may run. That is a `deny` rule as written, `commands.deny` when too many
 * wrappers hide what runs, or `commands.allow` when a command is not on that list, or cannot be read. `deny` sees through
 * wrappers (`sudo`, `timeout 5`, `sh -c "..."`) and paths; `allow` takes commands as they are written. The rules stop the
 * plain spelling only: `git -C . push` passes `git push*`.
 */
export function refusedCommand(policy: CommandPolicy, line: string, shell = readShell(line)): string | null {
  const denied = deniedBy(policy.deny, shell);
  if (denied !== null) return denied;
  return policy.allow === null || isAllowed(policy.allow, shell) ? null : ALLOW_RULE;
}

function isAllowed(allowed: readonly string[], { commands, unread }: ShellLine): boolean {
  const isListed = (spellings: readonly string[]) =>
    allowed.some((rule) => spellings.some((spelling) => matchesRule(rule, spelling)));
  return unread === null && plainCommands(commands).every(isListed);
}

function deniedBy(rules: readonly string[], shell: ShellLine): string | null {
  if (rules.length === 0) return null;
  const forms = commandForms(shell);
  if (forms === undefined) return DENY_RULE;
  return rules.find((rule) => forms.all.some((form) => matchesRule(rule, form))) ?? null;
}

/** Why rules may have missed a command of a line; null when they saw all. */
export const unreadIn = (line: string): string | null => commandForms(readShell(line))?.unread ?? null;

/** Tells whether a shell line runs a command that fits a glob, as `deny` sees it. Parses the line once. */
export function commandMatcher(line: string): (glob: string) => boolean {
  let forms: readonly string[] | undefined;
  return (glob) => {
    forms ??= commandForms(readShell(line))?.all ?? [];
    return forms.some((form) => matchesRule(glob, form));
  };
}

/** `*` stands for any text, spaces and slashes included; a rule that ends in ` *` also fits without arguments. */
function matchesRule(rule: string, command: string): boolean {
  const glob = rule.trim().replace(/\s+/g, " ");
  return matchesGlob(glob, command) || (glob.endsWith(" *") && command === glob.slice(0, -2));
}

/** Time: at most the length of the glob times that of the text. A RegExp would give no such bound. */
function matchesGlob(glob: string, text: string): boolean {
  const pattern = glob.split("").map((char) => (char === "*" ? ANY : char));
  return fitsPattern(pattern, text.length, (char, at) => char === text[at], { steps: 0 });
}
