/** Where a workspace is mounted unless its fixture says otherwise: a path that tells nothing of the arm. */
export const WORKSPACE_AT = "/workspace";

/** Places inside that belong to the sandbox, with everything below them. */
const OF_THE_SANDBOX = [
  ...["/proc", "/sys", "/dev", "/run", "/tmp", "/etc", "/home/agent"],
  ...["/opt/bun", "/opt/node", "/opt/abeval", "/opt/agent", "/opt/mcp"],
];

/** Places of the system's programs, with everything below them. */
const OF_THE_SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix"];

/** Directories in which only what lies below them may be replaced. */
const SHARED = ["/home", "/opt", "/var"];

const MAX_CHARS = 200;

/**
 * Why nothing of a scenario may be mounted at a path; null when it may.
 * @param within an image, directories below those of the system's programs may be: people keep their work in /usr/src/app
 */
export function mountPointFault(path: string, within: "machine" | "image" = "machine"): string | null {
  if (!path.startsWith("/")) return "must be absolute";
  if (path === "/") return "must not be the root";
  if (path.length > MAX_CHARS) return `is longer than ${MAX_CHARS} characters`;
  if (/[\\\p{Cc}]/u.test(path)) return "must use forward slashes only, and no control characters";
  const steps = path.slice(1).split("/");
  if (steps.some((step) => step === "" || step === "." || step === ".."))
    return "must not contain empty, `.` or `..` steps, nor end in a slash";
  if (SHARED.includes(path)) return `must name a directory below ${path}`;
  const covers = (place: string) => place === path || place.startsWith(`${path}/`);
  const taken =
    OF_THE_SANDBOX.find((place) => coverEachOther(path, place)) ??
    OF_THE_SYSTEM.find((place) => (within === "image" ? covers(place) : coverEachOther(path, place)));
  return taken === undefined ? null : `would cover ${taken}, which the sandbox needs`;
}

/** Whether two absolute paths are the same, or one lies in the other. */
export const coverEachOther = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);

/** Whether an absolute path may be that of a task's file. Other words with a slash are routes, types and the like. */
export const isPlaceOfTasks = (path: string): boolean =>
  /^\/(app|data|workspace|root|home|opt|var|srv|mnt|etc|tmp|testbed|output|project|run|boot|build|code|task|logs?)(\/|$)/.test(
    path,
  );
