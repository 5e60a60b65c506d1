import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import type { FileSet } from "../../domain/task.ts";
import { writeBlobs } from "./git/git-files.ts";
import { listTree } from "./git/tree.ts";
import type { LoadedScenario, ScenarioPlace } from "./loaded-scenario.ts";
import { type MaterialSource, sourceOf } from "./materials.ts";
import { type Repository, repositoryAround } from "./repository.ts";
import { Unusable } from "./unusable.ts";

/** Files of which some may have to be written into a directory first. */
interface FixtureSource extends MaterialSource {
  /**
   * Writes what lies below the inline files into an empty directory; absent when they lie in `dir`.
   * @throws Failure `workspace_failed`
   */
  readonly fill?: (directory: string) => Promise<void>;
}

/** What an arm's workspace holds at the start. */
export function fixtureSource(loaded: LoadedScenario): FixtureSource & { readonly repository?: true | undefined } {
  const { fixture } = loaded.definition.task;
  return { ...filesSource(loaded, fixture), repository: fixture?.repository };
}

/** Where workspaces are mounted, beside what, and with which variables; undefined: none, and alone at the usual path. */
export function fixturePlaces({ directory, definition }: LoadedScenario) {
  const { at, also = {}, env } = definition.task.fixture ?? {};
  if (at === undefined && env === undefined && Object.keys(also).length === 0) return undefined;
  const dirs = Object.entries(also).map(
    ([path, what]) => [path, "private" in what ? null : sourceOf(directory, what).dir] as const,
  );
  return { at, also: new Map(dirs), env };
}

/** Where a set of files lies, one of a commit too. */
export function filesSource(
  { directory, trees }: ScenarioPlace,
  set: (FileSet & Pick<MaterialSource, "exclude">) | null,
): FixtureSource {
  const source = sourceOf(directory, set);
  const tree = set?.git?.tree;
  if (tree === undefined) return source;
  if (trees !== undefined) return { ...source, dir: join(trees, tree) };
  return { ...source, fill: (to) => fillFrom(directory, { tree, exclude: source.exclude }, to) };
}

/** A git tree, and what is read of it. */
interface Part {
  readonly tree: string;
  readonly exclude: readonly string[] | undefined;
}

async function fillFrom(directory: string, part: Part, to: string): Promise<void> {
  try {
    await writeTree(repositoryAround(directory), part, to);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    throw new Failure("workspace_failed", `the git tree ${part.tree} ${error.message}`, { cause: error });
  }
}

/**
 * Writes the files of a tree into an empty directory.
 * @throws Unusable
 */
const writeTree = async (repository: Repository, { tree, exclude }: Part, directory: string): Promise<void> =>
  await writeBlobs(repository, await listTree(repository.git_dir, tree, { exclude }), directory);
