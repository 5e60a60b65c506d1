import { type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join, posix } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { WORKSPACE_AT } from "../../domain/mount-point.ts";
import { COMMAND_LIMITS } from "./limits.ts";
import type { Launch } from "./process/started.ts";
import type { ImageRoot, SandboxedProgram, Scratch, Surroundings } from "./sandbox.ts";
import type { Toolchain } from "./toolchain.ts";

/** The home of every program inside. */
const HOME = "/home/agent";

/** Gives the number that a descriptor with this content has in the sandbox. */
type Attach = (content: string | Uint8Array) => number;

/** `host`: the network that bubblewrap is started in. With `resolver` names are asked for there. */
type SandboxNetwork = "none" | "host" | { readonly resolver: string };

/** Environment and mounts are checked already. */
interface SandboxLayout extends Pick<SandboxedProgram, "environment" | "mounts" | "home" | "read_only"> {
  readonly directory: string;
  readonly surroundings?: Surroundings | undefined;
  readonly scratch?: Scratch;
  readonly network: SandboxNetwork;
  readonly toolchain: Toolchain;
  readonly filter: Uint8Array;
  readonly attach: Attach;
  readonly statusDescriptor: number;
  /** Needs bubblewrap 0.8. With an older one only the system call filter refuses nested namespaces. */
  readonly disableUserns: boolean;
}

/**
 * What `bwrap --args` reads. Order matters: /proc and /dev become read-only after they are made, and / last of all. The
 * user's home, /tmp and /run are never bound, because a socket in them could be connected to through a read-only bind.
 */
export function bubblewrapArguments(layout: SandboxLayout): readonly string[] {
  const { directory, network, toolchain, mounts = [], scratch, read_only = [], attach } = layout;
  const { at = WORKSPACE_AT, shown = [], private: places = [], image } = layout.surroundings ?? {};
  const mounted = [...toolchain.binds, ...mounts, ...shown];
  const own = [...mounted.map(({ to }) => to), ...Object.keys(toolchain.scripts), ...places, at, HOME];
  const { uid, gid } = image?.user ?? AGENT_USER;
  return [
    ...namespaces(network, layout.disableUserns),
    ...["--uid", String(uid), "--gid", String(gid), "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["--clearenv", ...variables(toolchain, image, layout.environment)],
    ...(image ? imageLayout(image.directory, own) : systemRoot(attach)),
    ...resolver(network, image, attach),
    // Before the mounts below them: on this machine, too, a user may be called agent.
    ...[...roomAt("/tmp", scratch?.tmp), ...roomAt(HOME, scratch?.home ?? layout.home)],
    ...mounted.flatMap(({ from, to }) => ["--ro-bind", from, to]),
    ...Object.entries(toolchain.scripts).flatMap(([path, text]) => file("0755", path, attach(text))),
    ...["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", "--remount-ro", "/dev"],
    ...memoryDirectory("/dev/shm", 64),
    ...places.flatMap((path) => memoryDirectory(path, PRIVATE_MIB)),
    ...["--bind", directory, at, ...read_only.flatMap(kept(directory, at)), "--chdir", at, "--remount-ro", "/"],
    ...["--seccomp", String(attach(layout.filter)), "--json-status-fd", String(layout.statusDescriptor)],
  ];
}

/** Inside, unless an image says otherwise. */
const AGENT_USER = { uid: 1000, gid: 1000 };

/** The programs of this machine, and a few files that they look for. */
const systemRoot = (attach: Attach): readonly string[] => [
  ...["--ro-bind", "/usr", "/usr", ...["bin", "sbin", "lib", "lib64", "lib32"].flatMap(systemDirectory)],
  ...["/nix/store", ...ETC_SHARED].flatMap(shared),
  ...Object.entries(ETC_FILES).flatMap(([path, text]) => file("0644", path, attach(text))),
];

/** Where names are asked for. An image has an empty file there, over which the other is mounted. */
function resolver(network: SandboxNetwork, image: ImageRoot | undefined, attach: Attach): readonly string[] {
  if (network === "host") return shared(RESOLVER);
  if (network === "none") return [];
  const descriptor = attach(network.resolver);
  return image ? ["--ro-bind-data", String(descriptor), RESOLVER] : file("0644", RESOLVER, descriptor);
}

/** Limits are set inside, where this sandbox has a process count of its own. Outside, bwrap itself would hit them. */
export function limited(
  bubblewrap: readonly string[],
  { argv, output, limits = COMMAND_LIMITS, surroundings }: Pick<Launch, "argv" | "output" | "limits" | "surroundings">,
): readonly string[] {
  const gate = output === null ? GATE : `${GATE} </dev/null >&2`;
  const processes = `--nproc=${limits.processes}`;
  const others = [
    `--fsize=${limits.file_bytes}`,
    `--nofile=${limits.open_files}`,
    `--data=${limits.heap_bytes}`,
    "--core=0",
  ];
  if (!surroundings?.image)
    return [...bubblewrap, "--", PRLIMIT, processes, ...others, "--", "/bin/sh", "-c", gate, "sh", ...argv];
  // An image may lack the program. Every shell can limit processes, and no two of them call the rest alike.
  const own = `{ ulimit -u ${limits.processes} || ulimit -p ${limits.processes}; } 2>/dev/null || exit 1`;
  return [PRLIMIT, ...others, "--", ...bubblewrap, "--", "/bin/sh", "-c", `${own}; ${gate}`, "sh", ...argv];
}

const PRLIMIT = "/usr/bin/prlimit";

/**
 * A sandbox dies with this process only once it is complete. So the program prints a line when it is inside, and begins
 * when it reads one: a process that was killed before writes none.
 */
const GATE = 'echo && read -r _ && exec "$@"';

const namespaces = (network: SandboxNetwork, disableUserns: boolean) => [
  ...["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"],
  ...["--hostname", "sandbox"],
  ...(network === "none" ? ["--unshare-net"] : []),
  ...(disableUserns ? ["--disable-userns"] : []),
];

function variables(
  toolchain: Toolchain,
  image: ImageRoot | undefined,
  given: SandboxLayout["environment"],
): readonly string[] {
  const { PATH = IMAGE_PATH, ...ofImage } = image?.environment ?? {};
  const path = image ? [PATH, ...toolchain.path] : [...toolchain.path, "/usr/local/bin", "/usr/bin", "/bin"];
  const all = {
    ...(image ? {} : { USER: "agent" }),
    LANG: "C.UTF-8",
    TERM: "dumb",
    CI: "1",
    ...ofImage,
    PATH: path.join(":"),
    ...given,
    HOME,
    TMPDIR: "/tmp",
  };
  return Object.entries(all).flatMap(([name, value]) => ["--setenv", name, value]);
}

/** Where an image names none, as every runner of images has it. */
const IMAGE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** /bin and the like: links into /usr on most systems, directories of their own on others. */
function systemDirectory(name: string): readonly string[] {
  const path = `/${name}`;
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry) return [];
  return entry.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

const kept = (directory: string, at: string) => (path: string) => ["--ro-bind", join(directory, path), `${at}/${path}`];

const shared = (path: string) => ["--ro-bind-try", path, path];

/** A real file in the read-only root. One that is bound from a descriptor has no name that realpath finds. */
const file = (mode: string, path: string, descriptor: number) => ["--perms", mode, "--file", String(descriptor), path];

const roomAt = (path: string, onDisk: string | undefined) =>
  onDisk === undefined ? memoryDirectory(path, 256) : ["--bind", onDisk, path];

/** Of each private place. */
const PRIVATE_MIB = 32;

const memoryDirectory = (path: string, mebibytes: number) => ["--size", String(mebibytes * 2 ** 20), "--tmpfs", path];

const RESOLVER = "/etc/resolv.conf";

const ETC_SHARED = [
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/ssl/certs",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust",
  "/etc/localtime",
];

const ETC_FILES = {
  "/etc/passwd": "agent:x:1000:1000::/home/agent:/bin/sh\n",
  "/etc/group": "agent:x:1000:\n",
  "/etc/hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
  "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
};

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
function imageLayout(root: string, places: readonly string[]): readonly string[] {
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
