import { Type } from "@sinclair/typebox";
import { cut } from "../../domain/excerpt.ts";
import { Mistake } from "../../domain/failure.ts";
import { TOOL_FACTS } from "../../domain/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { FileGlob } from "./file-glob.ts";
import { Search } from "./line-search.ts";
import type { Tool } from "./tool.ts";
import { outputOf } from "./tool.ts";

const MAX_LINES = 200;
const MAX_LINE_CHARS = 400;
/** Bytes of a file that is searched; larger ones are generated. */
const MAX_FILE_BYTES = 2_000_000;

const input = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      description: "Regular expression (RE2: no backreferences), tried on each line.",
    }),
    path: Type.Optional(
      Type.String({ minLength: 1, description: "Directory, file or glob to search in. Default: every file." }),
    ),
  },
  { additionalProperties: false },
);

export const searchFiles: Tool<typeof input> = {
  name: "search_files",
  ...TOOL_FACTS.search_files,
  description:
    "Search text files of the workspace for a regular expression. Gives matching lines as path:line:text. " +
    `Leaves out .git, node_modules and ignored files. At most ${MAX_LINES} lines are shown.`,
  input,
  async run({ pattern, path }, { workspace, signal }) {
    const search = new Search(pattern, signal);
    const found = await matchingLines(workspace, search, within(path));
    const notes = search.shortened
      ? [`[of lines longer than ${search.longest_line} characters only the beginning was searched]`]
      : [];
    if (found.length === 0) return outputOf([`[no line matches ${pattern}]`, ...notes].join("\n"));
    if (found.length > MAX_LINES) notes.push(`[more than ${MAX_LINES} lines match; narrow the pattern or the path]`);
    return outputOf([...found.slice(0, MAX_LINES), ...notes].join("\n"));
  },
};

/** A directory means everything below it. */
function within(path: string | undefined): (file: string) => Promise<boolean> {
  if (path === undefined) return async () => true;
  const trimmed = withoutOuterSlashes(path);
  if (trimmed === "" || trimmed === ".") return async () => true;
  const glob = new FileGlob(trimmed);
  return async (file) => file === trimmed || file.startsWith(`${trimmed}/`) || (await glob.fits(file));
}

/** A pattern for the end would be tried at each slash of a path, and a model can write a million. */
function withoutOuterSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end).replace(/^\.?\/+/, "");
}

/** Finds at most one line more than is shown. */
async function matchingLines(
  workspace: Workspace,
  search: Search,
  wanted: (file: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { path, size } of await workspace.list()) {
    await search.entry();
    if (size > MAX_FILE_BYTES || !(await wanted(path))) continue;
    const text = await textOf(workspace, path);
    if (text === undefined) continue;
    const room = MAX_LINES + 1 - found.length;
    for (const { number, line } of await search.linesIn(text, room)) found.push(`${path}:${number}:${shorten(line)}`);
    if (found.length > MAX_LINES) break;
  }
  return found;
}

/** Undefined for a file that is no text or is gone. */
async function textOf(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return await workspace.readText(path);
  } catch (error) {
    if (error instanceof Mistake) return undefined;
    throw error;
  }
}

const shorten = (line: string) => cut(line.replace(/\r$/, ""), MAX_LINE_CHARS);
