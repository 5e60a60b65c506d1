import { Type } from "@sinclair/typebox";
import { Mistake } from "../domain/failure.ts";
import { outputOf } from "./output.ts";
import type { Tool } from "./tool.ts";

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
  description:
    "Replace one passage of a text file. `old` must occur exactly once, whitespace included: " +
    "quote enough of the lines around the change to make it unique.",
  input,
  async run({ path, old, new: replacement }, { workspace }) {
    if (old === replacement) throw new Mistake("`old` and `new` are the same text; nothing would change.");
    const text = await workspace.readText(path);
    const at = soleOccurrence(text, old, path);
    await workspace.writeText(path, text.slice(0, at) + replacement + text.slice(at + old.length));
    return outputOf(`Replaced the passage at line ${lineAt(text, at)} of ${path}.`);
  },
};

function soleOccurrence(text: string, old: string, path: string): number {
  const found = occurrences(text, old);
  const [first, ...others] = found;
  if (first === undefined) throw new Mistake(`\`old\` does not occur in ${path}. ${nearMiss(text, old)}`);
  if (others.length === 0) return first;
  const lines = found.slice(0, 10).map((at) => lineAt(text, at));
  throw new Mistake(
    `\`old\` occurs ${found.length} times in ${path} (lines ${lines.join(", ")}${found.length > 10 ? ", ..." : ""}). ` +
      "Quote more of the lines around the one you mean.",
  );
}

function occurrences(text: string, part: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}

function nearMiss(text: string, old: string): string {
  const lines = text.split("\n");
  const wanted = old.split("\n").map(squeeze);
  const line = lines.findIndex((_, start) =>
    wanted.every((it, offset) => squeezedAt(lines, start + offset).includes(it)),
  );
  if (line === -1 || wanted.every((it) => it === "")) return "Read the file again and quote it exactly.";
  return `Only the whitespace differs from the text at line ${line + 1}: quote its spaces, tabs and line ends exactly.`;
}

const squeeze = (line: string) => line.replace(/\s+/g, "");
const squeezedAt = (lines: readonly string[], index: number) => squeeze(lines[index] ?? "");

const lineAt = (text: string, at: number) => text.slice(0, at).split("\n").length;
