import { type SimpleCommand, simpleCommands } from "./shell-commands.ts";

const KEYWORDS = new Set(["if", "then", "elif", "else", "do", "while", "until", "fi", "done", "esac", "!", "{", "}"]);

/** Heads of compound commands, which run nothing themselves. */
const HEADS = new Set(["for", "case", "select", "function"]);

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh"]);

/** Commands that run the command after them, with their option letters that take a value in the next word. */
const WRAPPERS: ReadonlyMap<string, string> = new Map([
  ["command", ""],
  ["builtin", ""],
  ["doas", "uC"],
  ["env", "uCS"],
  ["exec", "a"],
  ["ionice", "cnp"],
  ["nice", "n"],
  ["nohup", ""],
  ["setsid", ""],
  ["stdbuf", "ioe"],
  ["sudo", "ughpCTRD"],
  ["time", "fo"],
  ["timeout", "ks"],
  ["xargs", "IndLPsEa"],
]);

/** How deep `sh -c` scripts may nest; deeper ones are not read. */
const MAX_SCRIPTS = 3;

/** Wrappers around one command. Real commands have fewer. */
const MAX_WRAPPERS = 20;

/** Characters of all forms together. Enough for a script of 100 kB behind a few wrappers. */
const MAX_FORM_CHARS = 600_000;

/**
 * What a rule is compared with: every form of every command that the line runs. Undefined when there are too many: each
 * wrapper repeats all that it wraps.
 */
export function commandForms(line: string): readonly string[] | undefined {
  const forms = new Forms();
  return collectForms(line, 0, forms) ? forms.all : undefined;
}

class Forms {
  readonly #texts = new Set<string>();
  #chars = 0;

  get all(): readonly string[] {
    return [...this.#texts];
  }

  /** False when it would be too much. */
  add(words: readonly string[]): boolean {
    const text = words.join(" ");
    if (this.#texts.has(text)) return true;
    this.#chars += text.length;
    this.#texts.add(text);
    return this.#chars <= MAX_FORM_CHARS;
  }
}

const collectForms = (line: string, depth: number, forms: Forms): boolean =>
  simpleCommands(line).every((command) => addForms(command, depth, forms));

/** The commands as written, without keywords, assignments and redirections in front. `allow` compares with these. */
export function plainCommands(line: string): readonly (readonly string[])[] {
  return simpleCommands(line)
    .map(withoutPrefix)
    .filter(({ words }) => words.length > 0)
    .map(({ raw, words }) => [...new Set([raw.join(" "), words.join(" ")])]);
}

/** False when there are too many. */
function addForms(command: SimpleCommand, depth: number, forms: Forms): boolean {
  const base = withoutPrefix(command);
  if (!forms.add(command.raw) || !forms.add(base.raw)) return false;
  let words = base.words;
  for (let wrappers = 0; words.length > 0; wrappers += 1) {
    if (wrappers > MAX_WRAPPERS) return false;
    if (!forms.add(words) || !forms.add([nameOf(words), ...words.slice(1)])) return false;
    if (depth < MAX_SCRIPTS && !collectForms(scriptIn(words), depth + 1, forms)) return false;
    words = unwrapped(words);
  }
  return true;
}

function withoutPrefix({ raw, words }: SimpleCommand): SimpleCommand {
  let start = 0;
  for (let skip = prefixLength(words, 0); skip > 0; skip = prefixLength(words, start)) start += skip;
  if (HEADS.has(words[start] ?? "")) start = words.length;
  return { raw: raw.slice(start), words: words.slice(start) };
}

/** How many words from `start` on only introduce a command. */
function prefixLength(words: readonly string[], start: number): number {
  const word = words[start];
  if (word === undefined) return 0;
  if (KEYWORDS.has(word) || /^[A-Za-z_]\w*\+?=/.test(word)) return 1;
  if (!/^\d*[<>]/.test(word)) return 0;
  return /^\d*[<>]+[&|]?$/.test(word) ? 2 : 1;
}

/** What a wrapper runs; nothing when the command is no wrapper. */
function unwrapped(words: readonly string[]): readonly string[] {
  const valued = WRAPPERS.get(nameOf(words));
  if (valued === undefined) return [];
  let start = 1;
  while (words[start]?.startsWith("-")) {
    const option = words[start] ?? "";
    start += option.length === 2 && valued.includes(option.charAt(1)) ? 2 : 1;
  }
  if (nameOf(words) === "timeout") start += 1;
  return withoutPrefix({ raw: words.slice(start), words: words.slice(start) }).words;
}

/** The script of `sh -c script` and `eval script`; empty for other commands. */
function scriptIn(words: readonly string[]): string {
  if (words[0] === "eval") return words.slice(1).join(" ");
  if (!SHELLS.has(nameOf(words))) return "";
  const option = words.findIndex((word, index) => index > 0 && /^-[a-z]*c[a-z]*$/.test(word));
  return option === -1 ? "" : (words[option + 1] ?? "");
}

/** `/usr/bin/curl` is `curl`. */
const nameOf = (words: readonly string[]) => (words[0] ?? "").replace(/^.*\//s, "");
