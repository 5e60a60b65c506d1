import { expect, test } from "bun:test";
import { COMMAND_TABLE } from "../../src/doors/cli/shell/command-table.ts";
import { abeval } from "../abeval.ts";
import { BASH, program } from "../machine.ts";
import { testNeeding } from "../needs.ts";

const script = async (...args: string[]) => {
  const { status, stdout, stderr } = await abeval(args);
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
};

const WORDS = Object.keys(COMMAND_TABLE);

async function readBy(shell: readonly string[], input: string): Promise<string> {
  const child = Bun.spawn([...shell], { stdin: Buffer.from(input), stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect([await child.exited, err]).toEqual([0, ""]);
  return out;
}

testNeeding(BASH)("bash completes commands, each command's own flags, and the words of a flag", async () => {
  const source = await script("completions", "bash");
  const completed = async (...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(" ");
    const asked = `${source}\nCOMP_WORDS=(abeval ${line}); COMP_CWORD=${words.length}; _abeval; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return (await readBy(["bash", "--noprofile", "--norc"], asked)).trimEnd().split("\n");
  };
  expect(await completed("")).toEqual([...WORDS, "completions", "man", "--help", "--version"]);
  for (const [word, { flags }] of Object.entries(COMMAND_TABLE))
    expect(await completed(word, "--")).toEqual(["--help", ...Object.keys(flags).map((flag) => `--${flag}`)]);
  expect(await completed("run", "--sandbox", "")).toEqual(["auto", "bubblewrap", "none"]);
  expect(await completed("run", "--no-col")).toEqual(["--no-color"]);
  // A file is completed by the shell.
  expect(await completed("run", "x")).toEqual([""]);
});

testNeeding(program("zsh"))("zsh reads its completions", async () => {
  const source = await script("completions", "zsh");
  await readBy(["zsh", "-f", "-n"], source);
  expect(source).toStartWith("#compdef abeval\n");
});

testNeeding(program("fish"))("fish completes flags", async () => {
  const asked = `${await script("completions", "fish")}\ncomplete -C 'abeval check --tri'`;
  expect(await readBy(["fish", "--no-config"], asked)).toStartWith("--trials\t");
});

test("zsh and fish are told each flag of each command", async () => {
  const [zsh, fish] = [await script("completions", "zsh"), await script("completions", "fish")];
  for (const [word, { flags }] of Object.entries(COMMAND_TABLE))
    for (const flag of Object.keys(flags)) {
      expect(zsh).toMatch(new RegExp(`^ +${word}\\) _arguments .*'\\*?--${flag}\\[`, "m"));
      expect(fish).toContain(`'__fish_seen_subcommand_from ${word}' -l ${flag} `);
    }
});

test("a shell that nobody knows is refused by name", async () => {
  const { status, stderr } = await abeval(["completions", "csh"]);
  expect([status, stderr]).toEqual([2, expect.stringContaining('expected bash, zsh, fish, got "csh"')]);
});

test("the manual page tells every flag of every command, and nothing of it is a command of its own", async () => {
  const page = await script("man");
  for (const { flags, examples } of Object.values(COMMAND_TABLE)) {
    for (const flag of Object.keys(flags)) expect(page).toContain(`\\-\\-${flag.replaceAll("-", "\\-")}`);
    for (const example of examples) expect(page).toContain(example.replaceAll("-", "\\-"));
  }
  for (const line of page.split("\n").filter((one) => /^[.']/.test(one)))
    expect(line).toMatch(/^\.(TH|SH|SS|TP|B|PP|nf|fi|br)( |$)/);
});

testNeeding(program("groff"))("groff finds nothing wrong in the manual page", async () => {
  await readBy(["groff", "-man", "-ww", "-Tutf8"], await script("man"));
});
