import { applyPatch, type StructuredPatch } from "diff";
import { Mistake, wordsOf } from "../../../domain/failure.ts";
import { type FilePatch, pathOfPatch, readPatch } from "../../../domain/patch.ts";

/** What applying a patch does to one path; `text` null removes it. */
interface PatchedFile {
  readonly path: string;
  readonly text: string | null;
}

/**
 * What a unified diff makes of some files. Lines must fit exactly, though they may have moved.
 * @throws Mistake naming the file and the hunk that does not apply; nothing is applied then.
 */
export async function patchFiles(
  patch: string,
  readText: (path: string) => Promise<string>,
): Promise<readonly PatchedFile[]> {
  const results: PatchedFile[] = [];
  for (const part of parse(patch)) results.push(...(await patchFile(part, readText)));
  if (results.length === 0) throw new Mistake("The patch holds no change to a file.");
  return results;
}

function parse(patch: string): readonly FilePatch[] {
  try {
    return readPatch(patch);
  } catch (error) {
    throw new Mistake(`Not a unified diff: ${wordsOf(error)}`);
  }
}

async function patchFile(
  file: FilePatch,
  readText: (path: string) => Promise<string>,
): Promise<readonly PatchedFile[]> {
  const { from, to, parsed: part } = file;
  const path = pathOfPatch(file);
  if (part.isBinary) throw new Mistake(`${path}: binary patches cannot be applied.`);
  if (part.newMode === "120000") throw new Mistake(`${path}: patches that make links cannot be applied.`);
  const text = applied(part, from === null ? "" : await readText(from), path);
  if (to === null) return [{ path, text: null }];
  const moved = from !== null && from !== to && part.isRename === true;
  return moved
    ? [
        { path: from, text: null },
        { path: to, text },
      ]
    : [{ path: to, text }];
}

function applied(part: StructuredPatch, text: string, path: string): string {
  const whole = applyTo(text, part);
  if (whole !== false) return whole;
  const failing = part.hunks.find(
    (_, index) => applyTo(text, { ...part, hunks: part.hunks.slice(0, index + 1) }) === false,
  );
  const at = failing ? `@@ -${failing.oldStart},${failing.oldLines} +${failing.newStart},${failing.newLines} @@` : "";
  const number = failing ? part.hunks.indexOf(failing) + 1 : part.hunks.length;
  throw new Mistake(`${path}: hunk ${number} of ${part.hunks.length} (${at}) does not apply.`);
}

const applyTo = (text: string, part: StructuredPatch) =>
  applyPatch(text, part, { fuzzFactor: 0, autoConvertLineEndings: false });
