import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { Problems } from "../../src/comparison/scenario/authored/problems.ts";
import { readYaml } from "../../src/comparison/scenario/document/yaml-document.ts";
import { Failure } from "../../src/domain/failure.ts";
import { turnsDuring } from "../turns.ts";
import { damaged } from "./damaged-scenario.ts";
import { failureOf, SHORT, scenarioIn } from "./scenario-folder.ts";

const SIZE = 256 * 1024;
const parse = (text: string) => scenarioIn({ text, file: "short.yaml", stem: "short", directory: "/nowhere" });
const filled = (part: string, start = "") => (start + part.repeat(Math.ceil(SIZE / part.length))).slice(0, SIZE);

describe("a file of the largest size is refused with a place, whatever it holds:", () => {
  test.each([
    ["a flat map", Array.from({ length: 20_000 }, (_, index) => `key-${index}: 1`).join("\n")],
    ["one key again and again", filled("a: 1\n")],
    ["open brackets", filled("[")],
    ["closed brackets", `a: ${"[".repeat(5_000)}${"]".repeat(5_000)}`],
    ["deep maps", filled("{a: ")],
    ["deep lists", filled("- ")],
    ["deep indentation", Array.from({ length: 700 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
    ["one long text", filled("x", "name: ")],
    ["one long key", filled("x", "? ")],
    ["an alias bomb", `a: &a [x, x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*a, *a]`).join("\n")}`],
    ["an alias of itself", "a: &a [*a]"],
    ["nothing but errors", filled("]\n")],
    ["nothing but anchors", filled("&a ")],
    ["nothing but tags", filled("!a ")],
    ["nothing but directives", filled("%\n")],
    ["nothing but comments", filled("#\n")],
    ["nothing but quotes", filled('"')],
    ["many wrong arms", `arms:\n${filled("- 1\n")}`],
    ["many wrong criteria", `rubric:\n  criteria:\n${filled("  - {a: 1}\n")}`],
    [
      "many files",
      `task:\n  prompt: a\n  fixture:\n    files:\n${Array.from({ length: 9_000 }, (_, i) => `      a/${i}/../b: x`).join("\n")}`,
    ],
  ])("%s", async (_, text) => {
    const { code, message } = await failureOf(parse(text));
    expect(code).toBe("invalid_scenario");
    expect(message.split("\n").every((line) => /^short\.yaml:\d+:\d+ \S|^and \d+ more$/.test(line))).toBe(true);
    expect(message.length).toBeLessThan(20_000);
  });
});

test("however a file is damaged, it is a scenario or a failure with a place", async () => {
  await fc.assert(
    fc.asyncProperty(damaged(SHORT), async (text) => {
      const result = await parse(text).catch((error: unknown) => error);
      if (!(result instanceof Failure)) return expect(result).toHaveProperty("rubric");
      expect(result.code).toBe("invalid_scenario");
      expect(result.message).toMatch(/^short\.yaml:[1-9]\d*:[1-9]\d* \S/);
    }),
    { numRuns: 500 },
  );
});

const BUSY: readonly (readonly [what: string, text: string, said: string])[] = [
  ["brackets", `x: ${"[".repeat(250_000)}`, "nested too deeply"],
  ["braces", `x: ${"{a: ".repeat(60_000)}`, "nested too deeply"],
  ["empty lists", `x: ${"[]".repeat(120_000)}`, "has more than 50000 keys, values and signs"],
  ["closing brackets", `x: ${"]".repeat(250_000)}`, "has more than 50000 keys, values and signs"],
  ["lists in one line", "- ".repeat(120_000), "has more than 50000 keys, values and signs"],
  ["keys", Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`).join("\n"), "has more than 50000 keys"],
];

test.each(BUSY)("%s without end are refused before they are parsed", async (_what, text, said) => {
  const problems = new Problems();
  const document = await readYaml(text, problems);
  const told = problems.found.map((problem) => {
    const { line, column } = document.position(problem);
    return `${line}:${column} ${problem.message}`;
  });
  expect(told).toEqual([expect.stringContaining(said)]);
});

test("others have their turn while a long table is read", async () => {
  const rows = Array.from({ length: 2_000 }, (_, n) => `- {id: row-${n}, n: "${n}"}`).join("\n");
  expect(await turnsDuring(() => readYaml(rows, new Problems()))).toBeGreaterThan(20);
});

test("a pattern that is refused as too long is never compiled", async () => {
  using compile = spyOn(RE2JS, "compile");
  const checks = `  probe: {checks: [{id: a, answer_matches: "/${"(a+)+".repeat(1_000)}/"}]}\n`;
  const { message } = await failureOf(parse(SHORT.replace("task:\n", `task:\n${checks}`)));
  expect(message).toContain("answer_matches: is longer than 1000 characters");
  expect(compile.mock.calls.filter(([source]) => source.length > 1_000)).toEqual([]);
});

test("names of a megabyte are told by their beginning", async () => {
  const named = `inputs: [{q: a}]\ntask: {prompt: "{{${"x".repeat(100_000)}}} {{q}}"}`;
  expect((await failureOf(parse(named))).message.length).toBeLessThan(5_000);
});

test("brackets in a text are text", async () => {
  const problems = new Problems();
  const document = await readYaml(
    `a: |\n  ${"[".repeat(1_000)}\nb: x${"[".repeat(1_000)}\nc: "${"{".repeat(1_000)}"\n`,
    problems,
  );
  expect(problems.found).toEqual([]);
  expect(document.value).toMatchObject({ a: `${"[".repeat(1_000)}\n` });
});
