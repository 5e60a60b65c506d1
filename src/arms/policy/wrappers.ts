import type { SimpleCommand } from "./shell-commands.ts";
import type { ShellWord } from "./shell-words.ts";

/** A command that runs another. Options are as written; a letter is short for `-` and that letter. */
interface Wrapper {
  /** Options that take a value in the next word. */
  readonly valued?: readonly string[];
  /** Options with which it runs nothing. */
  readonly asks?: readonly string[];
  /** Words of its own between its options and the command. */
  readonly operands?: number;
  /** What the command reads is not what the wrapper reads. */
  readonly takes_input?: true;
}

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["builtin", {}],
  ["command", { asks: ["v", "V"] }],
  ["doas", { valued: ["u", "C"] }],
  ["env", { valued: ["u", "C", "--unset", "--chdir"] }],
  ["exec", { valued: ["a"] }],
  ["ionice", { valued: ["c", "n", "p", "--class", "--classdata"] }],
  ["nice", { valued: ["n", "--adjustment"] }],
  ["nohup", {}],
  ["setsid", {}],
  ["stdbuf", { valued: ["i", "o", "e", "--input", "--output", "--error"] }],
  [
    "sudo",
    { valued: ["u", "g", "h", "p", "C", "T", "R", "D", "--user", "--group", "--chdir"], asks: ["l", "v", "--list"] },
  ],
  ["time", { valued: ["f", "o", "--format", "--output"] }],
  ["timeout", { valued: ["k", "s", "--kill-after", "--signal"], operands: 1 }],
  [
    "xargs",
    {
      valued: ["I", "n", "d", "L", "P", "s", "E", "a", "--max-args", "--max-procs", "--max-lines", "--delimiter"],
      takes_input: true,
    },
  ],
]);

const SHELLS = new Set(["sh", "bash", "dash", "zsh", "ksh"]);
const SHELL_VALUED = ["o", "O", "--rcfile", "--init-file"];

const FIND_RUNS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** The commands that a wrapper runs; none when the command is no wrapper. */
export function wrappedIn(command: SimpleCommand): readonly SimpleCommand[] {
  const { words, redirections, input } = command;
  const name = words[0]?.name ?? "";
  if (name === "find") return findRuns(words).map((wrapped) => commandOf(wrapped, redirections, undefined));
  const wrapper = WRAPPERS.get(name);
  if (wrapper === undefined) return [];
  const { options, rest } = split(words.slice(1), wrapper.valued ?? []);
  if (options.some((option) => wrapper.asks?.includes(option))) return [];
  const assigned = rest.findIndex(({ plain }) => !/^[A-Za-z_]\w*\+?=/.test(plain));
  const wrapped = assigned === -1 ? [] : rest.slice(assigned + (wrapper.operands ?? 0));
  return [commandOf(wrapped, redirections, wrapper.takes_input ? undefined : input)];
}

/** The script that a command runs; empty when it runs none, null when it is known only when it runs. */
export function scriptIn({ words, input }: SimpleCommand): string | null {
  const [first, ...rest] = words;
  const name = first?.name ?? "";
  if (name === "eval") return rest.map(({ plain }) => plain).join(" ");
  if (name === "trap") return trapped(rest);
  return SHELLS.has(name) ? shellScript(rest, input) : "";
}

/** `trap script signal`; `trap - signal` has none. */
const trapped = ([script, signal]: readonly ShellWord[]): string =>
  script && signal && !script.plain.startsWith("-") ? script.plain : "";

/** A script that is a file is not read. */
function shellScript(words: readonly ShellWord[], input: SimpleCommand["input"]): string | null {
  const { options, rest } = split(words, SHELL_VALUED);
  const [operand] = rest;
  if (options.includes("c")) return operand?.plain ?? "";
  if (operand === undefined || options.includes("s")) return input === undefined ? "" : input;
  return operand.plain === "$()" ? null : "";
}

const commandOf = (
  words: readonly ShellWord[],
  redirections: readonly string[],
  input: SimpleCommand["input"],
): SimpleCommand => ({ written: "", raw: "", words, redirections, input });

/** The options in front, letters one by one, and the words after them. */
function split(words: readonly ShellWord[], valued: readonly string[]) {
  const options: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const text = words[at]?.plain ?? "";
    if (text === "--") return { options, rest: words.slice(at + 1) };
    if (!/^[-+]./.test(text)) return { options, rest: words.slice(at) };
    const own = text.startsWith("--") ? [text.replace(/=.*/s, "")] : lettersOf(text.slice(1), valued);
    options.push(...own);
    const last = own.at(-1) ?? "";
    if (valued.includes(last) && text.endsWith(last)) at += 1;
  }
  return { options, rest: [] };
}

/** What follows a letter that takes a value is that value. */
function lettersOf(cluster: string, valued: readonly string[]): string[] {
  const letters = cluster.split("");
  const value = letters.findIndex((letter) => valued.includes(letter));
  return value === -1 ? letters : letters.slice(0, value + 1);
}

function findRuns(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const runs: (readonly ShellWord[])[] = [];
  for (let at = 1; at < words.length; at += 1) {
    if (!FIND_RUNS.has(words[at]?.plain ?? "")) continue;
    const end = words.findIndex(({ plain }, index) => index > at && (plain === ";" || plain === "+"));
    runs.push(words.slice(at + 1, end === -1 ? words.length : end));
    at = end === -1 ? words.length : end;
  }
  return runs;
}
