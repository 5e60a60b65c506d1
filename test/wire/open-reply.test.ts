import { describe, expect, test } from "bun:test";
import { GOLDEN } from "./golden.ts";
import { pass, STREAM } from "./streams.ts";

describe.each(GOLDEN)("$wire: $title", ({ wire, sent, reply }) => {
  test("says what it says, and passes unchanged", () => {
    const passed = pass(wire, sent);
    expect(passed.reply).toEqual({ ...reply, message_digest: expect.any(String) });
    expect(passed.bytes.toString()).toBe(sent);
  });

  test("is held and let go unchanged by a gate that allows everything", () => {
    const asked: unknown[] = [];
    const gate = (call: unknown) => {
      asked.push(call);
      return null;
    };
    expect(pass(wire, sent, { ...STREAM, gate }).bytes.toString()).toBe(sent);
    expect(asked).toEqual([...reply.calls]);
  });
});
