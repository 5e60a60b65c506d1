import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { WORKSPACE_AT } from "../../domain/mount-point.ts";
import { COMMAND_LIMITS } from "./limits.ts";
import type { Launch } from "./process/started.ts";
import type { Mount, Scratch, Surroundings } from "./sandbox.ts";
import type { Toolchain } from "./toolchain.ts";

/** The home of every program inside. */
const HOME = "/home/agent";

/** Gives the number that a descriptor with this content has in the sandbox. */
type Attach = (content: string | Uint8Array) => number;

/** `host`: the network that bubblewrap is started in. With `resolver` names are asked for there. */
type SandboxNetwork = "none" | "host" | { readonly resolver: string };

interface SandboxLayout {
  readonly directory: string;
  readonly surroundings?: Surroundings | undefined;
  /** Checked already, as are the mounts. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
  readonly home?: string;
  readonly scratch?: Scratch;
  readonly read_only?: readonly string[];
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
  const { at = WORKSPACE_AT, shown = [], private: places = [] } = layout.surroundings ?? {};
  return [
    ...namespaces(network, layout.disableUserns),
    ...["--uid", "1000", "--gid", "1000", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["--clearenv", ...variables(toolchain, layout.environment)],
    ...["--ro-bind", "/usr", "/usr", ...["bin", "sbin", "lib", "lib64", "lib32"].flatMap(systemDirectory)],
    ...["/nix/store", ...ETC_SHARED, ...(network === "host" ? [RESOLVER] : [])].flatMap(shared),
    ...(typeof network === "string" ? [] : file("0644", RESOLVER, attach(network.resolver))),
    ...Object.entries(ETC_FILES).flatMap(([path, text]) => file("0644", path, attach(text))),
    // Before the mounts below them: on this machine, too, a user may be called agent.
    ...[...roomAt("/tmp", scratch?.tmp), ...roomAt(HOME, scratch?.home ?? layout.home)],
    ...[...toolchain.binds, ...mounts, ...shown].flatMap(({ from, to }) => ["--ro-bind", from, to]),
    ...Object.entries(toolchain.scripts).flatMap(([path, text]) => file("0755", path, attach(text))),
    ...["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", "--remount-ro", "/dev"],
    ...memoryDirectory("/dev/shm", 64),
    ...places.flatMap((path) => memoryDirectory(path, PRIVATE_MIB)),
    ...["--bind", directory, at, ...read_only.flatMap(kept(directory, at)), "--chdir", at, "--remount-ro", "/"],
    ...["--seccomp", String(attach(layout.filter)), "--json-status-fd", String(layout.statusDescriptor)],
  ];
}

/** Limits are set inside, where this sandbox has a process count of its own. Outside, bwrap itself would hit them. */
export const limited = ({
  argv,
  output,
  limits = COMMAND_LIMITS,
}: Pick<Launch, "argv" | "output" | "limits">): readonly string[] => [
  "/usr/bin/prlimit",
  `--nproc=${limits.processes}`,
  `--fsize=${limits.file_bytes}`,
  `--nofile=${limits.open_files}`,
  `--data=${limits.heap_bytes}`,
  "--core=0",
  "--",
  ...["/bin/sh", "-c", output === null ? GATE : `${GATE} </dev/null >&2`, "sh"],
  ...argv,
];

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

function variables(toolchain: Toolchain, given: SandboxLayout["environment"]): readonly string[] {
  const all = {
    PATH: [...toolchain.path, "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    USER: "agent",
    LANG: "C.UTF-8",
    TERM: "dumb",
    CI: "1",
    ...given,
    HOME,
    TMPDIR: "/tmp",
  };
  return Object.entries(all).flatMap(([name, value]) => ["--setenv", name, value]);
}

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
