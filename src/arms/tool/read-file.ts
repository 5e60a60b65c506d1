import { Type } from "@sinclair/typebox";
import { excerpt } from "../../domain/excerpt.ts";
import { Mistake } from "../../domain/failure.ts";
import { TOOL_FACTS } from "../../domain/tool.ts";
import type { Tool } from "./tool.ts";
import { outputOf } from "./tool.ts";

const line = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }));

const input = Type.Object(
  {
    path: Type.String({ minLength: 1, description: "Relative to the workspace, like src/main.ts." }),
    start_line: line("First line to read, from 1. Default: the first."),
    end_line: line("Last line to read, itself included. Default: the last."),
  },
  { additionalProperties: false },
);

/** The text as it is, without line numbers, so that it can be quoted back to `edit_file`. */
export const readFile: Tool<typeof input> = {
  name: "read_file",
  ...TOOL_FACTS.read_file,
  description:
    "Read a text file of the workspace, whole or a range of lines. The text comes as it stands, without line numbers. " +
    "Of a large file you get the beginning and the end; read ranges of lines then.",
  input,
  async run({ path, start_line, end_line }, { workspace, max_output_bytes }) {
    const whole = await workspace.readText(path);
    const text = start_line === undefined && end_line === undefined ? whole : range(whole, path, start_line, end_line);
    return outputOf(text === "" ? "[empty]" : excerpt(text, max_output_bytes), text);
  },
};

function range(text: string, path: string, first = 1, last = Number.POSITIVE_INFINITY): string {
  if (last < first) throw new Mistake(`end_line (${last}) lies before start_line (${first}).`);
  const start = startOfLine(text, first);
  if (start.at === undefined) throw new Mistake(`${path} has only ${start.lines} lines.`);
  const end = startOfLine(text, last - first + 2, start.at);
  return text.slice(start.at, end.at);
}

/** Where a line begins, when the first one begins at `from`. `at` is undefined when there are only `lines` lines. */
function startOfLine(
  text: string,
  line: number,
  from = 0,
): { readonly at: number | undefined; readonly lines: number } {
  let at = from;
  for (let lines = 1; lines < line; lines += 1) {
    const newline = text.indexOf("\n", at);
    // A newline at the very end begins no line.
    if (newline === -1 || newline + 1 === text.length) return { at: undefined, lines };
    at = newline + 1;
  }
  return { at, lines: line };
}
