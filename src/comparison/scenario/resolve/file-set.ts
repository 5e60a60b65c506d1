import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import type { FileSet, Files } from "../../../domain/task.ts";
import { breathe } from "../../../runtime/pace.ts";
import type { FieldPath } from "../authored/problems.ts";
import { workspacePathFault } from "../confined-path.ts";
import { digestOfLines, materialLines } from "../materials.ts";
import { Unusable } from "../unusable.ts";
import { attempt, locateFile, type ResolveContext, readOnce } from "./context.ts";

interface AuthoredFiles {
  readonly dir: string | undefined;
  /** Where `dir` stands in the file. */
  readonly dirPath: FieldPath;
  readonly files: Files | undefined;
  readonly filesPath: FieldPath;
  /** Globs of what the directory is read without. */
  readonly exclude?: readonly string[];
  /** Repositories in it are left out later. */
  readonly repository?: boolean | undefined;
}

/** A set of files with its digest. After a problem the digest is empty. */
export async function resolveFileSet(context: ResolveContext, authored: AuthoredFiles): Promise<FileSet> {
  const { dir, dirPath, files = {}, exclude = [] } = authored;
  checkInlinePaths(context, authored.filesPath, files);
  const real = dir === undefined ? null : await resolveDirectory(context, dirPath, dir);
  if (!context.problems.sound(dirPath) || !context.problems.sound(authored.filesPath))
    return { dir: null, files, digest: "" };
  const { repository = false } = authored;
  const digest = await attempt(context, dirPath, `${dir}`, () =>
    readOnce(context, "digest", JSON.stringify([real, repository, exclude, files]), async () => {
      const lines = real === null ? NO_LINES : await linesOf(context, real, exclude);
      if (exclude.length > 0 && !repository) refuseHistory(lines.keys());
      // Thousands of names take milliseconds to be put in order, for each row that brings a file of its own.
      await breathe();
      return digestOfLines(lines, files);
    }),
  );
  return { dir: real === null ? null : await fromRoot(context, real), files, digest: digest ?? "" };
}

/** What is left out of the files is still in their history. @throws Unusable */
function refuseHistory(paths: Iterable<string>): void {
  const found = [...paths].find((path) => /(^|\/)\.git(\/|$)/i.test(path));
  if (found !== undefined)
    throw new Unusable(
      `holds ${found}: history has what \`exclude\` leaves out; add "**/.git", or set \`repository: true\``,
    );
}

const linesOf = (context: ResolveContext, real: string, exclude: readonly string[]) =>
  readOnce(context, "lines", JSON.stringify([real, ...exclude]), () => materialLines(real, exclude));

/** The real absolute path of a directory that the file names; null after a problem. */
export function resolveDirectory(context: ResolveContext, path: FieldPath, dir: string): Promise<string | null> {
  return attempt(context, path, dir, () => locateFile(context, dir, "directory"));
}

export function checkInlinePaths({ problems }: ResolveContext, path: FieldPath, files: Files): void {
  const directories = new Set(Object.keys(files).flatMap(parents));
  for (const name of Object.keys(files)) {
    const fault = workspacePathFault(name) ?? (directories.has(name) ? "is also a directory of another file" : null);
    if (fault !== null) problems.add([...path, name], `the path ${fault}`, { at: "key" });
  }
}

function parents(path: string): string[] {
  const steps = path.split("/");
  return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join("/"));
}

async function fromRoot(context: ResolveContext, real: string): Promise<string> {
  return relative(await readOnce(context, "root", "", () => realpath(context.root)), real).replaceAll(sep, "/");
}

const NO_LINES: ReadonlyMap<string, string> = new Map();
