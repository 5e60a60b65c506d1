import { expect, test } from "bun:test";
import { join } from "node:path";
import { readShell, type SimpleCommand } from "../../src/arms/policy/shell-commands.ts";
import { scriptIn, wrappedIn } from "../../src/arms/policy/wrappers.ts";

/** Shell lines as coding agents write them, each above the names of all that it runs. `?` is what nobody knows before. */
const LINES = await Bun.file(join(import.meta.dir, "agent-commands.txt")).text();

const examples = LINES.split(/(?<=^=>.*)\n/m)
  .filter((block) => block !== "")
  .map((block) => {
    const [, line = "", names = ""] = /^(.*)\n=> ?(.*)$/s.exec(block) ?? [];
    return { line, names };
  });

function namesIn(line: string): readonly string[] {
  const { commands, unread } = readShell(line);
  expect(unread === null || /known only when/.test(unread)).toBe(true);
  return commands.flatMap(namesOf);
}

function namesOf(command: SimpleCommand): readonly string[] {
  const [first] = command.words;
  if (first === undefined) return [];
  const script = scriptIn(command);
  return [first.name ?? "?", ...wrappedIn(command).flatMap(namesOf), ...(script === null ? ["?"] : namesIn(script))];
}

test("two hundred lines that agents write come apart into the commands that they run", () => {
  expect(examples.length).toBeGreaterThanOrEqual(200);
  expect(examples.map(({ line }) => ({ line, names: namesIn(line).join(" ") }))).toEqual(examples);
});
