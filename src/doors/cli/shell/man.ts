import { version } from "../../../runtime/version.ts";
import { EXIT, exitCodeOfCommand } from "../exit-code.ts";
import { type FlagSpec, parseArguments } from "../flags/parse-arguments.ts";
import { writeStdout } from "../terminal/terminal.ts";
import { COMMAND_TABLE } from "./command-table.ts";

const MAN = {
  name: "abeval man",
  usage: "abeval man",
  description: "Prints the manual page, as man(1) reads it.",
  examples: ["abeval man | man -l -", "abeval man > ~/.local/share/man/man1/abeval.1"],
  parameters: [],
  flags: {},
} as const;

/** `abeval man`: returns the exit status. */
export const command = (args: readonly string[]): Promise<number> =>
  exitCodeOfCommand(MAN.name, async () => {
    await parseArguments(MAN, args);
    return (await writeStdout(manual())) ? EXIT.done : EXIT.failed;
  });

/** Text of roff: no line of it begins with a control character, and none is an escape. */
const roff = (text: string) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1")
    .replaceAll("\n", "\n.br\n");

const flagText = ([flag, { value, description }]: readonly [string, FlagSpec]) =>
  `.TP\n.B \\-\\-${roff(flag)}${value === undefined ? "" : ` ${roff(value)}`}\n${roff(description)}\n`;

function manual(): string {
  const commands = Object.values(COMMAND_TABLE).map(
    ({ usage, description, flags, examples }) =>
      `.SS ${roff(usage)}\n${roff(description)}\n${Object.entries(flags).map(flagText).join("")}.PP\n.B Examples\n.nf\n${examples.map((line) => `${roff(line)}\n`).join("")}.fi\n`,
  );
  return `.TH ABEVAL 1 "" "abeval ${roff(version)}"
.SH NAME
abeval \\- compare AI agents on one task, with evidence
.SH SYNOPSIS
.B abeval
\\fIcommand\\fR [\\fIflags\\fR]
.SH COMMANDS
${commands.join("")}`;
}
