import { expect, test } from "bun:test";
import fc from "fast-check";
import { lines, terminated } from "../src/runtime/lines.ts";

async function* chunked(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const size of sizes) {
    yield bytes.subarray(start, start + size);
    start += size;
  }
  yield bytes.subarray(start);
}

async function read(chunks: AsyncIterable<Uint8Array>, limit = 1_000) {
  let tooLong = 0;
  const texts: string[] = [];
  const count = () => {
    tooLong += 1;
  };
  for await (const line of lines(chunks, limit, count)) texts.push(Buffer.from(line).toString("latin1"));
  return { lines: texts, tooLong };
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

test("lines are the same however the bytes are cut", async () => {
  const text = fc.array(fc.constantFrom("a", "\n", "é", "\r", ""), { maxLength: 40 }).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(7), { maxLength: 20 }), async (whole, sizes) => {
      const chunks = () => chunked(bytesOf(whole), sizes);
      expect((await read(chunks())).lines).toEqual(whole.split("\n").slice(0, -1));
      expect((await read(terminated(chunks()))).lines).toEqual(whole.split("\n"));
    }),
  );
});

test("a line over the limit is passed over, wherever it is cut, and the next one is read", async () => {
  const bytes = bytesOf(`12345\n${"x".repeat(50)}\n123456\nlast\n`);
  for (const size of [1, 5, 6, 7, 56, 57, 70])
    expect(await read(chunked(bytes, Array(Math.floor(70 / size)).fill(size)), 5)).toEqual({
      lines: ["12345", "last"],
      tooLong: 2,
    });
});

test("a line over the limit is told before its end comes, which it need not have", async () => {
  let tooLong = 0;
  async function* endless() {
    while (tooLong === 0) yield bytesOf("xxx");
  }
  const count = () => {
    tooLong += 1;
  };
  expect(await Array.fromAsync(lines(endless(), 10, count))).toEqual([]);
  expect(tooLong).toBe(1);
});

test("a long line that comes byte by byte takes no more memory than its bytes", async () => {
  const before = process.memoryUsage().rss;
  async function* single() {
    for (let at = 0; at < 300_000; at += 1) yield new Uint8Array(4_096).subarray(at % 4_096, (at % 4_096) + 1);
  }
  const { lines: read_ } = await read(terminated(single()), 300_000);
  expect(read_.map(({ length }) => length)).toEqual([300_000]);
  expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
});
