import { expect, test } from "bun:test";
import { SseBlocks } from "../../src/arms/wire/sse-blocks.ts";
import { GrownBytes } from "../../src/runtime/grown-bytes.ts";

const only = (bytes: Uint8Array) => {
  const [block] = new SseBlocks(1_000).push(bytes);
  return { data: block?.data?.toString(), event: block?.event, foreign: block?.foreign };
};

const ONE = { event: undefined, foreign: false };

test("the data of an event in one line is no copy of it", () => {
  const bytes = Buffer.from('event: a\ndata: {"b":1}\n\n');
  const [block] = new SseBlocks(1_000).push(bytes);
  expect(block?.data?.buffer).toBe(bytes.buffer);
  expect(block).toMatchObject({ event: "a", foreign: false });
  expect(`${block?.data}`).toBe('{"b":1}');
});

test("lines end with LF, CR or both, and only one space before a value is left out", () => {
  for (const end of ["\n", "\r", "\r\n"]) {
    const bytes = Buffer.from([": hm", "data", "data:  a", "event:b", "data:c", "", "x"].join(end));
    expect(only(bytes)).toEqual({ data: "\n a\nc", event: "b", foreign: false });
  }
});

test("a mark before the first line says nothing, and a wrong byte is replaced", () => {
  expect(only(Buffer.from("\uFEFFdata: a\n\n"))).toEqual({ ...ONE, data: "a" });
  expect(only(Buffer.concat([Buffer.from("data: "), Buffer.from([0xff]), Buffer.from("\n\n")]))).toEqual({
    ...ONE,
    data: "\uFFFD",
  });
});

test("a name that only begins like a known one is foreign", () => {
  for (const line of ["dat: a", "datas: a", "eventual: a", "retrying: 1", "{}"])
    expect(only(Buffer.from(`${line}\n\n`))).toEqual({ data: undefined, event: undefined, foreign: true });
});

test("a long piece is kept without a copy, alone and between short ones", () => {
  const long = new Uint8Array(100_000).fill(7);
  const grown = new GrownBytes();
  grown.add(long);
  expect(grown.take()).toBe(long);
  for (const piece of [Buffer.from("a"), long, Buffer.from("b")]) grown.add(piece);
  expect(grown.length).toBe(100_002);
  expect(Buffer.concat([Buffer.from("a"), long, Buffer.from("b")]).equals(grown.take())).toBe(true);
});
