import { applyingPatch, PatchEffort } from "../../../domain/apply-patch.ts";
import { Mistake, wordsOf } from "../../../domain/failure.ts";
import { type FilePatch, pathOfPatch, readingPatch } from "../../../domain/patch.ts";
import { Pace, steadily } from "../../../runtime/pace.ts";

/** Characters of all files that one patch may change: they are kept until it is known that every hunk fits. */
const MOST_CHARS = 32 * 1024 * 1024;

/** What a patch leaves so far, by path; null where it removes a file. A patch may name a file twice. */
class PatchedFiles {
  readonly texts = new Map<string, string | null>();
  #chars = 0;

  set(path: string, text: string | null): void {
    this.#chars += (text?.length ?? 0) - (this.texts.get(path)?.length ?? 0);
    this.texts.set(path, text);
    if (this.#chars > MOST_CHARS)
      throw new Mistake(
        `The files that the patch changes have more than ${MOST_CHARS} characters together, up to ${path}; make a patch of fewer files.`,
      );
  }

  async read(path: string, readText: ReadText): Promise<string> {
    const text = this.texts.get(path);
    if (text === null) throw new Mistake(`${path} is changed after the patch removed it.`);
    return text ?? (await readText(path));
  }
}

type ReadText = (path: string) => Promise<string>;

/**
 * What a unified diff makes of some files, null where it removes one. Lines must fit exactly, though they may have moved.
 * @throws Mistake naming the file and the hunk that does not apply; nothing is applied then.
 */
export async function patchFiles(patch: string, readText: ReadText): Promise<ReadonlyMap<string, string | null>> {
  const patched = new PatchedFiles();
  const [effort, pace] = [new PatchEffort(), new Pace()];
  for (const part of await parse(patch)) await patchFile(part, { patched, readText, effort, pace });
  if (patched.texts.size === 0) throw new Mistake("The patch holds no change to a file.");
  return patched.texts;
}

async function parse(patch: string): Promise<readonly FilePatch[]> {
  try {
    return await steadily(readingPatch(patch));
  } catch (error) {
    throw new Mistake(`Not a unified diff: ${wordsOf(error)}`);
  }
}

interface Patching {
  readonly patched: PatchedFiles;
  readonly readText: ReadText;
  readonly effort: PatchEffort;
  readonly pace: Pace;
}

async function patchFile(file: FilePatch, { patched, readText, effort, pace }: Patching): Promise<void> {
  const { from, to, moves, mode, binary } = file;
  const path = pathOfPatch(file);
  if (binary) throw new Mistake(`${path}: binary patches cannot be applied.`);
  if (mode === "120000") throw new Mistake(`${path}: patches that make links cannot be applied.`);
  const before = from === null ? "" : await patched.read(from, readText);
  await pace.bytes(before.length);
  const text = await steadily(applyingPatch(before, file, effort), pace);
  if (from !== null && moves) patched.set(from, null);
  patched.set(path, to === null ? null : text);
}
