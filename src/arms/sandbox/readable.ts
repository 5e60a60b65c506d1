import { realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { WORKSPACE_AT } from "../../domain/mount-point.ts";
import { textAt } from "./process/process-table.ts";
import type { Owner } from "./sandbox.ts";
import { isReachable } from "./temp-dir.ts";

/** A place that no command may read. */
export interface Guarded {
  readonly path: string;
  /** What lies there, for "it holds ...". */
  readonly what: string;
  /** False: a directory in it may be read, only not all of it. */
  readonly whole?: boolean;
}

/**
 * Why a directory of this machine is not shown to commands; undefined when it may be. `owner` is who commands run as.
 * @param guarded besides the system's own places
 */
export function whyNotReadable(given: string, guarded: readonly Guarded[], owner: Owner | null): string | undefined {
  if (!statSync(given, { throwIfNoEntry: false })) return "there is no such directory";
  if (!statSync(given).isDirectory()) return "it is not a directory";
  const paths = [resolve(given), realpathSync(given)];
  const holds = (place: Guarded) => paths.some((path) => isWithin(real(place.path), path));
  const liesIn = (place: Guarded) => paths.some((path) => isWithin(path, real(place.path)));
  const held = [...SYSTEM, ...guarded].find(holds);
  if (held) return `it holds ${held.what} (${held.path})`;
  const around = [...SYSTEM, ...guarded].find((place) => place.whole !== false && liesIn(place));
  if (around) return `it is in ${around.path}: ${around.what}`;
  const taken = TAKEN.find((path) => paths.some((it) => isWithin(it, path) || isWithin(path, it)));
  if (taken === "/usr") return "commands see all of /usr already";
  if (taken) return `the sandbox has a ${taken} of its own`;
  const socket = socketIn(paths);
  if (socket) return `a program listens on a socket in it (${socket}), which a command could talk to`;
  if (!isReachable(join(realpathSync(given), "x"), owner)) return NOT_REACHABLE;
  return undefined;
}

export const NOT_REACHABLE = "the unprivileged user that root's sandbox runs as cannot enter it; chmod o+x its parents";

/** Keys and tokens below a home, by where programs keep them. */
const SECRETS = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".config",
  ".docker",
  ".kube",
  ".netrc",
  ".npmrc",
  ".git-credentials",
];

/** What commands must not read of a home; the home itself, or what is above it, holds them all. */
export const guardedHome = (home: string): readonly Guarded[] => [
  { path: home, what: "your home, with its keys", whole: false },
  ...SECRETS.map((name) => ({ path: join(home, name), what: "keys and tokens" })),
];

const SYSTEM: readonly Guarded[] = [
  { path: "/tmp", what: "everybody's temporary files" },
  { path: "/var/tmp", what: "everybody's temporary files" },
  { path: "/run", what: "sockets of the system's services" },
  { path: "/proc", what: "the processes of this machine" },
  { path: "/sys", what: "the kernel's settings" },
  { path: "/dev", what: "devices" },
  { path: "/etc", what: "the system's secrets" },
  { path: "/root", what: "root's home", whole: false },
  { path: "/home", what: "the homes of people", whole: false },
];

/** Paths inside that belong to the sandbox. */
export const TAKEN = [WORKSPACE_AT, "/opt/bun", "/opt/node", "/usr"];

export const isWithin = (path: string, directory: string) =>
  path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);

/** A path that does not exist yet, or never can, leads through no link. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Read-only does not keep anybody from connecting. Sockets of other network namespaces are not listed here. */
function socketIn(directories: readonly string[]): string | undefined {
  const table = textAt("/proc/net/unix") ?? "";
  const paths = table.split("\n").flatMap((line) => line.split(" ").find((word) => word.startsWith("/")) ?? []);
  return paths.find((path) => directories.some((directory) => isWithin(path, directory)));
}
