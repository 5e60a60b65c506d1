import type { Pristine } from "../../../arms/workspace/workspace.ts";
import type { Scenario } from "../../../domain/scenario.ts";

/** Something that an arm reads or can read. */
export interface VisibleText {
  /** A path of the fixture; null for a prompt. */
  readonly path: string | null;
  /** For people. */
  readonly name: string;
  readonly text: string;
  /** Its telling lines. */
  readonly lines: ReadonlySet<string>;
}

/** Bytes of one file, and of all files, that are searched. Source code is smaller. */
const FILE_BYTES = 1_000_000;
const ALL_BYTES = 32_000_000;

/** The prompts and the text files of the fixture, without those of dependencies. */
export async function visibleTexts(pristine: Pristine, { task, arms }: Scenario): Promise<readonly VisibleText[]> {
  const prompts = [
    visible(null, "task.prompt", task.prompt),
    ...arms.map(({ id, system_prompt }) => visible(null, `the system prompt of ${id}`, system_prompt)),
  ];
  const files: VisibleText[] = [];
  let bytes = 0;
  for (const { path, size } of await pristine.list()) {
    if (size > FILE_BYTES || bytes + size > ALL_BYTES || /(^|\/)(node_modules|\.git)\//.test(path)) continue;
    const text = await pristine.text(path);
    if (text === null) continue;
    bytes += size;
    files.push(visible(path, path, text));
  }
  return [...prompts, ...files];
}

const visible = (path: string | null, name: string, text: string) => ({ path, name, text, lines: tellingLines(text) });

/** Shorter lines are brackets and common phrases, which stand in many files. */
const TELLING_CHARS = 20;

/** The lines that tell which file they come from, without indentation and a diff's mark. */
export const tellingLines = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .split("\n")
      .map(bare)
      .filter((line) => line.length >= TELLING_CHARS),
  );

const bare = (line: string) => line.replace(/^[+-]/, "").trim();
