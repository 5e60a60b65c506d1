import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { boundedJsonInSteps, type JsonLimits, readBoundedJson } from "../../src/runtime/bounded-json.ts";
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
    // Nothing is decoded: what that costs is garbage of the whole process.
    const limits = { bytes: 10_000_000, values: 0 };
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

  test("megabytes are read in steps, each of which tells its cost, wherever an escape stands", () => {
    for (const before of [262_140, 262_141, 262_142, 262_143]) {
      const text = JSON.stringify([`${"x".repeat(before)}"`, "y".repeat(300_000), [1]]);
      const limits = { bytes: 1_000_000, values: 6 };
      expect(read(text, limits)).toEqual({ value: JSON.parse(text), values: 5 });
      expect(read(text, { ...limits, values: 4 })).toEqual({ fault: "5 values, at most 4 are read" });
      const costs = [...boundedJsonInSteps(new TextEncoder().encode(text), limits)];
      expect(costs).toHaveLength(3);
      expect(Math.min(...costs)).toBeGreaterThan(100);
    }
    expect([...boundedJsonInSteps(Buffer.from("[]"), LIMITS)]).toEqual([]);
  });

  test("bytes that are no UTF-8 are refused, however many", () => {
    const wrong = Buffer.concat([Buffer.from('"'), Buffer.alloc(200, 0xff), Buffer.from('"')]);
    expect(readBoundedJson(wrong, LIMITS)).toEqual({ fault: "no valid UTF-8" });
  });
});
