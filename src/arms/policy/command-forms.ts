import { cut } from "../../domain/excerpt.ts";
import { readShell, type ShellLine, type SimpleCommand, unknownName } from "./shell-commands.ts";
import type { ShellWord } from "./shell-words.ts";
import { scriptIn, wrappedIn } from "./wrappers.ts";

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
export function commandForms(shell: ShellLine): CommandForms | undefined {
  const forms = new Forms();
  return forms.collect(shell, 0) ? forms : undefined;
}

/** The commands as written, without assignments and redirections in front. `allow` compares with these. */
export function plainCommands(commands: readonly SimpleCommand[]): readonly (readonly string[])[] {
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
