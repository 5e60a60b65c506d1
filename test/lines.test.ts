import { expect, test } from "bun:test";
import fc from "fast-check";
import { lines } from "../src/lines.ts";

async function* chunked(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const size of sizes) {
    yield bytes.subarray(start, start + size);
    start += size;
  }
  yield bytes.subarray(start);
}

async function read(bytes: Uint8Array, sizes: readonly number[], limit = 1_000) {
  let tooLong = 0;
  const read = await Array.fromAsync(
    lines(chunked(bytes, sizes), limit, () => {
      tooLong += 1;
    }),
  );
  return { lines: read.map((line) => Buffer.from(line).toString("latin1")), tooLong };
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

test("lines are the same however the bytes are cut", async () => {
  const text = fc.array(fc.constantFrom("a", "\n", "é", "\r", ""), { maxLength: 40 }).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(7), { maxLength: 20 }), async (whole, sizes) => {
      expect((await read(bytesOf(whole), sizes)).lines).toEqual(whole.split("\n").slice(0, -1));
    }),
  );
});

test("a line over the limit is passed over, wherever it is cut, and the next one is read", async () => {
  const bytes = bytesOf(`12345\n${"x".repeat(50)}\n123456\nlast\n`);
  for (const size of [1, 5, 6, 7, 56, 57, 70])
    expect(await read(bytes, Array(Math.floor(70 / size)).fill(size), 5)).toEqual({
      lines: ["12345", "last"],
      tooLong: 2,
    });
});
