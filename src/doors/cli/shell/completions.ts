import { EXIT, exitCodeOfCommand } from "../exit-code.ts";
import { type FlagSpec, parseArguments, UsageError } from "../flags/parse-arguments.ts";
import { writeStdout } from "../terminal/terminal.ts";
import { COMMAND_TABLE, sentenceOf } from "./command-table.ts";

const COMPLETIONS = {
  name: "abeval completions",
  usage: "abeval completions <bash|zsh|fish>",
  description:
    "Prints what completes commands and flags in a shell. bash: source it, or put it into ~/.local/share/bash-completion/completions/abeval.\n" +
    "zsh: write it to _abeval in a directory of $fpath. fish: write it to ~/.config/fish/completions/abeval.fish.",
  examples: ["source <(abeval completions bash)"],
  parameters: ["shell"],
  flags: {},
} as const;

/** `abeval completions`: returns the exit status. */
export const command = (args: readonly string[]): Promise<number> =>
  exitCodeOfCommand(COMPLETIONS.name, async () => {
    const [shell = ""] = (await parseArguments(COMPLETIONS, args)).parameters;
    const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (write === undefined) throw new UsageError(`expected ${Object.keys(SHELLS).join(", ")}, got "${shell}"`);
    return (await writeStdout(write())) ? EXIT.done : EXIT.failed;
  });

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

const WORDS = Object.keys(COMMAND_TABLE);

const flagsOf = (word: string): readonly (readonly [flag: string, spec: FlagSpec])[] =>
  Object.entries(COMMAND_TABLE[word]?.flags ?? {});

/** What a flag takes from a list; others take the name of a file, or whatever the shell proposes. */
const chosen = ({ choices }: FlagSpec) => choices?.join(" ") ?? "";

function bash(): string {
  const flags = WORDS.map(
    (word) =>
      `    ${word}) words="--help ${flagsOf(word)
        .map(([flag]) => `--${flag}`)
        .join(" ")}" ;;`,
  );
  const choices = new Map(
    WORDS.flatMap(flagsOf).flatMap(([flag, spec]) => (spec.choices ? [[flag, chosen(spec)] as const] : [])),
  );
  const values = [...choices].map(
    ([flag, list]) => `    --${flag}) COMPREPLY=($(compgen -W "${list}" -- "$word")); return ;;`,
  );
  return `# Completions of abeval for bash.
_abeval() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${WORDS.join(" ")} completions man --help --version" -- "$word"))
    return
  fi
  case $before in
${values.join("\n")}
  esac
  case \${COMP_WORDS[1]} in
${flags.join("\n")}
  esac
  [[ $word == -* ]] && COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _abeval abeval
`;
}

/** Within single quotes. */
const quoted = (text: string) => text.replaceAll("'", "'\\''");

function zsh(): string {
  const commands = Object.entries(COMMAND_TABLE).map(
    ([word, spec]) => `    '${word}:${quoted(sentenceOf(spec).replaceAll(":", "\\:"))}'`,
  );
  const explained = (text: string) => quoted(text.replace(/[[\]\\:]/g, (sign) => `\\${sign}`));
  const ofFlag = ([flag, spec]: readonly [string, FlagSpec]) => {
    const many = spec.repeatable ? "*" : "";
    const value =
      spec.value === undefined ? "" : `:${explained(spec.value)}:${spec.choices ? `(${chosen(spec)})` : "_files"}`;
    return `'${many}--${flag}[${explained(spec.description)}]${value}'`;
  };
  const cases = WORDS.map(
    (word) => `    ${word}) _arguments ${flagsOf(word).map(ofFlag).join(" ")} '*:file:_files' ;;`,
  );
  return `#compdef abeval
# Completions of abeval for zsh.
_abeval() {
  local -a commands=(
${commands.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local word=$words[2]
  shift words
  (( CURRENT -= 1 ))
  case $word in
${cases.join("\n")}
  esac
}
_abeval "$@"
`;
}

function fish(): string {
  const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  const commands = Object.entries(COMMAND_TABLE).map(
    ([word, spec]) => `complete -c abeval -n __fish_use_subcommand -a ${word} -d '${escaped(sentenceOf(spec))}'`,
  );
  const flags = WORDS.flatMap((word) =>
    flagsOf(word).map(([flag, spec]) => {
      const value = spec.value === undefined ? "" : spec.choices ? ` -x -a '${chosen(spec)}'` : " -r";
      return `complete -c abeval -n '__fish_seen_subcommand_from ${word}' -l ${flag}${value} -d '${escaped(spec.description)}'`;
    }),
  );
  return `# Completions of abeval for fish.\n${[...commands, ...flags].join("\n")}\n`;
}
