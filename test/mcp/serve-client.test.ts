import { expect, test } from "bun:test";
import { Failure } from "../../src/domain/failure.ts";
import { serveClient } from "../../src/doors/mcp/serve-client.ts";
import type { Services } from "../../src/doors/operation/operation.ts";
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
        doing: () => "running",
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

test("what a client does wrong is told in short, and no more after a thousand lines", async () => {
  await using server = await linked();
  async function* wrong(): AsyncGenerator<Uint8Array> {
    const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
    const params = { ...progress.params, progressToken: "t".repeat(100_000) };
    yield Buffer.from(`${JSON.stringify({ ...progress, params })}\n${"wrong\n".repeat(2_000)}`);
  }
  await serveClient(server.services, { input: wrong(), write: async () => undefined }, new AbortController().signal);
  const { notices } = server;
  expect(notices).toHaveLength(1_001);
  expect(Math.max(...notices.map(({ length }) => length))).toBeLessThan(600);
  expect(notices.at(-1)).toBe("mcp: what else this client does wrong is not told");
});
