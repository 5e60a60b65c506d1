import { wordsOf } from "../../../domain/failure.ts";
import { type FilePatch, readPatch } from "../../../domain/patch.ts";
import { workspacePathFault } from "../confined-path.ts";
import { Unusable } from "../unusable.ts";

/** @throws Unusable when a patch is not a unified diff, touches no file, or touches one outside the workspace. */
export function checkPatch(patch: string): void {
  const files = filesOf(patch).filter(touchesFile);
  if (files.length === 0) throw new Unusable("is not a unified diff, or touches no file");
  for (const path of files.flatMap(({ from, to }) => [from ?? [], to ?? []].flat())) {
    const fault = workspacePathFault(path);
    if (fault !== null) throw new Unusable(`names ${path}, which ${fault}`);
  }
}

function filesOf(patch: string): readonly FilePatch[] {
  try {
    return readPatch(patch);
  } catch (error) {
    // The parser throws plain errors, all of them about the text.
    throw new Unusable(`is not a unified diff (${wordsOf(error)})`, {
      cause: error,
    });
  }
}

const touchesFile = ({ parsed: { hunks, isCreate, isDelete, isRename, newMode } }: FilePatch) =>
  hunks.length > 0 || isCreate === true || isDelete === true || isRename === true || newMode !== undefined;

export interface FixedFile {
  readonly path: string;
  /** Text in the fixture; null when it is not there. */
  readonly before: string | null;
  readonly after: string;
  readonly mode: "100644" | "100755";
}
