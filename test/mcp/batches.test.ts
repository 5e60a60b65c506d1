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

test("under protocol 2025-03-26 a batch is answered by one array", async () => {
  await using program = await speaking("2025-03-26");
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } };
  const wrong = { jsonrpc: "2.0", id: 3, method: "tools/call" };
  await program.send(`${JSON.stringify([ping(1), cancelled, wrong, ping(2)])}\n`);
  expect(await program.ask(4, "ping")).toMatchObject({ result: {} });
  const arrays = program.stdout.split("\n").filter((line) => line.startsWith("["));
  expect(
    arrays.map((line) =>
      JSON.parse(line)
        .map(({ id }: { id: number }) => id)
        .toSorted(),
    ),
  ).toEqual([[1, 2, 3]]);
});

test("a batch of notifications gets no answer", async () => {
  await using program = await speaking("2025-03-26");
  await program.send(`${JSON.stringify([{ jsonrpc: "2.0", method: "notifications/progress", params: {} }])}\n`);
  expect(await program.ask(4, "ping")).toMatchObject({ result: {} });
  expect(program.stdout.split("\n").filter((line) => line.startsWith("["))).toEqual([]);
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

test("a request with wrong parameters is told what is wrong", async () => {
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
  expect(await problem(5, "tools/call", { name: "list_scenarios", arguments: JSON.parse('{"__proto__": 1}') })).toEqual(
    {
      code: -32602,
      message: 'tools/call: params.arguments has an unknown field "__proto__"',
    },
  );
});
