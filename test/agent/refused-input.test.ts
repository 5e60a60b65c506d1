import { expect, test } from "bun:test";
import { refusedInput } from "../../src/arms/agent/log/agent-calls.ts";

const refused = (input: unknown, unparsed?: string) =>
  refusedInput({ id: "1", name: "shell", input, ...(unparsed !== undefined && { unparsed }) }, "It's no");

const COMMAND = "echo 'It'\\''s no' >&2; exit 126";

test.each([
  ["a line", { command: "rm -rf /", timeout: 5 }, { command: COMMAND, timeout: 5 }],
  ["a line by another name", { cmd: "rm" }, { cmd: COMMAND }],
  ["a program with arguments", { command: ["bash", "-lc", "rm"] }, { command: ["sh", "-c", COMMAND] }],
  ["several lines", { commands: ["rm", "ls"] }, { commands: [COMMAND] }],
  [
    "an action of a shell",
    { action: { type: "exec", command: ["rm"] } },
    { action: { type: "exec", command: ["sh", "-c", COMMAND] } },
  ],
  ["free text", "rm", COMMAND],
  ["what is typed into a shell that runs", { session_id: 1, chars: "rm\n" }, { session_id: 1, chars: `${COMMAND}\n` }],
  ["a line under a name of its own", { line: "rm", timeout: 5 }, { line: COMMAND, timeout: 5 }],
  ["a line beside an empty action", { command: "rm", action: {} }, { command: COMMAND, action: {} }],
  ["every one of several lines", { command: "rm", cmd: "ls" }, { command: COMMAND, cmd: COMMAND }],
])("%s is exchanged in its own shape", (_what, input, expected) => {
  expect(refused(input)).toEqual(expected);
});

test("an input that cannot be read is exchanged whole, and one without a command not at all", () => {
  expect(refused(undefined, '{"command": "rm')).toBe(COMMAND);
  expect(refused({ timeout: 5 })).toBeNull();
  expect(refused(5)).toBeNull();
});

test("the shell says why and fails", () => {
  const { exitCode, stderr } = Bun.spawnSync(["sh", "-c", COMMAND]);
  expect([exitCode, stderr.toString()]).toEqual([126, "It's no\n"]);
});
