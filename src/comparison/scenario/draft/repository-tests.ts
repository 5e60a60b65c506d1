import { CHANGED_FILE_BYTES } from "../../../domain/defaults.ts";
import { type DraftCheck, PLACEHOLDER } from "../draft-scenario.ts";
import { textOfBlob } from "../git/git-files.ts";
import { gitOutput } from "../git/run-git.ts";
import { blobsOf, fileIn, type TreeFile } from "../git/tree.ts";
import type { Repository } from "../repository.ts";
import { type Repertoire, testCommand } from "./test-files.ts";

/** Bytes of the names at the top of a repository. */
const TOP_BYTES = 1024 * 1024;

/** What a tree of a repository says of its tests and packages. */
export async function repertoireAt(repository: Repository, id: string): Promise<Repertoire> {
  const { output } = await gitOutput(repository.git_dir, ["ls-tree", "-z", "--name-only", "--full-tree", id], {
    maxBytes: TOP_BYTES,
  });
  const manifest = await fileIn(repository.git_dir, id, "package.json");
  return {
    top: new Set(output.toString().split("\0")),
    manifest: manifest === null ? null : await textOfBlob(repository, manifest, CHANGED_FILE_BYTES),
    locks: await headsOf(repository, id, VERSIONED_LOCKS),
  };
}

/** Lock files of which the beginning counts. */
const VERSIONED_LOCKS: readonly string[] = ["yarn.lock", "pnpm-lock.yaml"];

/** How files of a tree begin, by their path; without those that are not there. */
async function headsOf({ git_dir }: Repository, tree: string, paths: readonly string[]) {
  const heads: Record<string, string> = {};
  for (const path of paths) {
    const file = await fileIn(git_dir, tree, path);
    if (file?.kind === "file") heads[path] = await headOf(git_dir, file);
  }
  return heads;
}

async function headOf(git_dir: string, file: TreeFile): Promise<string> {
  for await (const { pieces } of blobsOf(git_dir, [file]))
    for await (const piece of pieces) return new TextDecoder().decode(piece.subarray(0, HEAD_BYTES));
  return "";
}

/** A lock file tells its form in the first lines. */
const HEAD_BYTES = 1_024;

interface Commands {
  readonly checks: readonly DraftCheck[];
  readonly setup: readonly string[];
}

export interface TestText {
  readonly path: string;
  readonly text: string;
}

/** One check for each command. A command for a whole directory covers all its files. */
export function commandsOf(tests: readonly TestText[], repertoire: Repertoire): Commands {
  const checks = new Map<string, DraftCheck>();
  const setup = new Set<string>();
  for (const { path, text } of tests) {
    const command = testCommand(path, text, repertoire);
    if (command === null) continue;
    if (!checks.has(command.run)) checks.set(command.run, { run: command.run, file: path });
    for (const step of command.setup) setup.add(step);
  }
  const [first] = tests;
  if (checks.size === 0 && first !== undefined) checks.set(PLACEHOLDER, { run: PLACEHOLDER, file: first.path });
  return { checks: [...checks.values()], setup: [...setup] };
}
