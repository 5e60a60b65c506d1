import { cut } from "../../domain/excerpt.ts";
import type { CommandPolicy } from "../../domain/policies.ts";
import { ANY, fitsPattern } from "../../domain/wildcards.ts";
import { readShell, type ShellLine, type SimpleCommand, unknownName } from "./shell-commands.ts";
import type { ShellWord } from "./shell-words.ts";
import { scriptIn, wrappedIn } from "./wrappers.ts";

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

/** How deep `sh -c` scripts may nest; deeper ones are not read. */
const MAX_SCRIPTS = 3;

/** Wrappers around one command. Real commands have fewer. */
const MAX_WRAPPERS = 20;

/** Characters of all forms together. Enough for the longest line behind a few wrappers. */
const MAX_FORM_CHARS = 600_000;

/** What a rule is compared with. */
interface CommandForms {
  /** Every form of every command that the line runs. */
  readonly all: readonly string[];
  /** Why there may be commands that are not among them; null when all are. */
  readonly unread: string | null;
}

/** What a rule of `deny` is compared with. Undefined when there are too many forms: each wrapper repeats all that it wraps. */
function commandForms(shell: ShellLine): CommandForms | undefined {
  const forms = new Forms();
  return forms.collect(shell, 0) ? forms : undefined;
}

/** The commands as written, without assignments and redirections in front. `allow` compares with these. */
function plainCommands(commands: readonly SimpleCommand[]): readonly (readonly string[])[] {
  return commands
    .filter(({ words }) => words.length > 0)
    .map(({ raw, words, redirections }) => [raw, [...plain(words), ...redirections].join(" ")]);
}

class Forms implements CommandForms {
  unread: string | null = null;
  readonly #texts = new Set<string>();
  #chars = 0;

  get all(): readonly string[] {
    return [...this.#texts];
  }

  /** False when it would be too much, as with everything below. */
  collect({ commands, unread }: ShellLine, depth: number): boolean {
    this.unread ??= unread;
    return commands.every(
      (command) => this.#add(command.written) && this.#add(command.raw) && this.#addWrapped(command, depth, 0),
    );
  }

  #addWrapped(command: SimpleCommand, depth: number, wrappers: number): boolean {
    const { words, redirections } = command;
    const [first] = words;
    if (first === undefined) return true;
    if (wrappers > MAX_WRAPPERS) return false;
    if (first.name === null) this.unread ??= unknownName(first);
    for (const name of [first.plain, first.name ?? first.plain])
      for (const rest of [plain(words.slice(1)), [...plain(words.slice(1)), ...redirections]])
        if (!this.#add([name, ...rest].join(" "))) return false;
    return (
      this.#addScript(command, depth) &&
      wrappedIn(command).every((wrapped) => this.#addWrapped(wrapped, depth, wrappers + 1))
    );
  }

  #addScript(command: SimpleCommand, depth: number): boolean {
    const script = scriptIn(command);
    if (script === "") return true;
    if (script !== null && depth < MAX_SCRIPTS) return this.collect(readShell(script), depth + 1);
    const shell = cut(command.words[0]?.raw ?? "");
    this.unread ??=
      script === null
        ? `what ${shell} is given to run is known only when it runs`
        : `scripts in scripts are read ${MAX_SCRIPTS} deep`;
    return true;
  }

  #add(text: string): boolean {
    if (text === "" || this.#texts.has(text)) return true;
    this.#chars += text.length;
    this.#texts.add(text);
    return this.#chars <= MAX_FORM_CHARS;
  }
}

const plain = (words: readonly ShellWord[]) => words.map((word) => word.plain);
