// An MCP server over stdio for tests: `bun fake-server.mjs [behaviour...]`. It needs nothing but a JavaScript runtime.
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const behaviours = new Set(process.argv.slice(2));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });

const TOOLS = {
  echo: ({ text: value }) => text(value),
  write: ({ path, text: value }) => {
    try {
      writeFileSync(path, value);
      return text(`wrote ${path}`);
    } catch (error) {
      return { ...text(error.code), isError: true };
    }
  },
  keep_writing: ({ path }) => {
    // In a session and a process group of its own, out of reach of a signal to the server's.
    spawn("setsid", ["sh", "-c", `i=0; while :; do i=$((i+1)); echo $i > ${path}; done`], { stdio: "ignore" });
    while (!existsSync(path));
    return text("writing");
  },
  environment: () => text(Object.keys(process.env).sort().join(" ")),
  place: () => text(process.cwd()),
  big: ({ bytes }) => text("x".repeat(bytes)),
  picture: () => ({
    content: [
      { type: "text", text: "a picture" },
      { type: "image", mimeType: "image/png", data: "A".repeat(16_000) },
      { type: "resource", resource: { uri: "file:///a", blob: "AAAA" } },
      { type: "resource_link", uri: "file:///b", name: "b" },
    ],
  }),
  structure: () => ({ content: [], structuredContent: { sum: 3 } }),
  refuse: () => ({ ...text("that cannot be"), isError: true }),
  nonsense: () => ({ content: "no list" }),
  silent: () => undefined,
  die: ({ by }) => {
    process.stderr.write("out of ideas\n");
    if (by) return process.kill(process.pid, by);
    process.exit(7);
  },
  change: () => {
    send({ method: "notifications/tools/list_changed" });
    send({ method: "notifications/tools/list_changed" });
    return text("changed");
  },
  ask: () => {
    send({ id: "own-1", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } });
    return text("asked");
  },
};

function listed() {
  const names = Object.keys(TOOLS);
  if (behaviours.has("many")) names.push(...Array.from({ length: 300 }, (_, index) => `tool_${index}`));
  if (behaviours.has("clash")) names.push("do it", "do_it");
  if (behaviours.has("long")) names.push(`${"very_".repeat(20)}one`, `${"very_".repeat(20)}two`);
  if (behaviours.has("lengthy"))
    return [{ name: "echo", description: "word ".repeat(7_000), inputSchema: { type: "object" } }];
  const description = behaviours.has("wordy") ? "word ".repeat(10_000) : "For tests.";
  return names.map((name) => ({ name, description, inputSchema: { type: "object" } }));
}

/** Three pages, so that a reader of the first alone is found out. */
function page(cursor = "0") {
  if (behaviours.has("endless")) return { tools: [], nextCursor: "again" };
  const tools = listed();
  const size = Math.ceil(tools.length / 3);
  const start = Number(cursor);
  const end = start + size;
  return { tools: tools.slice(start, end), ...(end < tools.length && { nextCursor: String(end) }) };
}

function answer({ id, method, params, result, error }) {
  if (result ?? error) return process.stderr.write(`answered ${JSON.stringify(error ?? result)}\n`);
  if (id === undefined || behaviours.has("mute")) return;
  if (method === "initialize")
    return send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "fake", version: "1" },
      },
    });
  if (method === "tools/list") return send({ id, result: page(params?.cursor) });
  if (method !== "tools/call") return send({ id, error: { code: -32601, message: `no ${method}` } });
  if (params.name === "fault") return send({ id, error: { code: -32603, message: "a fault inside" } });
  const found = TOOLS[params.name]?.(params.arguments);
  if (found) send({ id, result: found });
}

if (behaviours.has("dead")) {
  process.stderr.write("no such database\n");
  process.exit(3);
}
process.stdout.write("this server talks on its stdout\n");
createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line)));
