import { faultOf, tryCommand } from "./probe-sandbox.ts";
import { BubblewrapSandbox } from "./sandbox/bubblewrap.ts";
import { type Fault, sandboxUnavailable } from "./sandbox/fault.ts";
import { type SandboxHost, THIS_HOST } from "./sandbox/host.ts";
import { findOwnNetworks } from "./sandbox/own-network.ts";
import type { Sandbox } from "./workspace.ts";

/** A sandbox whose open network does not lead to this machine, and what gives it that. */
export interface Networked {
  readonly sandbox: BubblewrapSandbox;
  readonly helper: string;
}

/**
 * `sandbox` as commands with an open network get it, and a line to print when that reaches this machine. Those of the
 * scenario file may use its network; a model's get one of their own, unless the user accepted otherwise.
 * @throws Failure `sandbox_unavailable`
 */
export async function withOpenNetwork(
  sandbox: Sandbox,
  commandsFromModel: boolean,
  host: SandboxHost = THIS_HOST,
): Promise<{ readonly sandbox: Sandbox; readonly note: string | null }> {
  // Without a sandbox no network is held, which is said already.
  if (!(sandbox instanceof BubblewrapSandbox)) return { sandbox, note: null };
  if (!commandsFromModel) return { sandbox, note: `network: open: the scenario's own commands ${REACH}` };
  if (host.accept_host_network) return { sandbox, note: `network: open, as accepted: a model's commands ${REACH}` };
  return { sandbox: (await withOwnNetwork(sandbox, host)).sandbox, note: null };
}

const REACH = "can reach this machine's own servers and network";

/** What worked is used again until it fails. */
const known = new WeakMap<SandboxHost, Networked>();

/**
 * `sandbox` with a network of its own for commands whose network is open, tried out.
 * @throws Failure `sandbox_unavailable` where no helper is installed, or none works.
 */
export async function withOwnNetwork(sandbox: BubblewrapSandbox, host: SandboxHost): Promise<Networked> {
  const before = known.get(host);
  if (before?.sandbox.sound) return before;
  const faults: string[] = [];
  for (const network of findOwnNetworks(host)) {
    const networked = { sandbox: sandbox.withNetwork(network), helper: network.helper };
    try {
      await tryCommand(networked.sandbox, "open");
      known.set(host, networked);
      return networked;
    } catch (error) {
      faults.push(`${network.helper} does not work here: ${faultOf(error).reason}`);
    }
  }
  throw sandboxUnavailable(faults.length === 0 ? NO_HELPER : { reason: faults.join("; "), fix: FIX });
}

const OR_ACCEPT = "or pass --accept-host-network where this machine's own servers may be reached";

const NO_HELPER: Fault = {
  reason: "a model's commands with `network: open` would reach this machine's own servers, abeval's among them",
  fix: `install slirp4netns (apt install slirp4netns iproute2), which gives them a network of their own, ${OR_ACCEPT}`,
};

const FIX = `run it by hand to see why (it must be able to open /dev/net/tun: chmod 666 /dev/net/tun), ${OR_ACCEPT}`;
