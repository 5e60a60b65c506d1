import { Failure } from "../domain/failure.ts";
import type { Services } from "../operation/services.ts";
import { stopRuns } from "../operation/stop-runs.ts";
import { LineTransport, type Wire } from "./line-transport.ts";
import { PendingCalls } from "./pending-calls.ts";
import { createMcpServer } from "./server.ts";

/**
 * Serves one client until its input ends or `signal` fires. Then the runs that are in flight are stopped and stored as
 * interrupted; when this resolves nothing of theirs is left.
 */
export async function serveClient(services: Services, wire: Wire, signal: AbortSignal): Promise<void> {
  const calls = new PendingCalls();
  const server = createMcpServer(services, calls);
  server.onerror = ({ message }) => services.notice(`mcp: ${message}`);
  const transport = new LineTransport(wire);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  transport.onend = async () => {
    await stopRuns(services, GONE);
    await transport.answered(PATIENCE_MS);
  };
  // Before the server's own handler, which aborts the calls: their runs are interrupted, not cancelled by their client.
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
  // A call may have been about to start a run when its client went away.
  await calls.settled(PATIENCE_MS);
  await stopRuns(services, GONE);
}

/** Most calls are answered at once, and one that is told to stop does; no call is waited for longer than this. */
const PATIENCE_MS = 2_000;

const GONE = new Failure("interrupted", "The MCP client went away before the run was done.", { retryable: true });
