import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { BubblewrapSandbox } from "../../../arms/sandbox/bubblewrap.ts";
import { probeSandbox } from "../../../arms/sandbox/probe-sandbox.ts";
import type { Sandbox } from "../../../arms/sandbox/sandbox.ts";
import { SANDBOX_NEED } from "../../../comparison/planning/need-names.ts";
import { Failure } from "../../../domain/failure.ts";
import { type Check, pass, skip, warn } from "../check.ts";
import type { Services } from "../services.ts";
import { workersWith } from "../workers.ts";
import { outputIn } from "./toolchains.ts";

/** Which network a model's commands get with `network: open`. A command tries it. */
export const openNetwork: Check<Services> = {
  id: "sandbox.network",
  title: "Open network",
  async run({ sandbox: mode, sandboxes, workers }, signal) {
    if (mode === "none") return skip("without a sandbox every command has the network of this machine");
    if (sandboxes.host.accept_host_network)
      return warn(`--accept-host-network: ${REACH}`, "leave it out for models you do not trust");
    if (workersWith({ workers }, SANDBOX_NEED) > 0 && !(await probeSandbox(sandboxes.host)).ok)
      return skip("there is no sandbox here, and runs go to workers: their own doctor tells");
    try {
      const { sandbox } = await sandboxes.choose("bubblewrap", true);
      if (!(sandbox instanceof BubblewrapSandbox)) return skip("there is no sandbox");
      const { sandbox: networked, helper } = await sandboxes.withOwnNetwork(sandbox);
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
  const server = createServer((socket) => socket.on("error", () => undefined).end(GREETING));
  try {
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo; // a TCP server's
    const run = `timeout 5 bun -e 'require("node:net").connect(${port}, "127.0.0.1").on("data", (it) => console.log(String(it)))'`;
    return (await outputIn(sandbox, { run, network: "open" }, signal)).includes(GREETING);
  } finally {
    server.close();
  }
}
