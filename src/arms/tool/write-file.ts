import { Type } from "@sinclair/typebox";
import { TOOL_FACTS } from "../../domain/tool.ts";
import type { Tool } from "./tool.ts";
import { outputOf } from "./tool.ts";

const input = Type.Object(
  {
    path: Type.String({ minLength: 1, description: "Relative to the workspace. Missing directories are made." }),
    content: Type.String({ description: "The whole new text of the file." }),
  },
  { additionalProperties: false },
);

export const writeFile: Tool<typeof input> = {
  name: "write_file",
  ...TOOL_FACTS.write_file,
  description: "Create a text file, or replace one whole. To change a part of a file, use edit_file.",
  input,
  async run({ path, content }, { workspace }) {
    await workspace.writeText(path, content);
    return outputOf(`Wrote ${Buffer.byteLength(content)} bytes to ${path}.`);
  },
};
