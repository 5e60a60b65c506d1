import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FROM_SOURCES } from "../abeval.ts";
import { SOURCES } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";
import { type McpFolder, mcpFolder } from "./folder.ts";
import { RawProgram } from "./raw.ts";

const storedState = ({ state }: McpFolder): string => {
  const [name = ""] = readdirSync(join(state, "sessions"));
  return JSON.parse(readFileSync(join(state, "sessions", name), "utf8")).state;
};

async function startSlowRun(program: RawProgram, folder: McpFolder): Promise<void> {
  await program.initialize();
  const { result } = await program.ask(1, "tools/call", { name: "run_scenario", arguments: { scenario: "slow" } });
  expect(result.structuredContent.finished).toBe(false);
  await until(() => folder.sleepers().length > 0);
}

test("a request that means nothing is refused, the operator is told, and what follows is answered", async () => {
  await using program = new RawProgram(["mcp"]);
  await program.initialize();
  await program.send(new Uint8Array([0xff, 0xfe, 0x00, 0x0a]));
  const errorOf = async (id: number, more: object) => {
    const answer = program.answer(id);
    await program.send(`${JSON.stringify({ jsonrpc: "2.0", id, ...more })}\n`);
    return (await answer).error?.code;
  };
  expect(await errorOf(1, { method: "ping", extra: true })).toBe(-32600);
  expect(await errorOf(2, { method: "tools/destroy" })).toBe(-32601);
  const params = { name: "list_scenarios", arguments: "text" };
  expect(await errorOf(3, { method: "tools/call", params })).toBe(-32602);
  expect((await program.ask(4, "ping")).result).toEqual({});
  const { status, stderr } = await program.end();
  expect(status).toBe(0);
  expect(stderr).toContain("abeval: mcp: a line was refused that is no JSON");
});

const REFUSED: readonly (readonly [line: string, id: number | string | null, code: number])[] = [
  ["this is no json", null, -32700],
  ["{", null, -32700],
  ["\u0000", null, -32700],
  ["42", null, -32600],
  ["null", null, -32600],
  ["{}", null, -32600],
  ['{"jsonrpc":"2.0","id":5}', 5, -32600],
  ['{"jsonrpc":"2.0","id":"five"}', "five", -32600],
  ['{"jsonrpc":"1.0","id":6,"method":"ping"}', 6, -32600],
  ['{"jsonrpc":"2.0","id":[],"method":"ping"}', null, -32600],
  ['{"jsonrpc":"2.0","id":7,"method":7}', 7, -32600],
];

test("each line that is no message is answered once, with the id where there is one", async () => {
  await using program = new RawProgram(["mcp"]);
  await program.initialize();
  await program.send(REFUSED.map(([line]) => `${line}\n`).join(""));
  await program.ask("last", "ping");
  const answers = program.messages.slice(1, -1).map(({ id, error }) => [id ?? null, error?.code]);
  expect(answers).toEqual(REFUSED.map(([, id, code]) => [id, code]));
});

test("an empty line, a notification and an answer get no answer, whatever is wrong with them", async () => {
  await using program = new RawProgram(["mcp"]);
  await program.initialize();
  const silent = [
    "",
    "\r",
    '{"jsonrpc":"2.0","method":"notifications/nonsense"}',
    '{"method":"notifications/progress"}',
    '{"jsonrpc":"2.0","method":7}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
    '{"jsonrpc":"2.0","id":8,"error":"wrong"}',
    '{"id":9,"result":{}}',
  ];
  await program.send(silent.map((line) => `${line}\n`).join(""));
  await program.ask("last", "ping");
  expect(program.messages.map(({ id }) => id)).toEqual(["init", "last"]);
});

test("a line of 10 MB is answered, one beyond the limit is refused, and the next is answered", async () => {
  using folder = mcpFolder();
  await using program = new RawProgram(folder.args);
  await program.initialize();
  const get = (name: string) => ({ name: "get_scenario", arguments: { name } });
  const { result } = await program.ask(1, "tools/call", get("x".repeat(10_000_000)));
  expect(result.isError).toBe(true);
  expect(result.content[0].text.length).toBeLessThan(1_000);
  await program.send(
    `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: get("x".repeat(11_000_000)) })}\n`,
  );
  expect((await program.ask(3, "ping")).result).toEqual({});
  const { stderr } = await program.end();
  expect(stderr).toContain("abeval: mcp: a line of more than 10485760 bytes was refused");
  expect(program.messages.map(({ id, error }) => error?.code ?? id)).toEqual(["init", 1, -32600, 3]);
});

test.each([
  ["2024-10-07", "2024-10-07"],
  ["2024-11-05", "2024-11-05"],
  ["2025-03-26", "2025-03-26"],
  ["2025-06-18", "2025-06-18"],
  ["2025-11-25", "2025-11-25"],
  ["2099-01-01", "2025-11-25"],
])("a client of protocol version %s is answered in version %s", async (asked, spoken) => {
  await using program = new RawProgram(["mcp"]);
  const { result } = await program.initialize(asked);
  expect(result.protocolVersion).toBe(spoken);
  expect(result.serverInfo).toEqual({ name: "abeval", title: "abeval", version: "0.1.6" });
});

test("an idle server ends with its input, at once and in peace", async () => {
  using folder = mcpFolder();
  rmSync(join(folder.scenarios, "broken.yaml"));
  await using program = new RawProgram(folder.args);
  await program.initialize();
  expect(await program.end()).toEqual({ status: 0, stderr: "" });
});

test("a request with the id of a call that is open is refused, and the call can still be cancelled", async () => {
  using folder = mcpFolder();
  await using program = new RawProgram(folder.args);
  await program.initialize();
  const request = (id: number, method: string, params: unknown) => ({ jsonrpc: "2.0", id, method, params });
  const run = { name: "run_scenario", arguments: { scenario: "slow", wait_seconds: 50 } };
  await program.send(`${JSON.stringify(request(1, "tools/call", run))}\n`);
  await until(() => folder.sleepers().length > 0);
  await program.send(`${JSON.stringify(request(1, "tools/call", { name: "list_scenarios" }))}\n`);
  await program.ask(2, "ping");
  expect(program.messages.slice(1, -1)).toEqual([
    {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32600, message: "the id 1 is that of a request without an answer yet; give each its own" },
    },
  ]);
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  await program.send(`${JSON.stringify(cancelled)}\n`);
  await until(() => folder.sleepers().length === 0);
  expect((await program.end()).status).toBe(0);
  expect(storedState(folder)).toBe("cancelled");
});

test("an id may come again once its request was answered", async () => {
  await using program = new RawProgram(["mcp"]);
  await program.initialize();
  for (const _ of [1, 2, 3]) expect((await program.ask(1, "ping")).result).toEqual({});
});

test("the end of the input during a run stores it as interrupted and leaves no process", async () => {
  using folder = mcpFolder();
  await using program = new RawProgram(folder.args);
  await startSlowRun(program, folder);
  expect((await program.end()).status).toBe(0);
  expect(storedState(folder)).toBe("interrupted");
  expect(folder.sleepers()).toEqual([]);
});

test("what was asked before the end of the input is answered, a run that is waited for too", async () => {
  using folder = mcpFolder();
  await using program = new RawProgram(folder.args);
  const run = { name: "run_scenario", arguments: { scenario: "slow", wait_seconds: 50 } };
  const asked = [program.initialize(), program.ask(1, "tools/list"), program.ask(2, "tools/call", run)];
  await until(() => folder.sleepers().length > 0);
  expect((await program.end()).status).toBe(0);
  const [, listed, ran] = await Promise.all(asked);
  expect(listed?.result.tools).toHaveLength(7);
  expect(ran?.result.structuredContent.summary.state).toBe("interrupted");
  expect(folder.sleepers()).toEqual([]);
});

test("SIGTERM during a run that a call waits for does the same, with its exit status", async () => {
  using folder = mcpFolder();
  await using program = new RawProgram(folder.args);
  await program.initialize();
  const run = { name: "run_scenario", arguments: { scenario: "slow", wait_seconds: 50 } };
  await program.send(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: run })}\n`);
  await until(() => folder.sleepers().length > 0);
  program.kill("SIGTERM");
  expect((await program.ended()).status).toBe(143);
  expect(storedState(folder)).toBe("interrupted");
  expect(folder.sleepers()).toEqual([]);
});

/** Prints in every way there is, whole lines and parts of lines, each time a message is read. */
const NOISE = `
import { writeSync } from "node:fs";
import { spawnSync } from "node:child_process";
const parse = JSON.parse;
JSON.parse = (text, reviver) => {
  if (String(text).includes('"jsonrpc"')) {
    console.log("NOISE console");
    console.write("NOISE part");
    process.stdout.write("NOISE stream");
    writeSync(1, "NOISE descriptor");
    void Bun.write(Bun.stdout, "NOISE file");
    spawnSync("echo", ["NOISE child"], { stdio: "inherit" });
  }
  return parse(text, reviver);
};
`;

testNeeding(SOURCES)("whatever a dependency prints goes to stderr", async () => {
  using folder = mcpFolder();
  using directory = temporaryDirectory();
  const preload = join(directory.path, "noise.ts");
  writeFileSync(preload, NOISE);
  const [bun = "", main = ""] = FROM_SOURCES;
  await using program = new RawProgram(folder.args, [bun, "--preload", preload, main]);
  await program.initialize();
  const run = { name: "run_scenario", arguments: { scenario: "quick", wait_seconds: 50 } };
  expect((await program.ask(1, "tools/call", run)).result.structuredContent.finished).toBe(true);
  const { stderr } = await program.end();
  expect(program.stdout).not.toContain("NOISE");
  expect(program.messages.map(({ id }) => id)).toEqual(["init", 1]);
  for (const way of ["console", "part", "stream", "descriptor", "file", "child"])
    expect(stderr).toContain(`NOISE ${way}`);
});
