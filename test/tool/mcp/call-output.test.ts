import { expect, test } from "bun:test";
import { MESSAGE_VALUES } from "../../../src/arms/tool/mcp/json-rpc-peer.ts";
import { callOutput } from "../../../src/arms/tool/mcp/tool-server.ts";
import { cpuRatio, LINEAR } from "../../cpu-ratio.ts";

const many = (block: (index: number) => unknown) => (count: number) => ({
  content: Array.from({ length: count }, (_, at) => block(at)),
});

const WORST: Readonly<Record<string, (count: number) => object>> = {
  "texts without words": many(() => ({ type: "text", text: "" })),
  "blocks of a type that nobody knows": many((index) => ({ type: `z${index}`.repeat(20) })),
  "blocks that are none": many((index) => index),
  "halves of letters": many(() => ({ type: "text", text: "\ud800".repeat(50) })),
  "fields of a structure": (count) => ({
    content: [],
    structuredContent: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at])),
  }),
  lists: (count) => ({ content: [], structuredContent: { lists: Array.from({ length: count }, () => []) } }),
};

test.each(Object.entries(WORST))("four times as many %s take about four times as long", async (_, input) => {
  const read = (result: object) => callOutput(result, 16_000);
  expect(await cpuRatio({ n: MESSAGE_VALUES / 8, input, read })).toBeLessThan(LINEAR);
});

test("what is no result of a tool is told apart from a result that is empty", () => {
  for (const result of [undefined, null, "text", [], { content: "text" }, { content: null }])
    expect(callOutput(result, 100)).toBeUndefined();
  expect(callOutput({}, 100)).toEqual({ text: "[empty]", ok: true, exit_code: null, bytes: 0 });
});

test("blocks that lack what their type has become notes, and the others are read", () => {
  const types = ["text", "image", "resource", "resource_link", "video"].map((type) => ({ type }));
  expect(callOutput({ content: [...types, null, { type: "text", text: "words" }] }, 1_000)?.text).toBe(
    "\n[image, 0 kB]\n[file, 0 kB]\n[link to nowhere]\n[video, not shown]\n[something, not shown]\nwords",
  );
});
