import { Type } from "@sinclair/typebox";
import { RE2JS } from "re2js";
import { cut } from "../../domain/excerpt.ts";
import { Mistake, wordsOf } from "../../domain/failure.ts";
import { TOOL_FACTS } from "../../domain/tool.ts";
import { OverLimit } from "../../runtime/bounded.ts";
import { Pace } from "../../runtime/pace.ts";
import { compilePattern, STEPS_AT_ONCE } from "../../runtime/pattern.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { FileGlob } from "./file-glob.ts";
import { outputOf, type Tool } from "./tool.ts";

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

const PATTERN_CHARS = 500;

/** Instructions of a pattern's program. */
const PROGRAM_SIZE = 2_000;

interface FoundLine {
  /** From 1. */
  readonly number: number;
  readonly line: string;
}

/**
 * Searches lines for a model's regular expression. The event loop runs between steps, and the search ends when `signal`
 * fires.
 */
class Search {
  readonly #line: RE2JS;
  /** Tells whether any line can match; undefined when each line must be searched. */
  readonly #anywhere: RE2JS | undefined;
  readonly #size: number;
  readonly #signal: AbortSignal;
  readonly #pace = new Pace();
  #shortened = false;

  /** @throws Mistake for a pattern that is none, or too large. */
  constructor(pattern: string, signal: AbortSignal) {
    this.#signal = signal;
    this.#line = compile(pattern);
    this.#size = this.#line.programSize();
    // Anchors to the whole text mean the line.
    this.#anywhere = /\\[AzZ]/.test(pattern) ? undefined : RE2JS.compile(pattern, RE2JS.MULTILINE);
  }

  /** Characters of a line that are searched. */
  get longest_line(): number {
    return Math.floor(STEPS_AT_ONCE / this.#size);
  }

  /** Some line was longer. */
  get shortened(): boolean {
    return this.#shortened;
  }

  /** Lets the event loop run after enough files. @throws the signal's reason. */
  async entry(): Promise<void> {
    await this.#pace.entry();
    this.#signal.throwIfAborted();
  }

  /** Finds at most `limit` lines that match. @throws the signal's reason. */
  async linesIn(text: string, limit: number): Promise<readonly FoundLine[]> {
    if (text.length <= this.longest_line && !(await this.#matches(this.#anywhere, text))) return [];
    const found: FoundLine[] = [];
    let from = 0;
    for (let number = 1; from <= text.length && found.length < limit; number += 1) {
      const newline = text.indexOf("\n", from);
      const line = text.slice(from, newline === -1 ? text.length : newline);
      this.#shortened ||= line.length > this.longest_line;
      if (await this.#matches(this.#line, line.slice(0, this.longest_line))) found.push({ number, line });
      from = newline === -1 ? text.length + 1 : newline + 1;
    }
    return found;
  }

  async #matches(pattern: RE2JS | undefined, text: string): Promise<boolean> {
    await this.#pace.bytes(this.#size * text.length);
    this.#signal.throwIfAborted();
    return pattern === undefined || pattern.test(text);
  }
}

function compile(pattern: string): RE2JS {
  if (pattern.length > PATTERN_CHARS) throw tooLarge();
  try {
    return compilePattern(pattern, 0, PROGRAM_SIZE);
  } catch (error) {
    if (error instanceof OverLimit) throw tooLarge();
    throw new Mistake(`pattern: ${wordsOf(error)}`);
  }
}

const tooLarge = () => new Mistake("pattern: it is too large, or repeats too much; write a plainer one.");
