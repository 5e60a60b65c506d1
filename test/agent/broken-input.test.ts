import { expect, test } from "bun:test";
import { BROKEN_CHARS, refusalOfBroken, textsIn } from "../../src/arms/agent/log/agent-calls.ts";
import { policies } from "../policy/policies.ts";

test("texts are found in an input that is no JSON, whole or broken off", () => {
  expect(textsIn('{"command":"rm \\"a\\"",}')).toEqual(['rm "a"']);
  expect(textsIn('{"command" : ["sh","-c","rm a')).toEqual(["sh", "-c", "rm a"]);
  expect(textsIn('{"command": "rm a\\')).toEqual(["rm a"]);
  expect(textsIn("no text")).toEqual([]);
});

const LONG = `{"command":"${"x".repeat(BROKEN_CHARS)}`;
const MANY = `[${'"x",'.repeat(1_001)}`;

test("a broken input is refused for one of its texts", () => {
  expect(refusalOfBroken(policies(), '{"command": "git push')?.rule).toBe("git push*");
  expect(refusalOfBroken(policies(), '{"command": "git status')).toBeNull();
});

test.each([
  ["long", LONG],
  ["full of texts", MANY],
])("an input that is too %s to be read is refused where commands have rules, and nowhere else", (_, input) => {
  const { commands } = policies();
  expect(refusalOfBroken(policies(), input)).toMatchObject({
    rule: "commands.deny",
    message: expect.stringContaining("at most 16384 characters and 500 texts are read). Send it as valid JSON."),
  });
  const closed = policies({ commands: { ...commands, deny: [], allow: ["*"] } });
  expect(refusalOfBroken(closed, input)?.rule).toBe("commands.allow");
  expect(refusalOfBroken(policies({ commands: { ...commands, deny: [] } }), input)).toBeNull();
});
