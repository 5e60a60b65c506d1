import { describe, expect, test } from "bun:test";
import { readRequest } from "../../src/arms/wire/read-request.ts";
import type { WireCall, WireReply } from "../../src/arms/wire/wire.ts";
import type { WireName } from "../../src/domain/external-agent.ts";
import type { LooseRecord } from "../../src/domain/lenient.ts";
import { GOLDEN } from "./golden.ts";
import { pass, STREAM } from "./streams.ts";

/** How an agent repeats a reply in its next request. */
const REPEATED: Readonly<Record<WireName, (reply: Pick<WireReply, "text" | "calls">) => LooseRecord>> = {
  anthropic: ({ text, calls }) => ({
    messages: [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "EqQB" },
          ...(text === "" ? [] : [{ type: "text", text, cache_control: { type: "ephemeral" } }]),
          ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
        ],
      },
    ],
  }),
  chat: ({ text, calls }) => ({
    messages: [
      {
        role: "assistant",
        content: text || null,
        tool_calls: calls.map(({ id, name, input }) => ({
          ...{ id: id ?? "call_0", type: "function" },
          function: { name, arguments: JSON.stringify(input, null, 2) },
        })),
      },
    ],
  }),
  responses: ({ text, calls }) => ({
    input: [
      { type: "reasoning", summary: [], encrypted_content: "gAAA" },
      ...(text === "" ? [] : [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }]),
      ...calls.map(responsesItem),
    ],
  }),
  gemini: ({ text, calls }) => ({
    contents: [
      {
        role: "model",
        parts: [
          ...(text === "" ? [] : [{ text }]),
          ...calls.map(({ name, input }) => ({ functionCall: { name, args: input }, thoughtSignature: "Cs4C" })),
        ],
      },
    ],
  }),
};

function responsesItem({ id, name, input }: WireCall): LooseRecord {
  if (typeof input === "string") return { type: "custom_tool_call", call_id: id, name, input };
  if (name === "local_shell") return { type: "local_shell_call", call_id: id, action: input };
  return { type: "function_call", call_id: id, name, arguments: JSON.stringify(input) };
}

const digestOf = (wire: WireName, reply: Pick<WireReply, "text" | "calls">) =>
  readRequest(wire, "/", REPEATED[wire](reply)).message_digests;

const SAYING = GOLDEN.filter(({ reply }) => reply.ended === "whole" && reply.text + reply.calls.length !== "0");

describe.each(SAYING)("$wire: $title", ({ wire, sent, reply }) => {
  test("the next request repeats the reply under its digest", () => {
    expect(digestOf(wire, reply)).toEqual([pass(wire, sent).reply.message_digest]);
  });

  test("after an exchange it repeats what the agent got", () => {
    const instead = ({ input }: WireCall) => (typeof input === "string" ? "refused" : { command: "echo refused" });
    const calls = reply.calls.map((call) => ({ ...call, input: instead(call) }));
    const { message_digest } = pass(wire, sent, { ...STREAM, gate: instead }).reply;
    expect(digestOf(wire, { ...reply, calls })).toEqual([message_digest]);
  });
});
