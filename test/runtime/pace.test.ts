import { expect, test } from "bun:test";
import { breathe } from "../../src/runtime/pace.ts";
import { countTurns } from "../turns.ts";

test("those who breathe at the same moment go on in turns of their own", async () => {
  using turns = countTurns();
  const at = await Promise.all(Array.from({ length: 10 }, () => breathe().then(() => turns.count)));
  expect(new Set(at).size).toBe(10);
});
