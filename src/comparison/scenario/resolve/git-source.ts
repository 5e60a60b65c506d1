import { textAtRef } from "../git/git-files.ts";
import { objectAt, type Repository, refFiles, repositoryAround } from "../repository.ts";
import { Unusable } from "../unusable.ts";
import { type ResolveContext, readOnce } from "./context.ts";

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
