import { Failure } from "../../../domain/failure.ts";
import { chooseSandbox } from "../../../workspace/choose-sandbox.ts";
import { withOwnNetwork } from "../../../workspace/open-network.ts";
import { BubblewrapSandbox } from "../../../workspace/sandbox/bubblewrap.ts";
import { THIS_HOST } from "../../../workspace/sandbox/host.ts";
import type { Sandbox } from "../../../workspace/workspace.ts";
import { type Check, pass, skip, warn } from "../check.ts";
import type { Surroundings } from "../services.ts";
import { outputIn } from "./toolchains.ts";

/** Which network a model's commands get from `network: open`: tried, not believed. */
export const openNetwork: Check<Surroundings> = {
  id: "sandbox.network",
  title: "Open network",
  async run({ sandbox: mode, sandbox_host: host = THIS_HOST }, signal) {
    if (mode === "none") return skip("without a sandbox every command has the network of this machine");
    if (host.accept_host_network)
      return warn(`--accept-host-network: ${REACH}`, "leave it out for models you do not trust");
    try {
      const { sandbox } = await chooseSandbox("bubblewrap", true, host);
      if (!(sandbox instanceof BubblewrapSandbox)) return skip("there is no sandbox");
      const { sandbox: networked, helper } = await withOwnNetwork(sandbox, host);
      return (await reachesThisMachine(networked, signal))
        ? warn(`${helper} is used, and ${REACH}`, "update it, or run no scenario with `network: open`")
        : pass(`a network of its own by ${helper}; tried here: a server on this machine's loopback is out of reach`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { reason, fix } = error.details ?? {};
      return warn(`arms of a model with \`network: open\` are refused: ${String(reason)}`, String(fix));
    }
  },
};

const REACH = "a model's commands with `network: open` can reach this machine's own servers";

const GREETING = "this machine answers";

async function reachesThisMachine(sandbox: Sandbox, signal: AbortSignal): Promise<boolean> {
  const socket = { data: () => undefined, open: (it: { end(text: string): void }) => it.end(GREETING) };
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
  try {
    const read = "socket: { data: (it, bytes) => console.log(bytes.toString()), close: () => process.exit() }";
    const run = `timeout 5 bun -e 'await Bun.connect({ hostname: "127.0.0.1", port: ${server.port}, ${read} })'`;
    return (await outputIn(sandbox, { run, network: "open" }, signal)).includes(GREETING);
  } finally {
    server.stop(true);
  }
}
