import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import type { CheckoutInput } from "../../../domain/checkout-input.ts";
import { MATERIAL_BYTES } from "../../../domain/defaults.ts";
import { allInputs, type NamedInput } from "../../../domain/editable-inputs.ts";
import { Failure } from "../../../domain/failure.ts";
import { digestOf } from "../materials.ts";
import { bytesAtRef, objectAt, type Repository, repositoryAround } from "../repository.ts";
import { Unusable } from "../unusable.ts";
import { GitFiles } from "./git-files.ts";

interface Checkout {
  /** The working directory. */
  readonly here: string;
  /** What the change is compared with; undefined: everything in a work tree counts as changed. */
  readonly base: string | undefined;
  /** A base that is itself checked out says nothing there. */
  readonly in_ci: boolean;
}

/** A commit of the repository around the working directory. */
interface Base {
  readonly repository: Repository;
  readonly commit: string;
}

/**
 * The inputs that a change could have edited: those that differ from the base, or without one all that lie in a work tree.
 * @throws Failure `invalid_request` for a base that there is not
 */
export async function inputsFromCheckout(
  inputs: readonly NamedInput[],
  { here, base: ref, in_ci }: Checkout,
): Promise<CheckoutInput[] | undefined> {
  const repository = repositoryOf(here);
  const named = ref === undefined ? undefined : await baseAt(repository, ref);
  const base = in_ci && named && (await isCheckedOut(named)) ? undefined : named;
  const found: CheckoutInput[] = [];
  for (const one of inputs) {
    const path = await pathOfEdited(one, { here, repository, base });
    if (path !== undefined)
      found.push({ input: one.input, path: one.told_as ?? path, ...(one.pinned && { pinned: true }) });
  }
  return allInputs([found]);
}

/** What an input is called that the change could have edited; undefined for another one. */
async function pathOfEdited(
  one: NamedInput,
  { here, repository, base }: Repositories & Pick<Checkout, "here">,
): Promise<string | undefined> {
  const { ref, path } = one;
  if (ref !== undefined) return (await isOwnCommit(one, ref, { repository, base })) ? `git:${ref}:${path}` : undefined;
  const way = await wayTo(resolve(here, path));
  if (way === undefined || !(await isEdited(one, way, base))) return undefined;
  if (one.committed && !(await isCommitted(way))) return undefined;
  return (repository && pathIn(repository, way.real)) ?? way.real;
}

function repositoryOf(directory: string): Repository | undefined {
  try {
    return repositoryAround(directory);
  } catch (error) {
    if (error instanceof Unusable) return undefined;
    throw error;
  }
}

async function baseAt(repository: Repository | undefined, ref: string): Promise<Base> {
  const refused = (why: string, cause?: unknown) =>
    new Failure("invalid_request", `--base ${ref}: ${why}`, { cause, details: { field: "base" } });
  if (repository === undefined) throw refused("there is no git repository around the working directory");
  try {
    return { repository, commit: (await objectAt(repository, ref, undefined, "commit")).id };
  } catch (error) {
    if (error instanceof Unusable) throw refused(error.message, error);
    throw error;
  }
}

const isCheckedOut = async ({ repository, commit }: Base) =>
  (await objectAt(repository, "HEAD", undefined, "commit")).id === commit;

/** How a path is reached on this machine: a link in a work tree can be edited as a file can. */
interface Way {
  /** Where it ends. */
  readonly real: string;
  /** Links on the way. */
  readonly links: readonly string[];
  readonly isDirectory: boolean;
}

const MAX_LINKS = 40;

/** Undefined where nothing is. */
async function wayTo(path: string): Promise<Way | undefined> {
  const links: string[] = [];
  const pending = path.split(sep);
  let real: string = sep;
  for (let step = pending.shift(); step !== undefined; step = pending.shift()) {
    const next = resolve(real, step);
    const stats = await lstat(next).catch(() => undefined);
    if (stats === undefined || links.length > MAX_LINKS) return undefined;
    if (!stats.isSymbolicLink()) {
      real = next;
      continue;
    }
    links.push(next);
    const target = await readlink(next);
    pending.unshift(...target.split(sep));
    if (target.startsWith(sep)) real = sep;
  }
  return { real, links, isDirectory: (await lstat(real)).isDirectory() };
}

/** Whatever a link leads to counts as committed. */
async function isCommitted({ real, links }: Way): Promise<boolean> {
  const repository = repositoryOf(dirname(real));
  const path = repository && pathIn(repository, real);
  if (links.length > 0 || !repository || path === undefined) return true;
  return await isSame(objectAt(repository, "HEAD", path).then(() => true));
}

const isInWorkTree = (directory: string): boolean => repositoryOf(directory) !== undefined;

/** Without a base all of a work tree counts, as does what the base cannot have. */
async function isEdited(one: NamedInput, { real, links, isDirectory }: Way, base: Base | undefined): Promise<boolean> {
  const hasLink = links.some((link) => isInWorkTree(dirname(link)));
  // The refs of a repository are no part of a commit; what a link finds beside them may be (Git LFS keeps it there).
  if (!hasLink && real.split(sep).includes(".git")) return false;
  if (!hasLink && !isInWorkTree(isDirectory ? real : dirname(real))) return false;
  const path = base && pathIn(base.repository, real);
  if (!base || hasLink || path === undefined) return true;
  return !(await isSame(
    isDirectory ? isSameDirectory(base, path, real) : isSameFile(base, path, { ...one, path: real }),
  ));
}

/** Undefined outside of the repository. */
function pathIn({ root }: Repository, real: string): string | undefined {
  const path = relative(root, real).replaceAll(sep, "/");
  return path === ".." || path.startsWith("../") ? undefined : path;
}

/** What the base lacks, and what cannot be read there, is not the same. */
const isSame = (comparing: Promise<boolean>): Promise<boolean> => comparing.catch(Unusable.or(false));

async function isSameDirectory({ repository, commit }: Base, path: string, dir: string): Promise<boolean> {
  const { id } = await objectAt(repository, commit, path === "" ? undefined : path);
  return (await digestOf({ dir, files: {} })) === (await new GitFiles().digest(repository, id, {}));
}

async function isSameFile({ repository, commit }: Base, path: string, one: NamedInput): Promise<boolean> {
  const there = await digestOfPieces(bytesAtRef(repository, { ref: commit, path }, MATERIAL_BYTES));
  return there === (one.sha256 ?? (await digestOfPieces(createReadStream(one.path))));
}

async function digestOfPieces(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}

interface Repositories {
  readonly repository: Repository | undefined;
  readonly base: Base | undefined;
}

/** Whether a file of a commit is the change's own: the base has another one, or without a base the commit is what is checked out. */
async function isOwnCommit(one: NamedInput, ref: string, { repository, base }: Repositories): Promise<boolean> {
  if (repository === undefined) return true;
  const idOf = async (commit: string) => (await objectAt(repository, commit, one.path)).id;
  if (base) return !(await isSame(Promise.all([one.id ?? idOf(ref), idOf(base.commit)]).then(([a, b]) => a === b)));
  if (/^(HEAD|@)(?![\w/-])/.test(ref)) return true;
  const [own, head] = [ref, "HEAD"].map((commit) => objectAt(repository, commit, undefined, "commit"));
  return !(await isSame(Promise.all([own, head]).then(([a, b]) => a?.id !== b?.id)));
}
