import { lstatSync, readlinkSync } from "node:fs";
import { MAX_FILE_BYTES, MAX_HEAP_BYTES, MAX_OPEN_FILES, MAX_PROCESSES } from "./limits.ts";
import type { Toolchain } from "./toolchain.ts";

/** Where the workspace stands inside; the same for both arms, whatever it is called outside. */
export const INSIDE = "/workspace";

/** Gives a descriptor that reads `content`, by its number in the sandbox. */
export type Attach = (content: string | Uint8Array) => number;

/** None; the one that bubblewrap is started in, with this machine's servers of names or those given. */
export type SandboxNetwork = "none" | "host" | { readonly resolver: string };

interface SandboxLayout {
  readonly directory: string;
  readonly network: SandboxNetwork;
  readonly toolchain: Toolchain;
  readonly filter: Uint8Array;
  readonly attach: Attach;
  readonly statusDescriptor: number;
  /** Needs bubblewrap 0.8; before it the system call filter alone refuses nested namespaces. */
  readonly disableUserns: boolean;
}

/**
 * What `bwrap --args` reads. Order matters: /proc and /dev are closed after they are made, / last of all.
 * Never bind a home, /tmp or /run: sockets in them can be connected to through a read-only bind.
 */
export function bubblewrapArguments(layout: SandboxLayout): readonly string[] {
  const { directory, network, toolchain, attach } = layout;
  return [
    ...namespaces(network, layout.disableUserns),
    ...["--uid", "1000", "--gid", "1000", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["--clearenv", ...environment(toolchain)],
    ...["--ro-bind", "/usr", "/usr", ...["bin", "sbin", "lib", "lib64", "lib32"].flatMap(systemDirectory)],
    ...["/nix/store", ...ETC_SHARED, ...(network === "host" ? [RESOLVER] : [])].flatMap(shared),
    ...(typeof network === "string" ? [] : file("0644", RESOLVER, attach(network.resolver))),
    ...Object.entries(ETC_FILES).flatMap(([path, text]) => file("0644", path, attach(text))),
    // Before what is shown in them: a user may be called agent.
    ...[...memoryDirectory("/tmp", 256), ...memoryDirectory("/home/agent", 256)],
    ...toolchain.binds.flatMap(({ from, to }) => ["--ro-bind", from, to]),
    ...Object.entries(toolchain.scripts).flatMap(([path, text]) => file("0755", path, attach(text))),
    ...["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", "--remount-ro", "/dev"],
    ...memoryDirectory("/dev/shm", 64),
    ...["--bind", directory, INSIDE, "--chdir", INSIDE, "--remount-ro", "/"],
    ...["--seccomp", String(attach(layout.filter)), "--json-status-fd", String(layout.statusDescriptor)],
  ];
}

/** Limits are set inside, where this sandbox has a process count of its own; outside, bwrap itself would hit them. */
export const limited = (run: string): readonly string[] => [
  "/usr/bin/prlimit",
  `--nproc=${MAX_PROCESSES}`,
  `--fsize=${MAX_FILE_BYTES}`,
  `--nofile=${MAX_OPEN_FILES}`,
  `--data=${MAX_HEAP_BYTES}`,
  "--core=0",
  "--",
  ...["/bin/sh", "-c", GATE, "sh"],
  ...["/bin/sh", "-c", run],
];

/**
 * A sandbox dies with its maker only from the moment it stands. So the command says on its standard output that it is in
 * one, and begins when it is answered: a maker that was killed before does not answer.
 */
const GATE = 'echo && read -r go && exec "$@" </dev/null >&2';

const namespaces = (network: SandboxNetwork, disableUserns: boolean) => [
  ...["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"],
  ...["--hostname", "sandbox"],
  ...(network === "none" ? ["--unshare-net"] : []),
  ...(disableUserns ? ["--disable-userns"] : []),
];

function environment(toolchain: Toolchain): readonly string[] {
  const variables = {
    PATH: [...toolchain.path, "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: "/home/agent",
    USER: "agent",
    LANG: "C.UTF-8",
    TERM: "dumb",
    TMPDIR: "/tmp",
    CI: "1",
  };
  return Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]);
}

/** /bin and the like: links into /usr on most systems, directories of their own on others. */
function systemDirectory(name: string): readonly string[] {
  const path = `/${name}`;
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry) return [];
  return entry.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

const shared = (path: string) => ["--ro-bind-try", path, path];

/** A real file in the read-only root: one bound from a descriptor would have no name that realpath finds. */
const file = (mode: string, path: string, descriptor: number) => ["--perms", mode, "--file", String(descriptor), path];

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
