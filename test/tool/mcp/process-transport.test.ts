import { expect, test } from "bun:test";
import { Writable } from "node:stream";
import { LINE_BYTES } from "../../../src/lines.ts";
import type { SandboxedProcess } from "../../../src/sandbox/sandbox.ts";
import { ProcessTransport } from "../../../src/tool/mcp/process-transport.ts";

/** A program that reads nothing of its input. */
function deafProgram() {
  const stdin = new Writable({ write: () => undefined });
  let killed = false;
  const kill = () => {
    killed = true;
  };
  const program = { stdin, kill } as unknown as SandboxedProcess; // nothing else of it is used to send
  return { program, unread: () => stdin.writableLength, isKilled: () => killed };
}

test("a server that leaves its input unread is ended before that fills the memory", async () => {
  const { program, unread, isKilled } = deafProgram();
  const transport = new ProcessTransport(program);
  const message = { jsonrpc: "2.0", method: "x", params: { text: "y".repeat(LINE_BYTES) } } as const;
  for (let sent = 0; sent < 2; sent += 1) await transport.send(message);
  expect(isKilled()).toBe(false);
  const before = unread();
  await transport.send(message);
  expect(isKilled()).toBe(true);
  expect(unread()).toBe(before);
});
