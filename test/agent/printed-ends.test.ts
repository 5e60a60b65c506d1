import { expect, test } from "bun:test";
import { PrintedEnds } from "../../src/arms/agent/external-arm.ts";

async function* chunks(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test("little is kept whole, whatever its pieces", async () => {
  const ends = new PrintedEnds(chunks("one ", "two", ""));
  await ends.done;
  expect(ends.text).toBe("one two");
});

test("of much the beginning and the end are kept, and what is missing is counted", async () => {
  const ends = new PrintedEnds(chunks("a".repeat(10_000), "b".repeat(3_000_000), "c".repeat(10)));
  await ends.done;
  expect(ends.text).toStartWith(`${"a".repeat(10_000)}b`);
  expect(ends.text).toEndWith(`b${"c".repeat(10)}`);
  expect(ends.text).toContain(`[... ${3_010_010 - 32_768} bytes left out ...]`);
});

test("a stream that breaks off gives what came", async () => {
  async function* broken() {
    yield Buffer.from("so far");
    throw new Error("gone");
  }
  const ends = new PrintedEnds(broken());
  await ends.done;
  expect(ends.text).toBe("so far");
});
