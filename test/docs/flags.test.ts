import { expect, test } from "bun:test";
import { abeval } from "../abeval.ts";
import { PAGES } from "./pages.ts";

const flagsIn = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);

const helps = await Promise.all(["run", "serve", "mcp"].map((command) => abeval([command, "--help"])));
const known = new Set(["--version", ...helps.flatMap(({ stdout }) => flagsIn(stdout))]);

/** Every command has it, and says so itself. */
const SELF_EXPLAINING = ["--help", "--version"];

/** Of curl, docker and the like, in inline code. */
const FOREIGN = ["--security-opt"];

/** Commands of ours with their continued lines, and inline code that begins with a flag. */
const ourFlags = (text: string) =>
  [...text.matchAll(/(?:^|\s)(?:\.\/)?abeval (?:run|serve|mcp)\b(?:[^\n`]|\\\n)*/g), ...text.matchAll(/`--[^`]+`/g)]
    .flatMap(([piece]) => flagsIn(piece))
    .filter((flag) => !FOREIGN.includes(flag));

test.each(PAGES.map(({ path, text }) => [path, text] as const))("every flag in %s is one of a command", (_, text) => {
  expect(ourFlags(text).filter((flag) => !known.has(flag))).toEqual([]);
});

test("every flag of every command is explained in the README or the docs", () => {
  const told = new Set(PAGES.flatMap(({ text }) => ourFlags(text)));
  expect([...known].filter((flag) => !told.has(flag) && !SELF_EXPLAINING.includes(flag))).toEqual([]);
});
