import { spawn } from "node:child_process";
import { isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { exitOf } from "../../../runtime/exit-of.ts";
import { findProgram } from "../../../runtime/find-program.ts";
import type { SandboxHost } from "../host.ts";
import { textAt } from "../process/process-table.ts";

/**
 * A network namespace with a way out through a helper on this machine, and no way to the machine itself. IPv4 only.
 * Cloud metadata and every other link-local address are out of reach too.
 */
export interface OwnNetwork {
  readonly helper: Helper;
  /** The command line that makes it and then runs `program` in it. It prints a line when it waits for `attach`. */
  around(program: readonly string[]): readonly string[];
  /** For /etc/resolv.conf: servers of names that can be reached from inside. */
  readonly resolver: string;
  /** Gives the namespace of process `pid` its way out, which ends with disposal and with this process. */
  attach(pid: number): WayOut;
}

interface WayOut extends Disposable {
  /** The helper has ended: what it said, and by which signal. */
  readonly ended: Promise<{ readonly said: string; readonly by: NodeJS.Signals | null }>;
}

const HELPERS = ["slirp4netns", "pasta"] as const;
type Helper = (typeof HELPERS)[number];

/** The helpers that this machine has, the best known first. None of them is tried. */
export function findOwnNetworks({ path, admin_path = ADMIN_PATH }: SandboxHost): readonly OwnNetwork[] {
  const find = (name: string) => findProgram(name, `${path}:${admin_path}`);
  const [ip, unshare, setpriv] = [find("ip"), find("unshare"), find("setpriv")];
  if (ip === null || unshare === null || setpriv === null) return [];
  return HELPERS.flatMap((helper) => {
    const program = find(helper);
    if (program === null) return [];
    return {
      helper,
      resolver: resolverText(new Set(machineAddresses())),
      around: (command) => [...[unshare, ...NAMESPACES, "/bin/sh", "-c", entrance(ip), "sh"], ...command],
      attach: (pid) => attached([setpriv, "--pdeathsig", "KILL", program, ...ARGUMENTS[helper](pid)]),
    };
  });
}

/** The PATH of an ordinary user may lack the directory of `ip`. */
const ADMIN_PATH = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin";

const NAMESPACES = ["--user", "--map-root-user", "--net", "--"];

const ARGUMENTS: Readonly<Record<Helper, (pid: number) => readonly string[]>> = {
  slirp4netns: (pid) => [
    ...["--configure", "--mtu=65520", "--disable-host-loopback", "--disable-dns", "--enable-sandbox"],
    ...[String(pid), "tap0"],
  ],
  // By default pasta forwards ports of this machine into the namespace and maps the gateway to its loopback.
  pasta: (pid) => [
    ...["--config-net", "--foreground", "--quiet", "--ipv4-only", "--no-map-gw"],
    ...["-t", "none", "-u", "none", "-T", "none", "-U", "none"],
    String(pid),
  ],
};

/** Milliseconds between two looks, and looks until a helper counts as broken. */
const LOOK_MS = 20;
const LOOKS = 500;

/**
 * A script for the shell. It prints a line when the namespace is there, waits for the way out, closes the ways to this
 * machine and starts the program. Nothing inside can undo that.
 */
function entrance(ip: string): string {
  const closed = closedAddresses().map((address) => `${ip} route replace prohibit ${address} || exit 1`);
  return [
    "echo; n=0",
    `until ${ip} -4 route show default | grep -q .; do`,
    `  n=$((n + 1)); [ $n -lt ${LOOKS} ] || { echo '${NO_WAY_OUT}'; exit 1; } >&2; sleep ${LOOK_MS / 1000}`,
    "done",
    `${ip} link set lo up || exit 1`,
    ...closed,
    'exec "$@"',
  ].join("\n");
}

const NO_WAY_OUT = "the network helper gave the sandbox no way out";

/** slirp4netns leads these two to the machine and to its server of names, whatever the port. */
const SLIRP_ADDRESSES = ["10.0.2.2", "10.0.2.3"];
/** Link-local: metadata services of clouds, which hand out credentials. */
const LINK_LOCAL = "169.254.0.0/16";

const closedAddresses = () => [...new Set([...SLIRP_ADDRESSES, ...machineAddresses(), LINK_LOCAL])];

const machineAddresses = () =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address)
    .filter((address) => isIPv4(address) && !address.startsWith("127."));

/** The second file has the servers behind systemd's own, which listens on this machine's loopback. */
const RESOLVERS = ["/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"];

/**
 * For /etc/resolv.conf: the first of `files` that names a server within reach of a network of its own, without those
 * out of reach.
 * @param own addresses of this machine
 */
export function resolverText(own: ReadonlySet<string>, files: readonly string[] = RESOLVERS): string {
  const reachable = (server: string) => isIPv4(server) && !/^(127|169\.254)\./.test(server) && !own.has(server);
  for (const path of files) {
    const lines = linesOf(path).filter((line) => !line.startsWith("nameserver"));
    const servers = linesOf(path)
      .flatMap((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? [])
      .filter(reachable);
    if (servers.length > 0) return [...lines, ...servers.map((server) => `nameserver ${server}`), ""].join("\n");
  }
  return "";
}

const linesOf = (path: string): readonly string[] => textAt(path)?.split("\n") ?? [];

/** Runs as this user. A helper of root joins the namespace as root and gives up its rights before it takes a packet. */
function attached(command: readonly [program: string, ...options: string[]]): WayOut {
  const [program, ...options] = command;
  const child = spawn(program, options, { env: {}, stdio: ["ignore", "ignore", "pipe"] });
  const said = Promise.all([text(child.stderr), exitOf(child)]).then(([all]) => all, String);
  const ended = said.then((all) => ({ said: all, by: child.signalCode }));
  return { ended, [Symbol.dispose]: () => void child.kill("SIGKILL") };
}
