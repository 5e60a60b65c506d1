import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { WireReply } from "../../src/arms/wire/wire.ts";
import { GOLDEN } from "./golden.ts";
import { inLines, pass, STREAM, sse } from "./streams.ts";

const ALLOW = { ...STREAM, gate: () => null };

/** Whether the begin of a stream says only what the whole stream says. A call that is not whole is told apart. */
function isPartOf(part: WireReply, whole: WireReply): boolean {
  const calls = part.calls.every((call, at) => call.unparsed !== undefined || Bun.deepEquals(call, whole.calls[at]));
  const known = [null, whole.tokens_in].includes(part.tokens_in) && [null, whole.tokens_out].includes(part.tokens_out);
  return whole.text.startsWith(part.text) && calls && known;
}

describe.each(GOLDEN)("$wire: $title", ({ wire, sent, reply }) => {
  const told = { ...reply, message_digest: expect.any(String) };

  test("says what it says, and passes unchanged", () => {
    const passed = pass(wire, sent);
    expect(passed.reply).toEqual(told);
    expect(passed.bytes.toString()).toBe(sent);
  });

  test("is the same in whatever pieces it comes, with a gate that allows everything and without one", () => {
    const bytes = Buffer.from(sent);
    const cuts = fc.array(fc.nat(bytes.length), { maxLength: 40 });
    fc.assert(
      fc.property(cuts, fc.constantFrom(STREAM, ALLOW), (places, options) => {
        const passed = pass(wire, bytes, options, places);
        expect(passed.reply).toEqual(told);
        expect(passed.bytes.equals(bytes)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  test("is the same with other ends of lines, with data of several lines, and byte by byte", () => {
    for (const form of [
      sent.replaceAll("\n", "\r\n"),
      sent.replaceAll("\n", "\r"),
      inLines(sent),
      `\uFEFF: hi\n\n${sent}`,
    ]) {
      const bytes = Buffer.from(form);
      const passed = pass(wire, bytes, ALLOW, [...bytes.keys()]);
      expect(passed.reply).toEqual(told);
      expect(passed.bytes.equals(bytes)).toBe(true);
    }
  });

  test("gives what is known wherever it is cut, and nothing is lost", () => {
    const bytes = Buffer.from(sent);
    const whole = pass(wire, sent).reply;
    for (let cut = 0; cut < bytes.length; cut += 1) {
      const passed = pass(wire, bytes.subarray(0, cut));
      expect(passed.bytes.equals(bytes.subarray(0, cut))).toBe(true);
      expect(isPartOf(passed.reply, whole)).toBe(true);
    }
    expect(pass(wire, bytes.subarray(0, bytes.length / 4)).reply.ended).toBe("cut");
  });
});

test("a chunk of usage that the client did not ask for is read and left out", () => {
  const said = { choices: [{ index: 0, delta: { content: "x" }, finish_reason: "stop" }] };
  const counted = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } };
  const passed = pass("chat", sse(said, counted, "[DONE]"), { ...STREAM, hide_usage: true }, [9, 120]);
  expect(passed.bytes.toString()).toBe(sse(said, "[DONE]"));
  expect(passed.reply).toMatchObject({ text: "x", tokens_in: 5, tokens_out: 2, ended: "whole" });
});

test("an empty reason to finish is none: the call that it comes with goes on", () => {
  const chunk = (given: string, finish_reason: string) => ({
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, id: "c", function: { name: "x", arguments: given } }] },
        finish_reason,
      },
    ],
  });
  const gate = () => ({ command: "refused" });
  const { bytes, reply } = pass("chat", sse(chunk('{"command":', ""), chunk('"ls"}', "tool_calls")), {
    ...STREAM,
    gate,
  });
  expect(reply.calls).toEqual([{ id: "c", name: "x", input: { command: "ls" } }]);
  expect(pass("chat", bytes).reply.calls).toEqual([{ id: "c", name: "x", input: { command: "refused" } }]);
});
