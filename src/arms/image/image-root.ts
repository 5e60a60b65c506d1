import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { join, posix } from "node:path";
import { ImageFault } from "./image-fault.ts";

/** Links that are followed on the way to one path, as the kernel does. */
const MOST_LINKS = 40;

/** What stands at a path of an image, on this machine. */
interface Found {
  readonly path: string;
  readonly stats: Stats;
}

/**
 * Where a path leads in a tree that nobody changes meanwhile, as it would for a program whose root the tree is: no link leads out.
 * Undefined when nothing is there. @throws ImageFault for links that lead in a circle
 */
export function findInRoot(root: string, path: string): Found | undefined {
  let way: Way | undefined = { at: "", pending: stepsOf(path) };
  for (let links = 0; way && way.pending.length > 0; links += 1) {
    if (links > MOST_LINKS) throw new ImageFault(`holds links that lead in a circle at ${path}`);
    way = alongDirectories(root, way);
  }
  if (!way) return undefined;
  const real = join(root, way.at);
  return { path: real, stats: lstatSync(real) };
}

interface Way {
  readonly at: string;
  readonly pending: readonly string[];
}

/** Walks as far as the next link, which the caller follows; undefined when nothing is there. */
function alongDirectories(root: string, { at: start, pending }: Way): Way | undefined {
  let at = start;
  for (const [index, step] of pending.entries()) {
    const next = step === ".." ? posix.dirname(`/${at}`).slice(1) : posix.join(at, step);
    const entry = lstatSync(join(root, next), { throwIfNoEntry: false });
    if (entry?.isSymbolicLink()) {
      const rest = pending.slice(index + 1);
      const target = readlinkSync(join(root, next));
      return { at: target.startsWith("/") ? "" : at, pending: [...stepsOf(target), ...rest] };
    }
    if (!entry || (index < pending.length - 1 && !entry.isDirectory())) return undefined;
    at = next;
  }
  return { at, pending: [] };
}

const stepsOf = (path: string): string[] => path.split("/").filter((step) => step !== "" && step !== ".");
