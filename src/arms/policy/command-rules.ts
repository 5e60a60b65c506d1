import type { CommandPolicy } from "../../domain/policies.ts";
import { ANY, fitsPattern } from "../../domain/wildcards.ts";
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
  const rules = read(allowed);
  const isListed = (spellings: readonly string[]) => rules.some(({ fits }) => spellings.some(fits));
  return unread === null && plainCommands(commands).every(isListed);
}

function deniedBy(rules: readonly string[], shell: ShellLine): string | null {
  if (rules.length === 0) return null;
  const forms = commandForms(shell);
  if (forms === undefined) return DENY_RULE;
  return read(rules).find(({ fits }) => forms.all.some(fits))?.rule ?? null;
}

/** Why rules may have missed a command of a line; null when they saw all. */
export const unreadIn = (line: string): string | null => commandForms(readShell(line))?.unread ?? null;

/** Tells whether a shell line runs a command that fits a glob, as `deny` sees it. Parses the line once. */
export function commandMatcher(line: string): (glob: string) => boolean {
  let forms: readonly string[] | undefined;
  return (glob) => {
    forms ??= commandForms(readShell(line))?.all ?? [];
    return forms.some(fitsRule(glob));
  };
}

interface ReadRule {
  readonly rule: string;
  readonly fits: (command: string) => boolean;
}

const known = new WeakMap<readonly string[], readonly ReadRule[]>();

/** A line may have thousands of commands: its rules are read once. */
function read(rules: readonly string[]): readonly ReadRule[] {
  const before = known.get(rules);
  if (before) return before;
  const now = rules.map((rule) => ({ rule, fits: fitsRule(rule) }));
  known.set(rules, now);
  return now;
}

/**
 * `*` stands for any text, spaces and slashes included; a rule that ends in ` *` also fits without arguments. Time: at most the length
 * of the rule times that of the command. A RegExp would give no such bound.
 */
function fitsRule(rule: string): (command: string) => boolean {
  const glob = rule.trim().replace(/\s+/g, " ");
  const pattern = glob.split("").map((char) => (char === "*" ? ANY : char));
  const [beginning = ""] = glob.split("*", 1);
  const bare = glob.endsWith(" *") ? glob.slice(0, -2) : undefined;
  return (command) =>
    command === bare ||
    (command.startsWith(beginning) &&
      fitsPattern(pattern, command.length, (char, at) => char === command[at], { steps: 0 }));
}
