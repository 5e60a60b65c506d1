import { resolve } from "node:path";
import type { FieldPath, Problems } from "../authored/problems.ts";
import { confinedPath, type PathKind } from "../confined-path.ts";
import type { GitFiles } from "../git/git-files.ts";
import { Unusable } from "../unusable.ts";

/** What every step of resolving a file shares. */
export interface ResolveContext {
  readonly problems: Problems;
  /** Absolute directory of the scenario file; nothing outside it is read. */
  readonly root: string;
  /** Absolute paths that the result depends on; each is added before it is read. */
  readonly sources: Set<string>;
  /** Reads the repository around the file; null when that is not allowed here. */
  readonly git: GitFiles | null;
  /** It has inputs, and none of their rows is filled in. */
  readonly template?: boolean;
}

/** The result of `use`. An Unusable becomes a problem at `path`, and the result is null. */
export async function attempt<T>(
  { problems }: ResolveContext,
  path: FieldPath,
  subject: string,
  use: () => Promise<T> | T,
): Promise<T | null> {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    problems.add(path, `${subject} ${error.message}`);
    return null;
  }
}

/** The real path of what the file names; both it and the path as written become sources. @throws Unusable */
export async function locateFile({ root, sources }: ResolveContext, path: string, kind: PathKind): Promise<string> {
  sources.add(resolve(root, path));
  const real = await confinedPath(root, path, kind);
  sources.add(real);
  return real;
}
