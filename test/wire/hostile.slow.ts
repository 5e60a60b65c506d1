import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { editRequest } from "../../src/arms/wire/edit-request.ts";
import { openReply, replyRoom } from "../../src/arms/wire/open-reply.ts";
import { readRequest } from "../../src/arms/wire/read-request.ts";
import { WIRES } from "../../src/domain/external-agent.ts";
import type { LooseRecord } from "../../src/domain/lenient.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import { GOLDEN } from "./golden.ts";
import { atOnce, endOf, pass, STREAM, sse } from "./streams.ts";

const PATH = "/v1beta/models/m:generateContent";

/** Words of the wires, so that what is made of them comes close to what is read. */
const WORDS = [
  ...["type", "index", "delta", "content", "content_block", "message", "usage", "tool_use", "choices", "tool_calls"],
  ...["function", "arguments", "item", "output", "output_index", "response", "candidates", "parts", "functionCall"],
  ...["content_block_start", "content_block_delta", "response.output_item.done", "function_call", "status", "tools"],
  ...[
    "messages",
    "input",
    "contents",
    "role",
    "source",
    "image_url",
    "tool_choice",
    "namespace",
    "error",
    "name",
    "id",
  ],
];

const word = fc.constantFrom(...WORDS);

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(word, fc.constantFrom(null, true, 0, -1, 1.5, 1e300, "", "ü", "__proto__")),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(word, tie("tree"), { maxKeys: 6 }),
  ),
}));

const record = fc.dictionary(word, tree, { maxKeys: 8 });

/** Events of the golden streams, in any order, some of them with a field exchanged. */
const EVENTS = GOLDEN.flatMap(({ sent }) =>
  sent.split("\n").flatMap((line): LooseRecord[] => (line.startsWith("data: {") ? [JSON.parse(line.slice(6))] : [])),
);

const event = fc.oneof(
  record,
  fc.constantFrom(...EVENTS),
  fc.tuple(fc.constantFrom(...EVENTS), word, tree).map(([one, field, value]) => ({ ...one, [field]: value })),
);

describe.each(WIRES)("%s", (wire) => {
  test("no request is read or edited with an exception", () => {
    fc.assert(
      fc.property(record, (body) => {
        readRequest(wire, PATH, body);
        editRequest(wire, PATH, body, { model: "m", without_provider_tools: true });
      }),
      { numRuns: 200 },
    );
  });

  test("no reply is read with an exception, in whatever order its events come; what is not refused passes unchanged", () => {
    const gate = fc.constantFrom(
      () => null,
      () => ({ command: "x" }),
      () => "x",
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), gate, (events, decide) => {
        pass(wire, sse(...events), { ...STREAM, gate: decide });
        pass(wire, JSON.stringify(events), { content_type: "application/json", gate: decide });
        expect(pass(wire, sse(...events)).bytes.toString()).toBe(sse(...events));
      }),
      { numRuns: 200 },
    );
  });

  test("bytes that are no text and no event pass unchanged", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const content_type of ["text/event-stream", "application/json"])
          expect(pass(wire, bytes, { content_type }).bytes.equals(bytes)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test("what is nested deeper than anyone writes is neither read nor passed on", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const passed = pass(wire, `data: {"x":${deep}}\n\ndata: {"choices":[]}\n\n`, { ...STREAM, gate: () => null });
    expect(passed.bytes).toHaveLength(0);
    expect(passed.reply).toMatchObject({ ended: "cut", error: expect.stringContaining("nested") });
    const body: LooseRecord = JSON.parse(
      `{"messages":${deep},"input":${deep},"contents":${deep},"tools":${deep},"system":${deep}}`,
    );
    readRequest(wire, PATH, body);
    expect(editRequest(wire, PATH, body, { model: "m", without_provider_tools: true }).refused).toContain("nested");
  });
});

const CALL_START = {
  type: "content_block_start",
  index: 0,
  content_block: { type: "tool_use", id: "t", name: "Bash", input: {} },
};

const BEGIN = { type: "message_start", message: { usage: {} } };

const piece = (partial_json: string) =>
  Buffer.from(sse({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json } }));

test("a call without an end is held up to a bound, and then nothing more passes", () => {
  const reader = openReply("anthropic", { ...STREAM, gate: () => null });
  let out = atOnce(reader.push(Buffer.from(sse(CALL_START)))).length;
  const chunk = piece("x".repeat(64 * 1024));
  for (let sent = 0; sent < 100; sent += 1) out += atOnce(reader.push(chunk)).length;
  const { bytes, reply } = endOf(reader);
  expect(out + bytes.length).toBe(0);
  expect(reply).toMatchObject({ ended: "cut", error: expect.stringContaining("larger") });
  expect(reply.calls[0]?.unparsed?.length).toBeLessThanOrEqual(4 * 1024 * 1024);
});

test("replies that come side by side hold so many bytes together, and one that is cut or ends gives its own back", () => {
  const room = replyRoom();
  const opened = (bytes: number) => {
    const reader = openReply("anthropic", { ...STREAM, gate: () => null, room });
    atOnce(reader.push(Buffer.from(sse(BEGIN, CALL_START))));
    // Each has a megabyte, and nearly all of it is none of the call.
    const padded = { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "x" } };
    const chunk = Buffer.from(sse({ ...padded, pad: "x".repeat(1024 * 1024) }));
    for (let sent = 0; sent < bytes; sent += chunk.length) atOnce(reader.push(chunk));
    return reader;
  };
  const [first, second] = [opened(20_000_000), opened(20_000_000)];
  const third = opened(10_000_000);
  expect(endOf(second).reply).toMatchObject({ error: expect.stringContaining("those beside it") });
  expect([first, third].map((reader) => endOf(reader).reply.error)).toEqual([null, null]);
  expect(endOf(opened(30_000_000)).reply.error).toBeNull();
  expect(room.held).toBe(0);
});

test("an event without an end is kept up to a bound, and then nothing more passes", () => {
  const reader = openReply("chat", STREAM);
  const chunk = Buffer.alloc(1024 * 1024, "x");
  let out = atOnce(reader.push(Buffer.from("data: "))).length;
  for (let sent = 0; sent < 40; sent += 1) out += atOnce(reader.push(chunk)).length;
  const { bytes, reply } = endOf(reader);
  expect(out + bytes.length).toBe(0);
  expect(reply).toMatchObject({ ended: "cut", error: expect.stringContaining("larger") });
});

test.each(["", "\n\n"])("an event of bytes that are no UTF-8 is decoded up to a bound (end: %j)", (behind) => {
  const sent = (wrong: number) =>
    Buffer.concat([Buffer.from(`${sse(BEGIN)}data: `), Buffer.alloc(wrong, 0xff), Buffer.from(behind)]);
  expect(pass("anthropic", sent(1_000)).bytes).toEqual(sent(1_000));
  const { bytes, reply } = pass("anthropic", sent(2_000_000));
  expect(bytes.toString()).toBe(sse(BEGIN));
  expect(reply).toMatchObject({ ended: "cut", error: expect.stringContaining("larger") });
});

test("calls without number are kept up to a bound", () => {
  const calls = (from: number) =>
    Array.from({ length: 1000 }, (_, at) => ({
      index: from + at,
      id: `c${from + at}`,
      function: { name: "x", arguments: "" },
    }));
  const reader = openReply("chat", { ...STREAM, gate: () => null });
  for (let from = 0; from < 30_000; from += 1000)
    atOnce(reader.push(Buffer.from(sse({ choices: [{ index: 0, delta: { tool_calls: calls(from) } }] }))));
  const { reply } = endOf(reader);
  expect(reply).toMatchObject({ ended: "cut", error: expect.stringContaining("larger") });
  expect(reply.calls.length).toBeLessThan(20_000);
});

test("a huge id counts by its digest, in the call as in its result", () => {
  const id = "i".repeat(1_000_000);
  const call = { ...CALL_START, content_block: { ...CALL_START.content_block, id } };
  const { reply } = pass("anthropic", sse(call, { type: "content_block_stop", index: 0 }, { type: "message_stop" }));
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "done" }] };
  const { results } = readRequest("anthropic", PATH, { messages: [result] });
  expect(reply.calls).toEqual([{ id: sha256(id), name: "Bash", input: {} }]);
  expect(results.map(({ call_id }) => call_id)).toEqual([sha256(id)]);
});

test("a call with an argument that is nested too deep to be read goes to no agent", () => {
  const deep = `${"[".repeat(230)}${"]".repeat(230)}`;
  const given = `{"command":"ls","x":${deep}}`;
  const entry = { index: 0, id: "c", function: { name: "bash", arguments: given } };
  const chat = sse({ choices: [{ index: 0, delta: { tool_calls: [entry] }, finish_reason: "tool_calls" }] });
  const gemini = `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"bash","args":${given}}}]}}]}\n\n`;
  for (const { bytes, reply } of [pass("chat", chat), pass("gemini", gemini)]) {
    expect(bytes).toHaveLength(0);
    expect(reply).toMatchObject({ ended: "cut", error: expect.stringContaining("nested deeper") });
  }
});
