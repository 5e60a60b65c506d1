import { PATCH_BYTES } from "../../../domain/defaults.ts";
import { workspacePathFault } from "../confined-path.ts";
import { gitOutput } from "../git/run-git.ts";
import { objectAt, type Repository } from "../repository.ts";
import { Unusable } from "../unusable.ts";

/** A file that a commit changed. A renamed file counts as removed and added. */
interface ChangedFile {
  readonly path: string;
  readonly status: "added" | "changed" | "removed";
  /** Object id of the new contents; meaningless for a removed file. */
  readonly id: string;
  readonly executable: boolean;
}

/** A commit with one parent, by their full hashes. */
export interface FixingCommit {
  readonly id: string;
  readonly parent: string;
  readonly message: string;
  readonly files: readonly ChangedFile[];
}

/** Files of a commit. A commit that changes more fixes more than one thing. */
const MAX_CHANGED = 200;

const MESSAGE_BYTES = 1024 * 1024;

/** @throws Unusable for a commit that is unknown, a merge, the first one, or changes what no patch of text can carry. */
export async function readFixingCommit(repository: Repository, ref: string): Promise<FixingCommit> {
  const { id } = await objectAt(repository, ref, undefined, "commit");
  const { output } = await gitOutput(repository.git_dir, ["cat-file", "commit", id], { maxBytes: MESSAGE_BYTES });
  const [headers = "", ...message] = output.toString().split("\n\n");
  const parents = [...headers.matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap(([, parent]) => parent ?? []);
  const [parent, second] = parents;
  if (parent === undefined) throw new Unusable("is the first commit; a fix has a parent to start from");
  if (second !== undefined) throw new Unusable("is a merge; name the commit that has the fix");
  await checkParent(repository, parent);
  return { id, parent, message: message.join("\n\n"), files: await changedFiles(repository, parent, id) };
}

/** A shallow clone has a commit without its parent. @throws Unusable */
async function checkParent(repository: Repository, parent: string): Promise<void> {
  try {
    await objectAt(repository, parent, undefined);
  } catch (error) {
    if (error instanceof Unusable)
      throw new Unusable(`has the parent ${parent}, which ${error.message}`, { cause: error });
    throw error;
  }
}

/** What these files changed, as one diff that a scenario takes as its reference. @throws Unusable */
export async function patchBetween(
  { git_dir }: Repository,
  { parent, id }: Pick<FixingCommit, "parent" | "id">,
  paths: readonly string[],
): Promise<string> {
  const form = ["-p", "-U3", "--text", "--full-index", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/"];
  const plain = ["--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "-O/dev/null"];
  const { output } = await gitOutput(git_dir, ["diff-tree", "-r", ...form, ...plain, parent, id, "--", ...paths], {
    maxBytes: PATCH_BYTES,
  });
  if (output.includes(0))
    throw new Unusable("changes a binary file that is no test, which a patch of text cannot carry");
  return new TextDecoder().decode(output);
}

async function changedFiles({ git_dir }: Repository, parent: string, id: string): Promise<ChangedFile[]> {
  const { output } = await gitOutput(
    git_dir,
    ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--abbrev=64", parent, id],
    {
      maxBytes: 1024 * 1024,
    },
  );
  const words = output.toString().split("\0");
  const files = words.flatMap((header, index) =>
    index % 2 === 0 && header !== "" ? [fileOf(header, words[index + 1] ?? "")] : [],
  );
  if (files.length === 0) throw new Unusable("changes no file");
  if (files.length > MAX_CHANGED)
    throw new Unusable(`changes ${files.length} files, more than ${MAX_CHANGED}; a scenario needs one small fix`);
  return files;
}

const STATUS: Readonly<Record<string, ChangedFile["status"]>> = { A: "added", D: "removed", M: "changed" };

function fileOf(header: string, path: string): ChangedFile {
  const [before = "", after = "", , id = "", letter = ""] = header.slice(1).split(" ");
  const status = STATUS[letter];
  const isFile = [before, after].every((mode) => mode === "000000" || mode.startsWith("100"));
  if (status === undefined || !isFile)
    throw new Unusable(`changes ${path}, which is a link or a submodule; a fix of plain files is needed`);
  if (workspacePathFault(path) !== null || /["\p{Cc}]/u.test(path))
    throw new Unusable(`changes ${JSON.stringify(path)}, a name that a patch cannot carry`);
  return { path, status, id, executable: after === "100755" };
}
