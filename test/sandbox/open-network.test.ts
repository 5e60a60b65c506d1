import { expect } from "bun:test";
import { chmodSync, chownSync, symlinkSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { openBubblewrap } from "../../src/arms/sandbox/open-sandbox.ts";
import { signalProcess } from "../../src/arms/sandbox/process/process-table.ts";
import type { Sandbox } from "../../src/arms/sandbox/sandbox.ts";
import { Sandboxes } from "../../src/arms/sandbox/sandboxes.ts";
import { host, type Need, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { until } from "../turns.ts";
import { Directory, never, processesWith } from "../workspace/harness.ts";

const sandboxes = new Sandboxes(host);

/** A helper that works. */
const OWN_NETWORK: Need = {
  what: "slirp4netns that works (apt-get install slirp4netns iproute2; an ordinary user: chmod 666 /dev/net/tun)",
  met: SANDBOX.met && (await hasOwnNetwork()),
};

async function hasOwnNetwork(): Promise<boolean> {
  try {
    await sandboxes.withOwnNetwork(openBubblewrap(host));
    return true;
  } catch {
    return false;
  }
}

/** Servers of this machine, each at the same port on every address of its kind. */
function server(hostname: string) {
  const socket = { data: () => undefined, open: (it: { end(text: string): void }) => it.end("this machine") };
  const listening = Bun.listen({ hostname, port: 0, socket });
  return { port: listening.port, [Symbol.dispose]: () => listening.stop(true) };
}

async function reach(sandbox: Sandbox, addresses: readonly (readonly [address: string, port: number])[]) {
  using directory = new Directory();
  if (sandbox.owner) chownSync(directory.path, sandbox.owner.uid, sandbox.owner.gid);
  const script = `
    const reached = [];
    for (const [hostname, port] of ${JSON.stringify(addresses)})
      await new Promise((done) => {
        const over = setTimeout(done, 3_000);
        const end = () => { clearTimeout(over); done(); };
        Bun.connect({ hostname, port, socket: { data() { reached.push(hostname); end(); }, connectError: end, close: end } }).catch(end);
      });
    console.log(JSON.stringify(reached));
  `;
  const run = `cat > /tmp/reach.js <<'END'\n${script}\nEND\nbun /tmp/reach.js`;
  const limits = { timeout_ms: 50_000, max_output_bytes: 5_000, network: "open" } as const;
  const { output } = await sandbox.run({ run, directory: directory.path, ...limits }, never);
  return output.trim();
}

/** IPv4 addresses of this machine besides loopback. */
const ownAddresses = () =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address);

testNeeding(SANDBOX, OWN_NETWORK)(
  "a model's commands with an open network reach no server of this machine, by no address",
  async () => {
    using everywhere = server("0.0.0.0");
    using six = server("::1");
    const aliases = ["127.0.0.1", "127.0.1.1", "10.0.2.2", "10.0.2.3", "0.0.0.0", ...ownAddresses()];
    const targets = [...aliases.map((address) => [address, everywhere.port] as const), ["::1", six.port] as const];
    const bare = openBubblewrap(host);
    const { sandbox, note } = await sandboxes.withOpenNetwork(bare, true);
    expect({ note, reached: await reach(sandbox, targets) }).toEqual({ note: null, reached: "[]" });
    // The attempts are good ones: with the network of this machine they get through.
    const { sandbox: accepted } = await new Sandboxes({ ...host, accept_host_network: true }).withOpenNetwork(
      bare,
      true,
    );
    expect(JSON.parse(await reach(accepted, targets))).toEqual(
      expect.arrayContaining(["127.0.0.1", "127.0.1.1", ...ownAddresses()]),
    );
  },
);

testNeeding(SANDBOX, OWN_NETWORK)(
  "a model's commands with an open network have a way out, and cannot open the ways that were closed",
  async () => {
    const { sandbox } = await sandboxes.withOpenNetwork(openBubblewrap(host), true);
    using directory = new Directory();
    if (sandbox.owner) chownSync(directory.path, sandbox.owner.uid, sandbox.owner.gid);
    const run = [
      'awk \'$2 == "00000000" && $1 != "*" { print "a default route" }\' /proc/net/route',
      "for ip in /sbin/ip /usr/sbin/ip; do $ip route del prohibit 169.254.0.0/16 && echo opened; done 2>/dev/null",
      'awk \'$2 == "0000FEA9" && $1 == "*" { print "metadata closed" }\' /proc/net/route',
    ].join("\n");
    const limits = { timeout_ms: 20_000, max_output_bytes: 5_000, network: "open" } as const;
    const { output } = await sandbox.run({ run, directory: directory.path, ...limits }, never);
    expect(output).toBe("a default route\nmetadata closed\n");
  },
);

testNeeding(SANDBOX, OWN_NETWORK)("the helper of an open network ends with its command", async () => {
  const { sandbox } = await sandboxes.withOpenNetwork(openBubblewrap(host), true);
  using directory = new Directory();
  if (sandbox.owner) chownSync(directory.path, sandbox.owner.uid, sandbox.owner.gid);
  const command = { run: "sleep 60", directory: directory.path, max_output_bytes: 100, network: "open" } as const;
  const { ended } = await sandbox.run({ ...command, timeout_ms: 1_500 }, never);
  expect(ended).toBe("timeout");
  // Killed ones may take a moment to be reaped.
  await until(() => helpersOfThisProcess().length === 0);
});

testNeeding(SANDBOX, OWN_NETWORK)(
  "a command whose way to the network a signal takes away was killed from outside",
  async () => {
    const { sandbox } = await sandboxes.withOpenNetwork(openBubblewrap(host), true);
    using directory = new Directory();
    if (sandbox.owner) chownSync(directory.path, sandbox.owner.uid, sandbox.owner.gid);
    const mark = `mark-${crypto.randomUUID()}`;
    const command = { run: `: ${mark}; sleep 2; true`, max_output_bytes: 100, network: "open" } as const;
    const ended = sandbox.run({ ...command, directory: directory.path, timeout_ms: 20_000 }, never);
    await until(() => processesWith(mark).length > 2);
    for (const pid of helpersOfThisProcess()) signalProcess(pid, "SIGKILL");
    await expect(ended).rejects.toMatchObject({ code: "killed_from_outside", retryable: true });
  },
);

const HELPERS = ["slirp4netns", "pasta", "pasta.avx2"];

function helpersOfThisProcess(): readonly number[] {
  const { stdout } = Bun.spawnSync(["sh", "-c", "cat /proc/[0-9]*/stat 2>/dev/null"]);
  return stdout
    .toString()
    .split("\n")
    .flatMap((line) => {
      const [, pid, name = "", state, parent] = /^(\d+) \((.*)\) (\S) (\d+)/.exec(line) ?? [];
      const isOne = HELPERS.includes(name) && state !== "Z" && Number(parent) === process.pid;
      return isOne ? Number(pid) : [];
    });
}

testNeeding(SANDBOX)("the scenario's own commands keep the network of this machine, and it is said", async () => {
  const bare = openBubblewrap(host);
  expect(await sandboxes.withOpenNetwork(bare, false)).toEqual({
    sandbox: bare,
    note: "network: open: the scenario's own commands can reach this machine's own servers and network",
  });
});

testNeeding(SANDBOX, OWN_NETWORK)("a helper that does not work is told at once, in its own words", async () => {
  using tools = new Directory({
    slirp4netns: "#!/bin/sh\necho 'open(\"/dev/net/tun\"): Permission denied' >&2; exit 1\n",
  });
  chmodSync(tools.path, 0o755);
  chmodSync(join(tools.path, "slirp4netns"), 0o755);
  for (const name of ["ip", "unshare", "setpriv"])
    symlinkSync(Bun.which(name, { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" }) ?? "", join(tools.path, name));
  const refused = new Sandboxes({ ...host, path: tools.path, admin_path: tools.path }).withOpenNetwork(
    openBubblewrap(host),
    true,
  );
  expect(await refused.catch((error: unknown) => error)).toMatchObject({
    code: "sandbox_unavailable",
    message: expect.stringContaining('slirp4netns does not work here: open("/dev/net/tun"): Permission denied'),
  });
});

testNeeding(SANDBOX)("without a helper a model's commands are refused, with what to install", async () => {
  using nothing = new Directory();
  const bare = openBubblewrap(host);
  const lacking = { ...host, path: nothing.path, admin_path: nothing.path };
  const refused = new Sandboxes(lacking).withOpenNetwork(bare, true).catch((error: unknown) => error);
  expect(await refused).toMatchObject({
    code: "sandbox_unavailable",
    message: expect.stringMatching(/reach this machine's own servers.*install slirp4netns.*--accept-host-network/),
  });
});
