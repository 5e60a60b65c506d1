import { Type } from "@sinclair/typebox";
import { RE2JS } from "re2js";
import { Mistake } from "../domain/failure.ts";
import { Pace } from "../pace.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { FileGlob } from "./file-glob.ts";
import { outputOf } from "./output.ts";
import type { Tool } from "./tool.ts";

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
  description:
    "Search text files of the workspace for a regular expression. Gives matching lines as path:line:text. " +
    `Leaves out .git, node_modules and ignored files. At most ${MAX_LINES} lines are shown.`,
  input,
  async run({ pattern, path }, { workspace, signal }) {
    const search = compile(pattern);
    const found = await matchingLines(workspace, search, within(path), signal);
    if (found.length === 0) return outputOf(`[no line matches ${pattern}]`);
    const cut =
      found.length > MAX_LINES ? [`[more than ${MAX_LINES} lines match; narrow the pattern or the path]`] : [];
    return outputOf([...found.slice(0, MAX_LINES), ...cut].join("\n"));
  },
};

interface Search {
  readonly line: RE2JS;
  /** True when some line may match. */
  readonly anywhere: (text: string) => boolean;
}

/** Runs in linear time whatever the pattern, so a model cannot stop the process with one. */
function compile(pattern: string): Search {
  try {
    const line = RE2JS.compile(pattern);
    // Anchors to the whole text mean the line here, which only the lines themselves can tell.
    if (/\\[AzZ]/.test(pattern)) return { line, anywhere: () => true };
    const text = RE2JS.compile(pattern, RE2JS.MULTILINE);
    return { line, anywhere: (whole) => text.test(whole) };
  } catch (error) {
    throw new Mistake(`pattern: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A directory means everything below it. */
function within(path: string | undefined): (file: string) => Promise<boolean> {
  if (path === undefined) return async () => true;
  const trimmed = path.replace(/^\.?\/+|\/+$/g, "");
  if (trimmed === "" || trimmed === ".") return async () => true;
  const glob = new FileGlob(trimmed);
  return async (file) => file === trimmed || file.startsWith(`${trimmed}/`) || (await glob.fits(file));
}

/** One more than is shown, at most. */
async function matchingLines(
  workspace: Workspace,
  search: Search,
  wanted: (file: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = [];
  const pace = new Pace();
  for (const { path, size } of await workspace.list()) {
    await pace.entry();
    if (size > MAX_FILE_BYTES || !(await wanted(path))) continue;
    signal.throwIfAborted();
    await pace.bytes(2 * size);
    const text = await textOf(workspace, path);
    if (text !== undefined && search.anywhere(text)) found.push(...(await linesOf(text, path, search.line, pace)));
    if (found.length > MAX_LINES) break;
  }
  return found;
}

/** Undefined for what is no text, or no longer there. */
async function textOf(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return await workspace.readText(path);
  } catch (error) {
    if (error instanceof Mistake) return undefined;
    throw error;
  }
}

async function linesOf(text: string, path: string, pattern: RE2JS, pace: Pace): Promise<readonly string[]> {
  const found: string[] = [];
  let from = 0;
  for (let number = 1; from <= text.length && found.length <= MAX_LINES; number += 1) {
    const newline = text.indexOf("\n", from);
    const line = text.slice(from, newline === -1 ? text.length : newline);
    await pace.bytes(line.length);
    if (pattern.test(line)) found.push(`${path}:${number}:${shorten(line)}`);
    from = newline === -1 ? text.length + 1 : newline + 1;
  }
  return found;
}

function shorten(line: string): string {
  const text = line.replace(/\r$/, "");
  return text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS).toWellFormed()}...` : text;
}
