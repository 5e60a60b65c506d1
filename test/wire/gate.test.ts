import { describe, expect, test } from "bun:test";
import { openReply } from "../../src/arms/wire/open-reply.ts";
import type { InSteps } from "../../src/arms/wire/reply-reader.ts";
import type { WireCall } from "../../src/arms/wire/wire.ts";
import { CALLING, instead } from "./refusals.ts";
import { atOnce, endOf, pass, STREAM, sse } from "./streams.ts";

const asPassed = (call: WireCall) => ({ ...call, input: instead(call) });

describe.each(CALLING)("$wire: $title", ({ wire, sent, reply }) => {
  test("a gate that refuses everything leaves no word of any call, and all that is beside them", () => {
    const passed = pass(wire, sent, { ...STREAM, gate: instead });
    const again = pass(wire, passed.bytes).reply;
    const { message_digest } = passed.reply;
    expect(passed.reply).toEqual({ ...reply, message_digest });
    expect(again).toEqual({ ...reply, calls: reply.calls.map(asPassed), message_digest });
    for (const word of ["ls", "pwd", "a.js", "Begin Patch"])
      expect(passed.bytes.toString()).not.toMatch(new RegExp(`\\b${word}\\b`));
  });

  test("one refused call among others changes that one", () => {
    for (const [refused] of reply.calls.entries()) {
      let nth = -1;
      const gate = (call: WireCall) => {
        nth += 1;
        return nth === refused ? instead(call) : null;
      };
      const { calls } = pass(wire, pass(wire, sent, { ...STREAM, gate }).bytes).reply;
      expect(calls).toEqual(reply.calls.map((call, at) => (at === refused ? asPassed(call) : call)));
    }
  });

  test("there is a step for others before each call that the gate is asked about", () => {
    const asked: string[] = [];
    const gate = ({ name }: WireCall) => {
      asked.push(name);
      return null;
    };
    const reader = openReply(wire, { ...STREAM, gate });
    const before = turnsIn(reader.push(Buffer.from(sent))) + turnsIn(reader.end());
    expect(before).toBe(asked.length);
    expect(asked).toEqual(reply.calls.map(({ name }) => name));
  });

  test("no byte of a call goes on before the gate was asked about it", () => {
    const asked: string[] = [];
    const reader = openReply(wire, {
      ...STREAM,
      gate: ({ name }) => {
        asked.push(name);
        return null;
      },
    });
    for (const byte of Buffer.from(sent)) {
      const out = Buffer.from(atOnce(reader.push(Buffer.of(byte)))).toString();
      if (reply.calls.some(({ id }) => id !== null && out.includes(id))) expect(asked.length).toBeGreaterThan(0);
    }
    endOf(reader);
    expect(asked).toEqual(reply.calls.map(({ name }) => name));
  });
});

const turnsIn = (steps: InSteps<unknown>) => [...steps].filter((bytes) => bytes === undefined).length;

const CHAT_BODY = {
  id: "chatcmpl-1",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "I look.",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } }],
      },
      finish_reason: "tool_calls",
    },
  ],
  usage: { prompt_tokens: 5, completion_tokens: 2 },
};

const BODIES = {
  anthropic: {
    type: "message",
    content: [
      { type: "text", text: "I look." },
      { type: "tool_use", id: "call_1", name: "bash", input: { command: "ls" } },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 5, output_tokens: 2 },
  },
  chat: CHAT_BODY,
  responses: {
    object: "response",
    status: "completed",
    output: [
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      { type: "function_call", call_id: "call_1", name: "bash", arguments: '{"command":"ls"}' },
    ],
    usage: { input_tokens: 5, output_tokens: 2 },
  },
  gemini: [
    { candidates: [{ content: { parts: [{ text: "I look." }] } }] },
    {
      candidates: [
        {
          content: { parts: [{ functionCall: { id: "call_1", name: "bash", args: { command: "ls" } } }] },
          finishReason: "STOP",
        },
      ],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
    },
  ],
} as const;

test.each(["anthropic", "chat", "responses", "gemini"] as const)(
  "%s: a reply that is no stream is read and gated, too",
  (wire) => {
    const sent = JSON.stringify(BODIES[wire], null, 2);
    const json = { content_type: "application/json" };
    const call = { id: "call_1", name: "bash", input: { command: "ls" } };
    const passed = pass(wire, sent, { ...json, gate: () => null }, [3, 50]);
    expect(passed.bytes.toString()).toBe(sent);
    expect(passed.reply).toMatchObject({ text: "I look.", calls: [call], tokens_in: 5, tokens_out: 2, ended: "whole" });
    const refused = pass(wire, sent, { ...json, gate: instead });
    expect(refused.reply.calls).toEqual([call]);
    expect(pass(wire, refused.bytes, json).reply).toMatchObject({
      text: "I look.",
      calls: [asPassed(call)],
      ended: "whole",
    });
  },
);

test("responses: a shell call and a patch whose input is no text are exchanged as objects, and their pieces left out", () => {
  const item = (action: object) => ({ id: "sh_1", type: "shell_call", call_id: "call_1", action });
  const patch = (operation: object) => ({ id: "ap_1", type: "apply_patch_call", call_id: "call_2", operation });
  const sent = sse(
    { type: "response.output_item.added", output_index: 0, item: item({ commands: [] }) },
    { type: "response.shell_call_command.delta", output_index: 0, command_index: 0, delta: "rm" },
    { type: "response.output_item.done", output_index: 0, item: item({ commands: ["rm"] }) },
    { type: "response.output_item.added", output_index: 1, item: patch({ type: "delete_file", path: "rm" }) },
    { type: "response.output_item.done", output_index: 1, item: patch({ type: "delete_file", path: "rm" }) },
  );
  const gate = ({ name }: WireCall) => (name === "shell" ? { commands: ["echo refused"] } : null);
  const passed = pass("responses", sent, { ...STREAM, gate });
  expect(passed.reply.calls).toEqual([
    { id: "call_1", name: "shell", input: { commands: ["rm"] } },
    { id: "call_2", name: "apply_patch", input: { type: "delete_file", path: "rm" } },
  ]);
  expect(passed.bytes.toString()).toBe(
    sse(
      { type: "response.output_item.added", output_index: 0, item: item({ commands: ["echo refused"] }) },
      { type: "response.output_item.done", output_index: 0, item: item({ commands: ["echo refused"] }) },
      { type: "response.output_item.added", output_index: 1, item: patch({ type: "delete_file", path: "rm" }) },
      { type: "response.output_item.done", output_index: 1, item: patch({ type: "delete_file", path: "rm" }) },
    ),
  );
});

test("responses: a client that adds the pieces to what the item began with has the new input", () => {
  const [calling] = CALLING.filter(({ wire, title }) => wire === "responses" && title.includes("three forms"));
  const { bytes } = pass("responses", calling?.sent ?? "", { ...STREAM, gate: instead });
  const events = bytes
    .toString()
    .split("\n")
    .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []))
    .filter(({ output_index }) => output_index === 1);
  const begun = events.map(({ type, item }) => (type === "response.output_item.added" ? item.arguments : ""));
  const pieces = events.map(({ delta }) => delta ?? "");
  expect(JSON.parse([...begun, ...pieces].join(""))).toEqual({ command: "echo refused" });
});

const LONG_CALLS = Array.from({ length: 250 }, (_, index) => ({
  ...{ index, id: `c${index}`, type: "function" },
  function: { name: "shell", arguments: JSON.stringify({ command: "x".repeat(16_000) }) },
}));
const message = { role: "assistant", tool_calls: LONG_CALLS };

test.each([
  ["one JSON", "application/json", JSON.stringify({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] })],
  [
    "a stream",
    STREAM.content_type,
    sse(
      { choices: [{ index: 0, delta: message }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    ),
  ],
])("long inputs of calls are read in several steps, in %s", (_, content_type, sent) => {
  const reader = openReply("chat", { content_type });
  const turns = turnsIn(reader.push(Buffer.from(sent))) + turnsIn(reader.end());
  expect(turns).toBeGreaterThanOrEqual(7);
});

test("the lines of an event of megabytes are read in one step, and its JSON in many", () => {
  const reader = openReply("chat", STREAM);
  const chunk = { choices: [{ index: 0, delta: { content: "x".repeat(3_000_000) } }] };
  expect(turnsIn(reader.push(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)))).toBeGreaterThan(10);
  expect(endOf(reader).reply.text).toHaveLength(3_000_000);
});

test("a long call that is refused is written in many steps", () => {
  const reader = openReply("chat", { ...STREAM, gate: () => ({ command: "echo refused" }) });
  const piece = (text: string, finish_reason: string | null = null) => ({
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, id: "c", function: { name: "shell", arguments: text } }] },
        finish_reason,
      },
    ],
  });
  const pieces = Array.from({ length: 20_000 }, () => piece("abcd"));
  atOnce(reader.push(Buffer.from(sse(piece('{"command":"'), ...pieces))));
  const steps = reader.push(Buffer.from(sse(piece('"}', "tool_calls"))));
  expect([...steps].length).toBeGreaterThan(10);
  expect(endOf(reader).reply.calls).toHaveLength(1);
});
