import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CALLING, instead } from "./refusals.ts";
import { inLines, pass, STREAM } from "./streams.ts";

describe.each(CALLING)("$wire: $title", ({ wire, sent }) => {
  test("the same bytes come out in whatever pieces, and however the lines end", () => {
    const options = { ...STREAM, gate: instead };
    const bytes = Buffer.from(sent);
    const once = pass(wire, bytes, options).bytes.toString();
    for (let cut = 1; cut < bytes.length; cut += 1)
      expect(pass(wire, bytes, options, [cut]).bytes.toString()).toBe(once);
    for (const form of [sent, sent.replaceAll("\n", "\r\n"), sent.replaceAll("\n", "\r"), inLines(sent)]) {
      const whole = pass(wire, form, options);
      const fits = (places: number[]) => pass(wire, form, options, places).bytes.equals(whole.bytes);
      expect(fits([...Buffer.from(form).keys()])).toBe(true);
      fc.assert(fc.property(fc.array(fc.nat(form.length), { maxLength: 30 }), fits), { numRuns: 5 });
    }
  });

  test("a call that is cut off is asked about, too, as far as it came", () => {
    const bytes = Buffer.from(sent);
    for (let cut = 0; cut < bytes.length; cut += 1) {
      const passed = pass(wire, bytes.subarray(0, cut), { ...STREAM, gate: instead });
      expect(passed.bytes.toString()).not.toMatch(/\b(ls|pwd|Begin Patch)\b/);
      const allowed = pass(wire, bytes.subarray(0, cut), { ...STREAM, gate: () => null });
      expect(sent).toStartWith(allowed.bytes.toString());
    }
  });
});
