import { Type } from "@sinclair/typebox";
import { TOOL_FACTS } from "../../domain/tool.ts";
import { FileGlob } from "./file-glob.ts";
import type { Tool } from "./tool.ts";
import { outputOf } from "./tool.ts";

const MAX_ENTRIES = 1_000;

/** Paths of usual lengths come nowhere near. */
const MAX_CHARS = 200_000;

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
    const shown = firstOf(paths);
    const more = paths.length - shown.length;
    const note = more > 0 ? [`[${more} more files not shown; use a narrower pattern]`] : [];
    return outputOf([...shown, ...note].join("\n"), paths.join("\n"));
  },
};

function firstOf(paths: readonly string[]): readonly string[] {
  const first = paths.slice(0, MAX_ENTRIES);
  let left = MAX_CHARS;
  const beyond = first.findIndex((path) => {
    left -= path.length;
    return left < 0;
  });
  return beyond === -1 ? first : first.slice(0, beyond);
}
