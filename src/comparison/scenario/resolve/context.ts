import { resolve } from "node:path";
import type { NamedInput } from "../../../domain/editable-inputs.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";
import { confinedPath, type PathKind } from "../confined-path.ts";
import { type GitFiles, textAtRef } from "../git/git-files.ts";
import { readText } from "../read-text.ts";
import { objectAt, type Repository, refFiles, repositoryAround } from "../repository.ts";
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
  /** The columns of its inputs, and those that an arm may be sent which answers by itself. Absent: it has no inputs. */
  readonly columns?: { readonly all: readonly string[]; readonly sent: readonly string[] };
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

const FORBIDDEN = "needs the git repository around the scenarios, which is off here; start with --allow-git-fixtures";

/** The id of the tree that a directory of the repository has at a ref. @throws Unusable */
export async function treeAt(context: ResolveContext, ref: string, path: string | undefined): Promise<string> {
  const { id, type } = await readOnce(context, "object", JSON.stringify([ref, path]), async () => {
    const found = await objectAt(repositoryOf(context), ref, path);
    context.committed.push({ input: "scenario", path: path ?? ".", ref, id: found.id });
    return found;
  });
  if (type !== "tree") throw new Unusable(`has ${path}, which is no directory`);
  return id;
}

/** @throws Unusable */
export const promptAt = (context: ResolveContext, { git: ref, path }: { git: string; path: string }) =>
  readOnce(context, "prompt", JSON.stringify([ref, path]), async () => {
    context.committed.push({ input: "scenario", path, ref });
    return await textAtRef(repositoryOf(context), ref, path);
  });

/** The repository that the scenario file lies in; the files that decide the meaning of a ref become sources. @throws Unusable */
export function repositoryOf({ root, sources, git }: ResolveContext): Repository {
  if (git === null) throw new Unusable(FORBIDDEN);
  const repository = repositoryAround(root);
  for (const path of refFiles(repository)) sources.add(path);
  return repository;
}
