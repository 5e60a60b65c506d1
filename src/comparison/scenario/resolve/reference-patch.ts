import { formatPatch, structuredPatch } from "diff";
import { PATCH_BYTES } from "../../../domain/defaults.ts";
import { wordsOf } from "../../../domain/failure.ts";
import { type FilePatch, readPatch } from "../../../domain/patch.ts";
import { workspacePathFault } from "../confined-path.ts";
import { Unusable } from "../unusable.ts";

/** Milliseconds for comparing two versions of one file; real fixes take a few. */
const DIFF_TIMEOUT_MS = 1_000;

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

/** The fix as one diff that `git apply` takes. @throws Unusable when nothing differs or the diff is too large. */
export function patchOf(files: readonly FixedFile[]): string {
  const changed = files.filter(({ before, after }) => before !== after);
  const patch = changed.map(filePatch).join("");
  if (changed.length === 0) throw new Unusable("changes nothing: every file is as in the fixture");
  if (patch.length > PATCH_BYTES) throw new Unusable(`makes a diff of more than ${PATCH_BYTES / 1e6} MB`);
  return patch;
}

function filePatch({ path, before, after, mode }: FixedFile): string {
  const options = { context: 3, timeout: DIFF_TIMEOUT_MS };
  const names = [before === null ? "/dev/null" : `a/${path}`, `b/${path}`] as const;
  const patch = structuredPatch(...names, before ?? "", after, undefined, undefined, options);
  if (patch === undefined) throw new Unusable(`differs too much from the fixture in ${path}`);
  return formatPatch({ ...patch, isGit: true, ...(before === null ? { isCreate: true, newMode: mode } : {}) });
}
