import { expect, test } from "bun:test";
import { Failure } from "../../src/domain/failure.ts";
import { serveClient } from "../../src/mcp/serve-client.ts";
import type { Services } from "../../src/operation/services.ts";
import { linked } from "./linked.ts";

const CALL = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  },
  { id: 2, method: "tools/call", params: { name: "run_scenario", arguments: { scenario: "quick" } } },
];

/** A client that calls a tool and stays. */
async function* asking(): AsyncGenerator<Uint8Array> {
  for (const request of CALL) yield Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`);
  await new Promise(() => undefined);
}

/** Lets everything go on that waits for nothing; no timer comes between. */
async function everyMicrotask(): Promise<void> {
  for (let turn = 0; turn < 1_000; turn++) await Promise.resolve();
}

test("a run that a call starts while the client goes away is stopped", async () => {
  const called = Promise.withResolvers<void>();
  const mayStart = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const reasons: string[] = [];
  const catalog: Services["catalog"] = {
    directory: "x",
    list: async () => [],
    get: async () => {
      called.resolve();
      await mayStart.promise;
      server.services.runs.add("late", {
        waits: () => false,
        over: () => false,
        done: ended.promise,
        cancel: ({ code }) => {
          reasons.push(code);
          server.services.runs.delete("late");
          ended.resolve();
        },
      });
      throw new Failure("cancelled", "the call ends");
    },
  };
  await using server = await linked({ catalog });
  const leave = new AbortController();
  const served = serveClient(server.services, { input: asking(), write: async () => undefined }, leave.signal);
  await called.promise;
  leave.abort();
  await everyMicrotask();
  mayStart.resolve();
  await served;
  expect(reasons).toEqual(["interrupted"]);
});
