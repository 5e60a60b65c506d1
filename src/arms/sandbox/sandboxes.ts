import type { SandboxMode } from "../../domain/session-settings.ts";
import { BubblewrapSandbox } from "./bubblewrap.ts";
import { type Fault, sandboxUnavailable } from "./fault.ts";
import type { SandboxHost } from "./host.ts";
import { findOwnNetworks } from "./isolation/own-network.ts";
import { faultOf, openSandbox, triedSandbox, tryCommand } from "./open-sandbox.ts";
import type { Sandbox } from "./sandbox.ts";

/** The sandbox for a run, and a line to print when it holds less than a real one. */
export interface ChosenSandbox {
  readonly sandbox: Sandbox;
  readonly note: string | null;
}

/** A sandbox whose open network does not lead to this machine, and the program that gives it that network. */
interface Networked {
  readonly sandbox: BubblewrapSandbox;
  readonly helper: string;
}

/** The sandboxes of one machine. Trying one takes two dozen milliseconds, so one that worked is used until it fails. */
export class Sandboxes {
  readonly host: SandboxHost;
  #bubblewrap: BubblewrapSandbox | undefined;
  #networked: Networked | undefined;

  constructor(host: SandboxHost) {
    this.host = host;
  }

  /**
   * Chooses a sandbox and tries it out. Without one, commands that a model writes are refused; those of the scenario file
   * run, unless bubblewrap was asked for.
   * @throws Failure `sandbox_unavailable` with `reason` and `fix` in its details.
   */
  async choose(mode: SandboxMode, commandsFromModel: boolean): Promise<ChosenSandbox> {
    if (mode === "none") return { sandbox: openSandbox("none", this.host), note: WARNING };
    try {
      return { sandbox: await this.#working(), note: null };
    } catch (error) {
      const { reason } = faultOf(error);
      if (mode === "bubblewrap" || commandsFromModel) throw error;
      const note = `no sandbox (${reason}): the scenario's own commands run without one`;
      return { sandbox: openSandbox("none", this.host), note };
    }
  }

  /**
   * `sandbox` for commands with an open network. Commands of the scenario file get the network of this machine; those of a
   * model get one of their own, unless the user accepted otherwise.
   * @throws Failure `sandbox_unavailable`
   */
  async withOpenNetwork(sandbox: Sandbox, commandsFromModel: boolean): Promise<ChosenSandbox> {
    // A run without a sandbox holds no network back, and its note says so already.
    if (!(sandbox instanceof BubblewrapSandbox)) return { sandbox, note: null };
    if (!commandsFromModel) return { sandbox, note: `network: open: the scenario's own commands ${REACH}` };
    if (this.host.accept_host_network)
      return { sandbox, note: `network: open, as accepted: a model's commands ${REACH}` };
    return { sandbox: (await this.withOwnNetwork(sandbox)).sandbox, note: null };
  }

  /**
   * `sandbox` with a network of its own for commands whose network is open, tried out.
   * @throws Failure `sandbox_unavailable` where no helper is installed, or none works.
   */
  async withOwnNetwork(sandbox: BubblewrapSandbox): Promise<Networked> {
    if (!this.#networked?.sandbox.sound) this.#networked = await tryOwnNetworks(sandbox, this.host);
    return this.#networked;
  }

  async #working(): Promise<BubblewrapSandbox> {
    if (!this.#bubblewrap?.sound) this.#bubblewrap = await triedSandbox(this.host);
    return this.#bubblewrap;
  }
}

const WARNING = "no sandbox, as asked: commands can do whatever this user can";

const REACH = "can reach this machine's own servers and network";

async function tryOwnNetworks(sandbox: BubblewrapSandbox, host: SandboxHost): Promise<Networked> {
  const faults: string[] = [];
  for (const network of findOwnNetworks(host)) {
    const networked = { sandbox: sandbox.withNetwork(network), helper: network.helper };
    try {
      await tryCommand(networked.sandbox, "open");
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
