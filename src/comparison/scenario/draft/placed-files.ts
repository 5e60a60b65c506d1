import { dirname } from "node:path/posix";
import { coverEachOther, isPlaceOfTasks, mountPointFault } from "../../../domain/mount-point.ts";
import { Unusable } from "../unusable.ts";
import type { SourceFile } from "./material.ts";

/** Where tasks of these forms expect their hidden tests and leave their logs. Commands find them empty. */
export const TESTS_AT = "/tests";
export const LOGS_AT = "/logs";

/** A file and where the Dockerfile puts it. */
interface Placed {
  readonly file: SourceFile;
  /** Absolute. */
  readonly to: string;
}

/** A directory's contents go into the target. @throws Unusable for a source that is not there */
export function placedAt(context: readonly SourceFile[], source: string, target: string): Placed[] {
  const from = source.replace(/^(\.?\/)+/, "").replace(/(?<!\/)\/+$/, "");
  const directory = target.replace(/\/$/, "");
  if (from === "." || from === "") return context.map((file) => ({ file, to: `${directory}/${file.path}` }));
  if (from.split("*").length > 3)
    throw new Unusable(`copies with more than two stars: ${JSON.stringify(source.slice(0, 100))}`);
  const pattern = new RegExp(`^${from.split("*").map(RegExp.escape).join("[^/]*")}(?:/(.+))?$`);
  const found = context.flatMap((file) => {
    const match = pattern.exec(file.path);
    if (match === null) return [];
    const name = file.path.split("/").at(-1);
    return [
      { file, to: match[1] === undefined && !target.endsWith("/") ? target : `${directory}/${match[1] ?? name}` },
    ];
  });
  if (found.length === 0) throw new Unusable(`copies ${JSON.stringify(source)}, which is not there`);
  return found;
}

/** The directory that arms work in: that of commands, or one above it where files and tests need that. */
export function placeOfWork(workdir: string, placed: readonly Placed[], texts: readonly string[]): string {
  const above = dirname(workdir);
  const outside = [...placed.map(({ to }) => to), ...texts.flatMap(pathsIn)].some(
    (path) => path.startsWith(`${above}/`) && !path.startsWith(`${workdir}/`) && path !== workdir,
  );
  const at = outside && above !== "/" && mountPointFault(above) === null ? above : workdir;
  const fault = mountPointFault(at);
  if (fault !== null) throw new Unusable(`works in a system path: ${at}, which ${fault}`);
  return at;
}

/** The directories outside of the work that hold its files, none in another. @throws Unusable */
export function placesBeside(beside: readonly Placed[], at: string): string[] {
  const roots = new Set(beside.map(({ to }) => rootOf(to)));
  for (const root of roots) {
    const fault = mountPointFault(root) ?? (coverEachOther(root, at) ? `covers ${at}` : null);
    if (fault !== null) throw new Unusable(`puts files into a system path: ${root}, which ${fault}`);
  }
  return [...roots].sort();
}

/** The top directory of a path; below a shared one the directory in it. */
function rootOf(path: string): string {
  const steps = dirname(path).split("/");
  return steps.slice(0, /^\/(home|opt|var|srv|mnt)\//.test(path) ? 3 : 2).join("/");
}

/** Absolute paths in a text, as tests and scripts name them. */
const pathsIn = (text: string): string[] => text.match(/(?<![\w.$}*)\]:/~-])\/(?:[\w.@+-]+\/)*[\w.@+-]+/g) ?? [];

/** Paths of the system. Tests may read them, and nothing of a task lies there. */
const OF_THE_SYSTEM = /^\/(usr|bin|sbin|lib|lib64|dev|proc)(\/|$)/;

/** A path that is neither of the work nor shown beside it would be lost between two commands. @throws Unusable */
export function demandPaths(
  at: string,
  placed: readonly Placed[],
  also: readonly string[],
  texts: readonly string[],
): void {
  const known = new Set(placed.flatMap(({ to }) => [to, ...directoriesOf(to)]));
  const ours = [at, TESTS_AT, LOGS_AT, "/oracle", "/solution"];
  for (const path of new Set(texts.flatMap(pathsIn))) {
    if (ours.some((place) => isIn(path, place)) || OF_THE_SYSTEM.test(path) || known.has(path)) continue;
    if (also.some((place) => isIn(path, place)))
      throw new Unusable(`leaves its work beside its directory: ${path}, outside of ${at}`);
    if (isPlaceOfTasks(path)) throw new Unusable(`needs a path outside of its directory: ${path}`);
  }
}

const isIn = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

/** Every directory above a path. */
const directoriesOf = (path: string) =>
  path
    .split("/")
    .slice(1, -1)
    .map((_, index, steps) => `/${steps.slice(0, index + 1).join("/")}`);

export const toFixture =
  (at: string) =>
  ({ file, to }: Placed) => ({ file, path: `fixture${to.slice(at.length)}` });
