import { wordsOf } from "../../../domain/failure.ts";
import { type FilePatch, readingPatch } from "../../../domain/patch.ts";
import { steadily } from "../../../runtime/pace.ts";
import { workspacePathFault } from "../confined-path.ts";
import { Unusable } from "../unusable.ts";

/** The files that a patch changes. @throws Unusable when it is not a unified diff, touches no file, or touches one outside the workspace. */
export async function checkPatch(patch: string): Promise<readonly FilePatch[]> {
  const files = (await filesOf(patch)).filter(touchesFile);
  if (files.length === 0) throw new Unusable("is not a unified diff, or touches no file");
  for (const path of files.flatMap(({ from, to }) => [from ?? [], to ?? []].flat())) {
    const fault = workspacePathFault(path);
    if (fault !== null) throw new Unusable(`names ${path}, which ${fault}`);
  }
  return files;
}

async function filesOf(patch: string): Promise<readonly FilePatch[]> {
  try {
    return await steadily(readingPatch(patch));
  } catch (error) {
    // The parser throws plain errors, all of them about the text.
    throw new Unusable(`is not a unified diff (${wordsOf(error)})`, {
      cause: error,
    });
  }
}

const touchesFile = ({ from, to, moves, mode, hunks }: FilePatch) =>
  hunks.length > 0 || from === null || to === null || moves || mode !== undefined;

export interface FixedFile {
  readonly path: string;
  /** Text in the fixture; null when it is not there. */
  readonly before: string | null;
  readonly after: string;
  readonly mode: "100644" | "100755";
}
