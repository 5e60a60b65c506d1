import { resolve } from "node:path";
import type { NamedInput } from "../../../domain/editable-inputs.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";
import { confinedPath, type PathKind } from "../confined-path.ts";
import type { GitFiles } from "../git/git-files.ts";
import { readText } from "../read-text.ts";
import { Unusable } from "../unusable.ts";

/** What every step of resolving a file shares. */
export interface ResolveContext {
  readonly problems: Problems;
  /** Absolute directory of the scenario file; nothing outside it is read. */
  readonly root: string;
  /** Absolute paths that the result depends on; each is added before it is read. */
  readonly sources: Set<string>;
  /** What it reads from commits. */
  readonly committed: NamedInput[];
  /** Reads the repository around the file; null when that is not allowed here. */
  readonly git: GitFiles | null;
  /** What was read for the scenario and stands for each row of its inputs, by what names it. */
  readonly kept: Map<string, Promise<unknown>>;
  /** Areas as they were resolved, by how they are written. One in which no row fills a template is the same object for all. */
  readonly areas: WeakMap<object, unknown>;
  /** A row is filled in. It adds nothing to `kept`, which lasts as long as the scenario: thousands may name files of their own. */
  readonly row?: boolean;
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

/** Reads once what all rows name. `what` and `name` must tell everything that the result depends on. */
export function readOnce<T>(
  { kept, row }: ResolveContext,
  what: string,
  name: string,
  read: () => Promise<T>,
): Promise<T> {
  const key = `${what}\0${name}`;
  const known = kept.get(key) as Promise<T> | undefined; // `what` says of which type it is
  if (known || row) return known ?? read();
  const found = read();
  kept.set(key, found);
  // The file is as it is, but a machine without a free descriptor has one later.
  found.catch((error: unknown) => error instanceof Unusable || kept.delete(key));
  return found;
}

/** The real path of what the file names; both it and the path as written become sources. @throws Unusable */
export const locateFile = (context: ResolveContext, path: string, kind: PathKind): Promise<string> =>
  readOnce(context, kind, path, async () => {
    const { root, sources } = context;
    sources.add(resolve(root, path));
    const real = await confinedPath(root, path, kind);
    sources.add(real);
    return real;
  });

/** The text of what the file names. @throws Unusable */
export const readNamed = (context: ResolveContext, path: string, maxBytes: number): Promise<string> =>
  readOnce(
    context,
    `text of at most ${maxBytes} bytes`,
    path,
    async () => await readText(await locateFile(context, path, "file"), maxBytes),
  );
