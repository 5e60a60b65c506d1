import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { ReplySoFar } from "../../src/arms/wire/reply/reply-so-far.ts";

const PIECES = 100_000;

const objects = () => {
  Bun.gc(true);
  return heapStats().objectCount;
};

test("a text and an input in pieces of some characters are no objects of their own", () => {
  const reply = new ReplySoFar();
  const call = reply.callAt("0", { id: "c", name: "shell" });
  const before = objects();
  for (let at = 0; at < PIECES; at += 1) {
    reply.addText(`${at % 10} `);
    reply.addInput(call, " ");
  }
  expect(objects() - before).toBeLessThan(PIECES / 10);
  expect(call.chars).toBe(PIECES);
  expect(reply.text).toBe("0 1 2 3 4 5 6 7 8 9 ".repeat(PIECES / 10));
});
