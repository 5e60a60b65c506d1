import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type JsonLimits, readBoundedJson, readBoundedJsonInTurns } from "../../src/runtime/bounded-json.ts";
import { cpuRatio, LINEAR } from "../cpu-ratio.ts";

const LIMITS = { bytes: 1_000_000, values: 1_000 };
const read = (text: string, limits: JsonLimits = LIMITS) => readBoundedJson(new TextEncoder().encode(text), limits);

describe("bounded JSON", () => {
  test("what is within the limits is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(read(text)).toMatchObject({ value: JSON.parse(text) });
      }),
    );
  });

  test("a text within quotes counts as one value, whatever stands in it", () => {
    expect(read(JSON.stringify('[[[[,,,,{"\\\\'), { bytes: 100, values: 1 })).toEqual({
      values: 1,
      value: '[[[[,,,,{"\\\\',
    });
  });

  test("what stands in long texts is counted as what stands in short ones, wherever an escape is", () => {
    const long = fc.array(fc.oneof(fc.constantFrom('"', "\\", "\n", "[,", "é"), fc.integer({ min: 1, max: 200 })));
    const texts = fc.array(
      long.map((parts) => parts.map((one) => (typeof one === "string" ? one : "x".repeat(one))).join("")),
    );
    fc.assert(
      fc.property(texts, (list) => {
        const limits = { bytes: 1_000_000, values: 1_000, escapes: 1_000 };
        expect(read(JSON.stringify(list), limits)).toEqual({ value: list, values: Math.max(list.length + 1, 2) });
        const escapes = JSON.stringify(list).match(/\\./g)?.length ?? 0;
        if (escapes > 0)
          expect(read(JSON.stringify(list), { ...limits, escapes: escapes - 1 })).toEqual({
            fault: `${escapes} escaped characters, at most ${escapes - 1} are read`,
          });
      }),
    );
  });

  test("a long text takes little more time than a quarter of it in short ones, and one with escapes in proportion", async () => {
    const limits = { bytes: 10_000_000, values: 1_000_000, escapes: 100_000 };
    const n = 1_000_000;
    const ratio = (input: (size: number) => unknown, limit: number) =>
      cpuRatio(
        {
          n,
          input: (size) => Buffer.from(JSON.stringify(input(size))),
          read: (text) => readBoundedJson(text, limits),
        },
        limit,
      );
    const short = Array.from({ length: n / 25 }, () => "x".repeat(22));
    expect(await ratio((size) => (size > n ? "x".repeat(size) : short), 3)).toBeLessThan(3);
    expect(await ratio((size) => `${"x".repeat(100)}\n`.repeat(size / 100), LINEAR)).toBeLessThan(LINEAR);
  });

  test.each([
    ["bytes", `"${"x".repeat(100)}"`, { bytes: 101, values: 1 }, "102 bytes, at most 101 are read"],
    ["values", '[1,[2],{"a":3}]', { bytes: 100, values: 5 }, "6 values, at most 5 are read"],
    ["levels", `${"[".repeat(201)}${"]".repeat(201)}`, LIMITS, "201 levels of nesting, at most 200 are read"],
    [
      "escapes",
      `"${"\\n".repeat(1_000_001)}"`,
      { bytes: 3_000_000, values: 1 },
      "1000001 escaped characters, at most 1000000 are read",
    ],
    ["a value more than JSON has", "[1,]", LIMITS, "no valid JSON"],
    ["a text that breaks off", '["a', LIMITS, "no valid JSON"],
    ["nothing", "", LIMITS, "no valid JSON"],
  ])("%s beyond the limit: the fault names the size and the limit", (_, text, limits, fault) => {
    expect(read(text, limits)).toEqual({ fault });
  });

  test("megabytes are read alike in turns, wherever an escape stands, and others have their turn between", async () => {
    for (const before of [262_140, 262_141, 262_142, 262_143]) {
      const text = new TextEncoder().encode(JSON.stringify([`${"x".repeat(before)}"`, "y".repeat(300_000), [1]]));
      let counted = 0;
      const pace = {
        async bytes(count: number) {
          counted += count;
        },
      };
      const limits = { bytes: 1_000_000, values: 6 };
      expect(await readBoundedJsonInTurns(text, limits, pace)).toEqual(readBoundedJson(text, limits));
      expect(counted).toBeGreaterThanOrEqual(text.length);
      expect(await readBoundedJsonInTurns(text, { ...limits, values: 4 }, pace)).toEqual({
        fault: "5 values, at most 4 are read",
      });
    }
  });

  test("bytes that are no UTF-8 are refused, however many", () => {
    const wrong = Buffer.concat([Buffer.from('"'), Buffer.alloc(200, 0xff), Buffer.from('"')]);
    expect(readBoundedJson(wrong, LIMITS)).toEqual({ fault: "no valid UTF-8" });
  });
});
