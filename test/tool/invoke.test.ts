import { describe, expect, test } from "bun:test";
import { prepareCall } from "../../src/arms/tool/invoke.ts";
import type { Tool } from "../../src/arms/tool/tool.ts";
import { toolbox } from "../../src/arms/tool/toolbox.ts";
import { Failure, Mistake } from "../../src/domain/failure.ts";

const TOOLS = toolbox(["read_file", "edit_file"]);

function mistakeOf(name: string, input: unknown, unparsed?: string): string {
  try {
    prepareCall(TOOLS, { id: "1", name, input, ...(unparsed !== undefined && { unparsed }) });
  } catch (error) {
    if (error instanceof Mistake) return error.message;
    throw error;
  }
  throw new Error("it was no mistake");
}

test("a call that fits is prepared with its tool and its input untouched", () => {
  const input = { path: "a.txt", start_line: 2 };
  const prepared = prepareCall(TOOLS, { id: "1", name: "read_file", input });
  expect([prepared.tool.name, prepared.input, prepared.subject]).toEqual(["read_file", input, "a.txt"]);
});

test("a mistake stays short, however many fields are wrong and however long their names", () => {
  const fields = Array.from({ length: 1_000 }, (_, index) => [`${index}${"x".repeat(1_000)}`, index]);
  const mistake = mistakeOf("read_file", Object.fromEntries(fields));
  expect(mistake.split("\n")).toHaveLength(21);
  expect(mistake.length).toBeLessThan(4_000);
});

test("a tool whose input lacks what rules match on is never run", () => {
  const [readFile] = TOOLS;
  const misdeclared = { ...readFile, effect: "command", subject: "command" } as Tool;
  expect(() => prepareCall([misdeclared], { id: "1", name: "read_file", input: { path: "a.txt" } })).toThrow(
    new Failure("internal", "the input of read_file has no command"),
  );
});

test("an unknown tool is answered with the known ones", () => {
  expect(mistakeOf("read_fil", {})).toBe(
    'There is no tool read_fil; did you mean "read_file"? Your tools: read_file, edit_file.',
  );
  expect(mistakeOf("browse_the_web", {})).toBe("There is no tool browse_the_web. Your tools: read_file, edit_file.");
});

test("without any tools a call is answered with that", () => {
  expect(() => prepareCall([], { id: "1", name: "read_file", input: {} })).toThrow(
    "There is no tool read_file; you have no tools.",
  );
});

test("arguments that are not JSON are told as such", () => {
  expect(mistakeOf("read_file", undefined, '{"path": "a')).toBe(
    "The arguments of read_file cannot be read: they are not valid JSON, or nested too deep. Send one JSON object; escape quotes and newlines.",
  );
});

describe("input that does not fit is told field by field", () => {
  test.each<[unknown, string[]]>([
    [{}, ["- path: missing; expected text"]],
    [{ path: 3 }, ["- path: expected text, got 3"]],
    [{ path: "" }, ["- path: must not be empty"]],
    [{ path: null }, ["- path: expected text, got null"]],
    [{ path: "a", start_line: "2" }, ['- start_line: expected a whole number of at least 1, got "2"']],
    [
      { path: "a", start_line: 0, end_line: 1.5 },
      [
        "- start_line: expected a whole number of at least 1, got 0",
        "- end_line: expected a whole number of at least 1, got 1.5",
      ],
    ],
    [
      { path: "a", startline: 2 },
      ['- startline: unknown field; did you mean "start_line"? Allowed: path, start_line, end_line'],
    ],
    [{ file: "a" }, ["- path: missing; expected text", "- file: unknown field; allowed: path, start_line, end_line"]],
    ["a.txt", ['- expected an object with path, start_line, end_line, got "a.txt"']],
    [["a.txt"], ["- expected an object with path, start_line, end_line, got a list"]],
    [undefined, ["- expected an object with path, start_line, end_line, got nothing"]],
  ])("%j", (input, problems) => {
    expect(mistakeOf("read_file", input).split("\n").toSorted()).toEqual(
      ["Wrong input for read_file:", ...problems].toSorted(),
    );
  });
});
