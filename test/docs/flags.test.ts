import { expect, test } from "bun:test";
import { join } from "node:path";
import { COMMAND_TABLE } from "../../src/doors/cli/shell/command-table.ts";
import { ROOT } from "../abeval.ts";
import { PAGES } from "./pages.ts";

const flagsIn = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);

const COMMANDS = Object.keys(COMMAND_TABLE);
const known = new Set([
  ...["--version", "--help"],
  ...Object.values(COMMAND_TABLE).flatMap(({ flags }) => Object.keys(flags).map((flag) => `--${flag}`)),
]);

/** A flag of every command. */
const SELF_EXPLAINING = ["--help", "--version"];

/** Flags of other programs, in inline code. */
const FOREIGN = ["--security-opt"];

/** Commands of abeval with their continued lines, and inline code that begins with a flag. */
const ourFlags = (text: string) =>
  [
    ...text.matchAll(
      new RegExp(String.raw`(?:^|[\s\x60])(?:\./)?abeval (?:${COMMANDS.join("|")})\b(?:\\\n|[^\n\x60])*`, "g"),
    ),
    ...text.matchAll(/`--[^`]+`/g),
  ]
    .flatMap(([piece]) => flagsIn(piece))
    .filter((flag) => !FOREIGN.includes(flag));

test.each(PAGES.map(({ path, text }) => [path, text] as const))("every flag in %s is one of a command", (_, text) => {
  expect(ourFlags(text).filter((flag) => !known.has(flag))).toEqual([]);
});

test("every flag of every command is explained in the README or the docs", () => {
  const told = new Set(PAGES.flatMap(({ text }) => ourFlags(text)));
  expect([...known].filter((flag) => !told.has(flag) && !SELF_EXPLAINING.includes(flag))).toEqual([]);
});

test.each([
  ["faults/main.ts", "campaigns: kills"],
  ["bench/main.ts", "parts: start"],
])("%s says what it takes and starts nothing for a flag that it does not know", async (script, usage) => {
  await using child = Bun.spawn([process.execPath, join(ROOT, script), "--help"], { stdin: "ignore", stderr: "pipe" });
  expect(await new Response(child.stderr).text()).toContain(usage);
  expect(await child.exited).toBe(2);
});
