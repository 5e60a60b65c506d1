import { Type } from "@sinclair/typebox";
import { TOOL_FACTS } from "../domain/tool.ts";
import { FileGlob } from "./file-glob.ts";
import type { Tool } from "./tool.ts";
import { outputOf } from "./tool.ts";

const MAX_ENTRIES = 1_000;

const input = Type.Object(
  {
    pattern: Type.Optional(Type.String({ minLength: 1, description: "Glob, like src/**/*.ts. Default: every file." })),
  },
  { additionalProperties: false },
);

export const listFiles: Tool<typeof input> = {
  name: "list_files",
  ...TOOL_FACTS.list_files,
  description:
    "List the files of the workspace, one path a line, sorted. Leaves out .git, node_modules and ignored files. " +
    `At most ${MAX_ENTRIES} are shown.`,
  input,
  async run({ pattern = "**" }, { workspace }) {
    const glob = new FileGlob(pattern);
    const paths: string[] = [];
    for (const { path } of await workspace.list()) if (await glob.fits(path)) paths.push(path);
    if (paths.length === 0) return outputOf(`[no file matches ${pattern}]`);
    const more = paths.length - MAX_ENTRIES;
    const note = more > 0 ? [`[${more} more files not shown; use a narrower pattern]`] : [];
    return outputOf([...paths.slice(0, MAX_ENTRIES), ...note].join("\n"), paths.join("\n"));
  },
};
