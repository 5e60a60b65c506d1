import { expect, test } from "bun:test";
import { textsIn } from "../../src/agent/broken-input.ts";

test("texts are found in an input that is no JSON, whole or broken off", () => {
  expect(textsIn('{"command":"rm \\"a\\"",}')).toEqual(['rm "a"']);
  expect(textsIn('{"command" : ["sh","-c","rm a')).toEqual(["sh", "-c", "rm a"]);
  expect(textsIn("no text")).toEqual([]);
});
