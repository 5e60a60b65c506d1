import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import type { Services } from "../operation/operation.ts";
import { stopRuns } from "../operation/runs.ts";
import { LineTransport, type Wire } from "./line-transport.ts";
import { WaitingCalls } from "./open-requests.ts";
import { createMcpServer } from "./server.ts";

/**
 * Serves one client until its input ends or `signal` fires. Then it stops the runs in flight and stores them as
 * interrupted. When it resolves, nothing of these runs is left.
 */
export async function serveClient(services: Services, wire: Wire, signal: AbortSignal): Promise<void> {
  const calls = new WaitingCalls();
  const server = createMcpServer(services, calls);
  server.onerror = faultTeller(services.notice);
  const transport = new LineTransport(wire);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  transport.onend = async () => {
    await stopRuns(services, GONE);
    await transport.answered(PATIENCE_MS);
  };
  // Runs before the server's own handler, which aborts the calls. The runs count as interrupted, not as cancelled.
  let stopped: Promise<void> = Promise.resolve();
  transport.onclose = () => {
    stopped = stopRuns(services, GONE);
    resolve();
  };
  await server.connect(transport);
  if (signal.aborted) await transport.close();
  signal.addEventListener("abort", () => void transport.close(), { once: true });
  await closed;
  await stopped;
  // A call may have started a run while the client went away.
  await calls.settled(PATIENCE_MS);
  await stopRuns(services, GONE);
}

/** Reports a client's faults briefly and stops after many: perhaps nobody reads them. */
function faultTeller(notice: Services["notice"]): (fault: Error) => void {
  let told = 0;
  return ({ message }) => {
    told += 1;
    if (told <= MAX_FAULTS) notice(`mcp: ${cut(message, FAULT_CHARS)}`);
    if (told === MAX_FAULTS) notice("mcp: what else this client does wrong is not told");
  };
}

const MAX_FAULTS = 1_000;
const FAULT_CHARS = 500;

/** Milliseconds to wait for calls that are told to stop. */
const PATIENCE_MS = 2_000;

const GONE = new Failure("interrupted", "The MCP client went away before the run was done.", { retryable: true });
