import { Type } from "@sinclair/typebox";
import { Mistake } from "../../domain/failure.ts";
import { TOOL_FACTS } from "../../domain/tool.ts";
import type { Tool } from "./tool.ts";
import { outputOf } from "./tool.ts";

const input = Type.Object(
  {
    path: Type.String({ minLength: 1, description: "Relative to the workspace, like src/main.ts." }),
    old: Type.String({ minLength: 1, description: "Text to replace, exactly as in the file; must occur once." }),
    new: Type.String({ description: "Text to put in its place; empty to delete." }),
  },
  { additionalProperties: false },
);

export const editFile: Tool<typeof input> = {
  name: "edit_file",
  ...TOOL_FACTS.edit_file,
  description:
    "Replace one passage of a text file. `old` must occur exactly once, whitespace included: " +
    "quote enough of the lines around the change to make it unique.",
  input,
  async run({ path, old, new: replacement }, { workspace }) {
    if (old === replacement) throw new Mistake("`old` and `new` are the same text; nothing would change.");
    const text = await workspace.readText(path);
    const bytes = Buffer.from(text);
    const at = soleOccurrence(bytes, old, { path, text });
    const rest = bytes.subarray(at + Buffer.byteLength(old));
    await workspace.writeText(path, `${bytes.subarray(0, at)}${replacement}${rest}`);
    return outputOf(`Replaced the passage at line ${lineAt(bytes, at)} of ${path}.`);
  },
};

/** Places that an error message names. */
const NAMED_PLACES = 10;

/** Bytes before it. */
function soleOccurrence(bytes: Buffer, old: string, file: { readonly path: string; readonly text: string }): number {
  const found = occurrences(bytes, Buffer.from(old));
  const [first, ...others] = found;
  if (first === undefined) throw new Mistake(`\`old\` does not occur in ${file.path}. ${nearMiss(file.text, old)}`);
  if (others.length === 0) return first;
  const more = found.length > NAMED_PLACES;
  const lines = found.slice(0, NAMED_PLACES).map((at) => lineAt(bytes, at));
  throw new Mistake(
    `\`old\` occurs ${more ? `more than ${NAMED_PLACES}` : found.length} times in ${file.path} ` +
      `(lines ${lines.join(", ")}${more ? ", ..." : ""}). Quote more of the lines around the one you mean.`,
  );
}

/** Finds at most one occurrence more than a message names. It searches bytes, which takes linear time; searching strings does not. */
function occurrences(bytes: Buffer, part: Buffer): readonly number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(part); at !== -1 && found.length <= NAMED_PLACES; at = bytes.indexOf(part, at + 1))
    found.push(at);
  return found;
}

/** Limits for finding a near miss: characters of the file, lines of the passage. */
const NEAR_MISS_CHARS = 500_000;
const NEAR_MISS_LINES = 50;

function nearMiss(text: string, old: string): string {
  const line = text.length > NEAR_MISS_CHARS ? -1 : nearLine(text.split("\n"), old.split("\n").map(squeeze));
  if (line === -1) return "Read the file again and quote it exactly.";
  return `Only the whitespace differs from the text at line ${line + 1}: quote its spaces, tabs and line ends exactly.`;
}

/** The passage may begin and end within a line. */
function nearLine(lines: readonly string[], wanted: readonly string[]): number {
  if (wanted.length > NEAR_MISS_LINES || wanted.every((it) => it === "")) return -1;
  const squeezed = lines.map(squeeze);
  const last = wanted.length - 1;
  const fits = (line: string, offset: number) => {
    const part = wanted[offset] ?? "";
    if (last === 0) return Buffer.from(line).includes(part);
    return offset === 0 ? line.endsWith(part) : offset === last ? line.startsWith(part) : line === part;
  };
  return squeezed.findIndex((_, start) =>
    wanted.every((_part, offset) => fits(squeezed[start + offset] ?? "", offset)),
  );
}

const squeeze = (line: string) => line.replace(/\s+/g, "");

function lineAt(bytes: Buffer, at: number): number {
  let line = 1;
  for (let end = bytes.indexOf(NEWLINE); end !== -1 && end < at; end = bytes.indexOf(NEWLINE, end + 1)) line += 1;
  return line;
}

const NEWLINE = 10;
