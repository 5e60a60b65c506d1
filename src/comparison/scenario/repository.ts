import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { didYouMean } from "../../domain/did-you-mean.ts";
import { workspacePathFault } from "./confined-path.ts";
import { gitOutput } from "./git/run-git.ts";
import { blobsOf, fileIn } from "./git/tree.ts";
import { Unusable } from "./unusable.ts";
/** The repository around a directory. */
export interface Repository {
  /** Absolute; the directory that has `.git` in it. */
  readonly root: string;
  /** Absolute; `.git`, which a worktree and a submodule have as a file. */
  readonly git_dir: string;
}

/** An object of a repository that was found. */
interface GitObject {
  readonly id: string;
  readonly type: string;
}

const NO_REPOSITORY = "needs a git repository around the scenario file, and there is none; use `dir`";

/**
 * The innermost repository that holds a directory.
 * @throws Unusable with the words of `lacking` when there is none.
 */
export function repositoryAround(directory: string, lacking = NO_REPOSITORY): Repository {
  for (let at = realpathSync(directory); ; at = dirname(at)) {
    const git_dir = join(at, ".git");
    const stats = statSync(git_dir, { throwIfNoEntry: false });
    if (stats?.isDirectory() || stats?.isFile()) return { root: at, git_dir };
    if (dirname(at) === at) throw new Unusable(lacking);
  }
}

/** Files and directories of which one changes whenever a ref moves or an object arrives. */
export function refFiles(repository: Repository): string[] {
  const { own, shared } = directoriesOf(repository);
  const names = ["packed-refs", "refs", "reftable", "shallow", "FETCH_HEAD", join("objects", "pack")];
  // A worktree's `.git` is a file. A `.git` directory is left out: a fingerprint would look at everything in it.
  const pointers = own === repository.git_dir ? [] : [repository.git_dir];
  return [...pointers, join(own, "HEAD"), ...names.map((name) => join(shared, name))];
}

/** A worktree keeps its own HEAD and shares everything else with the repository that it was made from. */
function directoriesOf({ git_dir }: Repository): { readonly own: string; readonly shared: string } {
  const own = pointer(git_dir) === null ? git_dir : resolve(dirname(git_dir), pointer(git_dir) ?? "");
  return { own, shared: resolve(own, pointer(join(own, "commondir")) ?? ".") };
}

const MAX_POINTER = 4_096;

/** The path in a `.git` file; null when `.git` is a directory. */
function pointer(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > MAX_POINTER) return null;
  return readFileSync(path, "utf8")
    .replace(/^gitdir: /, "")
    .trim();
}

/**
 * What `path` is at `ref`; without a path the whole tree.
 * @throws Unusable when the ref or the path is unknown, ambiguous, or none that may be written.
 */
export async function objectAt(
  repository: Repository,
  ref: string,
  path: string | undefined,
  kind: "tree" | "commit" = "tree",
): Promise<GitObject> {
  checkRef(ref);
  const steps = path === undefined || path === "." ? null : path.replace(/\/$/, "");
  const fault = steps === null ? null : (workspacePathFault(steps) ?? lineFault(steps));
  if (fault !== null) throw new Unusable(`has a path that ${fault}; it starts at the top of the repository`);
  const names = [`${ref}^{${kind}}`, ...(steps === null ? [] : [`${ref}^{tree}:${steps}`])];
  const input = `${names.join("\n")}\n`;
  const { output, complaint } = await gitOutput(repository.git_dir, ["cat-file", "--batch-check"], {
    input,
    maxBytes: 64 * 1024,
  });
  const [tree, found = tree] = output.toString().trimEnd().split("\n").map(objectIn);
  if (/ambiguous/.test(output.toString() + complaint)) throw new Unusable(AMBIGUOUS);
  if (kind === "commit") await refuseTagOfBranch(repository, ref);
  if (tree === undefined || tree === null) throw await unknownRef(repository, ref);
  if (found === undefined || found === null)
    throw new Unusable(`has no ${steps}; paths start at the top of the repository`);
  return found;
}

const AMBIGUOUS =
  "is ambiguous: write the full name (refs/heads/..., refs/remotes/..., refs/tags/...) or the full hash";

/** Git prefers a tag to a branch of the same name elsewhere: whoever may push tags would choose what is meant. @throws Unusable */
async function refuseTagOfBranch({ git_dir }: Repository, ref: string): Promise<void> {
  if (/^([0-9a-f]{40,64}|HEAD)$/.test(ref)) return;
  const tag = `refs/tags/${ref.replace(/[~^].*$/, "")}`;
  const branches = tag.replace("tags", "remotes/*");
  const { output } = await gitOutput(git_dir, ["for-each-ref", "--format=%(refname)", tag, branches], {
    maxBytes: 1024 * 1024,
  });
  const names = output.toString().split("\n");
  if (names.includes(tag) && names.some((name) => name.startsWith("refs/remotes/"))) throw new Unusable(AMBIGUOUS);
}

/** The bytes of a file at a ref in pieces, as they are in the repository, and not through a link. @throws Unusable */
export async function* bytesAtRef(
  repository: Repository,
  { ref, path }: { readonly ref: string; readonly path: string },
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, void> {
  const tree = await objectAt(repository, ref, undefined);
  await objectAt(repository, ref, path);
  await refuseTagOfBranch(repository, ref);
  const file = await fileIn(repository.git_dir, tree.id, path);
  if (file === null || file.kind === "link") throw new Unusable(`has ${path}, which is no file`);
  if (file.bytes > maxBytes) throw new Unusable(`has ${path} with ${file.bytes} bytes, at most ${maxBytes} are read`);
  for await (const { pieces } of blobsOf(repository.git_dir, [file])) yield* pieces;
}

/** One line of `--batch-check`; null for what is missing. */
function objectIn(line: string): GitObject | null {
  const [, id, type] = /^([0-9a-f]{40,64}) (\w+) \d+$/.exec(line) ?? [];
  return id === undefined || type === undefined ? null : { id, type };
}

const MAX_REF = 256;

/** A name or a hash, with `~` and `^` behind it. Dates (`@{1 day ago}`) and flags are refused. */
function checkRef(ref: string): void {
  if (ref.length > MAX_REF) throw new Unusable(`is longer than ${MAX_REF} characters`);
  if (ref.startsWith("-")) throw new Unusable("begins with a dash; give a branch, a tag or a hash");
  if (/[\s:\\?*[\p{Cc}]|\.\.|@\{|\^\{/u.test(ref) || ref === "")
    throw new Unusable("is no name of a commit; give a branch, a tag or a hash, as in main or HEAD~1");
}

const lineFault = (path: string) => (/\p{Cc}/u.test(path) ? "must not contain control characters" : null);

/** Names of refs that are compared with what was written. */
const NAMED = 1_000;

async function unknownRef(repository: Repository, ref: string): Promise<Unusable> {
  const { shared } = directoriesOf(repository);
  const hint = existsSync(join(shared, "shallow"))
    ? "; this clone is shallow, so it may be missing: git fetch --unshallow"
    : didYouMean(ref, await refNames(repository));
  return new Unusable(`names no commit of the repository${hint}`);
}

async function refNames({ git_dir }: Repository): Promise<string[]> {
  const { output } = await gitOutput(git_dir, ["for-each-ref", `--count=${NAMED}`, "--format=%(refname:short)"], {
    maxBytes: 1024 * 1024,
  });
  return output.toString().split("\n");
}
