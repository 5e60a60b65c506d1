import { type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join, posix } from "node:path";
import { Failure } from "../../../domain/failure.ts";

/** What the sandbox has of its own, whatever an image holds there. */
const OWN = ["/proc", "/dev", "/sys", "/run", "/tmp"];

/** Entries of a directory that has to be shown piece by piece. Each is a mount. */
const MOST_PIECES = 400;

/**
 * Shows an image read-only. Nothing can be made in what is mounted read-only, so where a place to mount at is missing, the directories
 * on the way to it are the sandbox's own and show what the image has in them.
 * @param places absolute paths inside at which something will be mounted
 * @throws Failure `invalid_request`
 */
export function imageLayout(root: string, places: readonly string[]): readonly string[] {
  const all = [...OWN, ...places];
  const own = new Set(["/", ...all.flatMap((place) => ownDirectories(root, place))]);
  const covered = (path: string) => all.some((place) => place === path || place.startsWith(`${path}/`));
  const pieces = [...own].toSorted().flatMap((directory) => [
    ...(directory === "/" ? [] : ["--dir", directory]),
    ...entriesOf(root, directory)
      .filter((entry) => !isReplaced(root, posix.join(directory, entry.name), covered))
      .flatMap((entry) => piece(root, directory, entry, own)),
  ]);
  return [...pieces, "--dir", "/run"];
}

/** The directories of the image on the way to a place, when the last of them lacks what comes next; none when it can be mounted at. */
function ownDirectories(root: string, place: string): readonly string[] {
  const steps = place.slice(1).split("/");
  const way = steps.map((_, index) => `/${steps.slice(0, index).join("/")}`);
  const first = way.findIndex((path) => !isDirectory(join(root, path)));
  if (first === -1 && isDirectory(join(root, place))) return [];
  return (first === -1 ? way : way.slice(0, first)).filter((path) => path !== "/");
}

const isDirectory = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Something else comes in its place. What is a directory and stays one is shown, and mounted over. */
const isReplaced = (root: string, path: string, covered: (path: string) => boolean): boolean =>
  OWN.includes(path) || (covered(path) && !isDirectory(join(root, path)));

function entriesOf(root: string, directory: string): readonly Dirent[] {
  const entries = readdirSync(join(root, directory), { withFileTypes: true });
  if (entries.length <= MOST_PIECES) return entries;
  throw new Failure(
    "invalid_request",
    `nothing can be mounted below ${directory} of the image, which has ${entries.length} entries (at most ${MOST_PIECES}); mount it elsewhere`,
  );
}

function piece(root: string, directory: string, entry: Dirent, own: ReadonlySet<string>): readonly string[] {
  const path = posix.join(directory, entry.name);
  if (own.has(path)) return [];
  if (entry.isSymbolicLink()) return ["--symlink", readlinkSync(join(root, path)), path];
  return entry.isDirectory() || entry.isFile() ? ["--ro-bind", join(root, path), path] : [];
}
