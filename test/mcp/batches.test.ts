import { expect, test } from "bun:test";
import { RawProgram } from "./raw.ts";

const initialize = (protocolVersion: string) =>
  ({ protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } }) as const;

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });

async function speaking(version: string): Promise<RawProgram> {
  const program = new RawProgram(["mcp"]);
  await program.ask("hello", "initialize", initialize(version));
  await program.send(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return program;
}

test("under protocol 2025-03-26 each request of a batch is answered", async () => {
  await using program = await speaking("2025-03-26");
  const answers = Promise.all([program.answer(1), program.answer(2)]);
  await program.send(`${JSON.stringify([ping(1), ping(2)])}\n`);
  expect(await answers).toMatchObject([{ result: {} }, { result: {} }]);
});

test("under a later protocol a batch is refused, and what follows is answered", async () => {
  await using program = await speaking("2025-06-18");
  await program.send(`${JSON.stringify([ping(1), ping(2)])}\n`);
  expect(await program.ask(3, "ping")).toMatchObject({ result: {} });
  expect(program.messages.filter(({ error }) => error)).toMatchObject([
    {
      id: null,
      error: { code: -32600, message: "batches are not part of protocol 2025-06-18; send one message a line" },
    },
  ]);
});

test("a request without its parameters is told what is missing", async () => {
  await using program = await speaking("2025-06-18");
  const problem = async (id: number, method: string, params: unknown) => {
    const answer = program.answer(id);
    await program.send(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return (await answer).error;
  };
  expect(await problem(1, "tools/call", undefined)).toEqual({ code: -32602, message: "tools/call: params is missing" });
  expect(await problem(2, "tools/call", {})).toEqual({ code: -32602, message: "tools/call: params.name is missing" });
  expect(await problem(3, "tools/call", { name: 7 })).toEqual({
    code: -32602,
    message: "tools/call: params.name has the wrong type",
  });
  expect(await problem(4, "resources/read", {})).toEqual({
    code: -32602,
    message: "resources/read: params.uri is missing",
  });
});
