import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { join, posix } from "node:path";
import { ImageFault, quotedPath } from "./image-fault.ts";

/** Links that are followed on the way to one path, as the kernel does. */
const MOST_LINKS = 40;

/** Steps along one path, links included. Honest ones take a few dozen, and the kernel would take 10,000. */
const MOST_STEPS = 1_000;

/** Steps in looking up all paths of one image: its entries are a million at most, and each has some directories above it. */
const MOST_STEPS_IN_ALL = 10_000_000;

/** How much is looked up: of one path, and of all of an image. */
export class LookUps {
  #path = "";
  #ofPath = 0;
  #inAll = 0;

  /** @returns the steps of the path before it */
  begin(path: string): number {
    const before = this.#ofPath;
    [this.#path, this.#ofPath] = [path, 0];
    return before;
  }

  /** @throws ImageFault when there are too many */
  step(): void {
    this.#ofPath += 1;
    this.#inAll += 1;
    if (this.#ofPath > MOST_STEPS)
      throw new ImageFault(
        `holds ${quotedPath(this.#path)}, which its links lead along more than ${MOST_STEPS} directories; make these links shorter`,
      );
    if (this.#inAll > MOST_STEPS_IN_ALL)
      throw new ImageFault(
        `holds paths that take more than ${MOST_STEPS_IN_ALL} steps to look up, up to ${quotedPath(this.#path)}; make an image with fewer files, or shorter links`,
      );
  }
}

/** What stands at a path of an image, on this machine. */
interface Found {
  readonly path: string;
  readonly stats: Stats;
}

/**
 * Where a path leads in a tree that nobody changes meanwhile, as it would for a program whose root the tree is: no link leads out.
 * Undefined when nothing is there. @throws ImageFault for links that lead in a circle
 */
export function findInRoot(root: string, path: string, lookUps = new LookUps()): Found | undefined {
  let way: Way | undefined = { at: "", pending: stepsOf(path) };
  for (let links = 0; way && way.pending.length > 0; links += 1) {
    if (links > MOST_LINKS) throw new ImageFault(`holds links that lead in a circle at ${path}`);
    way = alongDirectories(root, way, lookUps);
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
function alongDirectories(root: string, { at: start, pending }: Way, lookUps: LookUps): Way | undefined {
  let at = start;
  for (const [index, step] of pending.entries()) {
    lookUps.step();
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
