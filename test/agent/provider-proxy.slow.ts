import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { readAgentBody, requestRoom } from "../../src/arms/agent/proxy/agent-body.ts";
import { type AgentRequest, openProxy } from "../../src/arms/agent/proxy/provider-proxy.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";

const TOKEN = "token-of-the-arm";
const HEAD = `Host: x\r\nAuthorization: Bearer ${TOKEN}\r\n`;
const CHAT = "POST /openai/v1/chat/completions HTTP/1.1\r\n";

/** A proxy that answers every request with `{}` and keeps what it was asked. */
async function aProxy({ request_ms, waits }: { readonly request_ms?: number; readonly waits?: Promise<void> } = {}) {
  const directory = temporaryDirectory();
  const socket = join(directory.path, "s");
  const asked: AgentRequest[] = [];
  const refused: string[] = [];
  const strays: string[] = [];
  const settings = {
    sockets: { socket, mount: { from: "", to: "" }, open: () => undefined, [Symbol.dispose]: () => undefined },
    ...{ token: TOKEN, wire: "chat" as const, room: requestRoom() },
    answer: async (request: AgentRequest, response: ServerResponse) => {
      asked.push(request);
      await waits;
      response.end("{}");
    },
    onStray: (address: string) => void strays.push(address),
    onRefused: (message: string) => void refused.push(message),
  };
  const proxy = await openProxy(settings, request_ms);
  const close = async () => {
    await proxy[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  };
  return { socket, asked, refused, strays, [Symbol.asyncDispose]: close };
}

/** Sends bytes as they are, and gives what came back when the proxy has closed the connection, or said `until`. */
async function raw(socket: string, bytes: string | Uint8Array, until?: string): Promise<string> {
  const client = connect(socket);
  let said = "";
  const { promise, resolve } = Promise.withResolvers<void>();
  client.on("data", (chunk) => {
    said += chunk.toString("latin1");
    if (until !== undefined && said.includes(until)) resolve();
  });
  client.on("error", () => resolve()).on("close", () => resolve());
  client.write(bytes);
  await promise;
  client.destroy();
  return said;
}

const post = (body: string, more = "") =>
  `${CHAT}${HEAD}${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const SMUGGLED = "GET /openai/v1/models HTTP/1.1\r\nHost: x\r\n\r\n";

test.each([
  [
    "a length beside chunks",
    `${CHAT}${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ],
  ["two lengths", `${CHAT}${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}${SMUGGLED}`],
  ["a list of lengths", `${CHAT}${HEAD}Content-Length: 2, 3\r\n\r\n{}${SMUGGLED}`],
  ["a length with a sign", `${CHAT}${HEAD}Content-Length: +2\r\n\r\n{}${SMUGGLED}`],
  ["a length below 0", `${CHAT}${HEAD}Content-Length: -1\r\n\r\n{}${SMUGGLED}`],
  ["a chunk without a size", `${CHAT}${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n${SMUGGLED}`],
  ["a chunk larger than numbers go", `${CHAT}${HEAD}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}`],
  ["an encoding that nobody knows", `${CHAT}${HEAD}Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  ["a space in front of a colon", `${CHAT}${HEAD}Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  ["a header over two lines", `${CHAT}${HEAD}X-A: 1\r\n b: 2\r\nContent-Length: 2\r\n\r\n{}`],
  ["lines that end with LF alone", `${CHAT}${HEAD}Content-Length: 2\r\n\r\n{}`.replaceAll("\r", "")],
  ["headers larger than any", `${CHAT}${HEAD}X-A: ${"a".repeat(100_000)}\r\nContent-Length: 2\r\n\r\n{}`],
  ["two hosts", `${CHAT}${HEAD}Host: y\r\nContent-Length: 2\r\n\r\n{}`],
  ["one host twice", `${CHAT}${HEAD}host: x\r\nContent-Length: 2\r\n\r\n{}`],
  ["no host", `${CHAT}Content-Length: 2\r\n\r\n{}`],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a tunnel", `CONNECT api.example.com:443 HTTP/1.1\r\n${HEAD}\r\n`],
])("%s: the connection ends and nothing is asked", async (_, bytes) => {
  await using proxy = await aProxy();
  const said = await raw(proxy.socket, bytes);
  expect(said).not.toContain(" 200 ");
  expect(proxy.asked).toEqual([]);
});

test("of an agent's headers those go on that say how to answer, and no others", async () => {
  await using proxy = await aProxy();
  const own = [
    "Cookie: a=b",
    "Forwarded: for=x",
    "X-Forwarded-Host: x",
    "Proxy-Authorization: x",
    "X-Goog-User-Project: x",
  ];
  const odd = ["Accept: application/x-protobuf", "Content-Type: application/x-protobuf", "X-HTTP-Method-Override: GET"];
  const more = [...own, ...odd, "OpenAI-Beta: b", "OpenAI-Organization: o", "Connection: close"];
  const bytes = `${CHAT}${HEAD}${more.join("\r\n")}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
  expect(await raw(proxy.socket, bytes)).toContain(" 200 ");
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  expect(proxy.asked.map((one) => one.headers)).toEqual([{ ...headers, "openai-beta": "b" }]);
});

test("nobody is upgraded to another protocol", async () => {
  await using proxy = await aProxy();
  const more =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  expect(await raw(proxy.socket, post("{}", more), "\r\n\r\n")).not.toContain("101");
  expect(proxy.asked.every(({ headers }) => headers["upgrade"] === undefined)).toBe(true);
});

test("of requests of HTTP/1.0 behind one another the first is answered, and the connection ends", async () => {
  await using proxy = await aProxy();
  const one = post("{}").replace("HTTP/1.1", "HTTP/1.0");
  const said = await raw(proxy.socket, one + one);
  expect(said.match(/ 200 /g)).toHaveLength(1);
});

test("an address is that of the proxy, whatever host it names", async () => {
  await using proxy = await aProxy();
  const bytes = post("{}", "Connection: close\r\n").replace("/openai", "http://api.example.com/openai");
  expect(await raw(proxy.socket, bytes)).toContain(" 404 ");
  expect(proxy.asked).toEqual([]);
});

test.each([
  ["headers", `${CHAT}Host: x\r\nX-A`],
  ["a body", `${CHAT}${HEAD}Content-Length: 50\r\n\r\n{`],
  ["chunks", `${CHAT}${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
  ["anything", ""],
])("a connection that waits for %s without an end is ended", async (_, bytes) => {
  await using proxy = await aProxy({ request_ms: 200 });
  expect(await raw(proxy.socket, bytes)).not.toContain(" 200 ");
  expect(proxy.asked).toEqual([]);
});

test("connections beyond a bound are ended, and those before them go on", async () => {
  await using proxy = await aProxy();
  const first = connect(proxy.socket);
  await once(first, "connect");
  const others = Array.from({ length: 260 }, () => connect(proxy.socket).on("error", () => undefined));
  await Promise.race(others.map((socket) => once(socket, "close")));
  first.write(post("{}"));
  expect(String(await once(first, "data"))).toContain(" 200 ");
  for (const socket of [first, ...others]) socket.destroy();
});

test("requests wait up to a bound, and the others are told to come again", async () => {
  const { promise: waits, resolve: answer } = Promise.withResolvers<void>();
  await using proxy = await aProxy({ waits });
  const clients = Array.from({ length: 25 }, () => connect(proxy.socket));
  let said = "";
  for (const client of clients) client.on("data", (chunk) => (said += chunk)).write(post("{}").repeat(12));
  await until(() => proxy.asked.length === 256);
  answer();
  await until(() => (said.match(/HTTP\/1.1 /g) ?? []).length === 300);
  for (const client of clients) client.destroy();
  expect(proxy.asked.length).toBeLessThan(300);
  expect(said).toContain("more than 256 requests wait");
});

test("a connection with more than 16 requests behind one another is ended; one after the other, it has no end", async () => {
  await using proxy = await aProxy();
  const patient = connect(proxy.socket);
  for (let turn = 0; turn < 40; turn += 1) {
    patient.write(post("{}"));
    expect(String(await once(patient, "data"))).toContain(" 200 ");
  }
  const { promise: ended, resolve: end } = Promise.withResolvers<unknown>();
  const greedy = connect(proxy.socket).on("error", end).on("close", end);
  greedy.resume().write(post("{}").repeat(5_000));
  await ended;
  expect(proxy.asked.length).toBeLessThanOrEqual(40 + 16);
  patient.write(post("{}"));
  expect(String(await once(patient, "data"))).toContain(" 200 ");
  patient.destroy();
});

const MB = 1024 * 1024;
const messages = (length: number) =>
  `{"messages":[${Array.from({ length }, () => '{"role":"user","content":"x"}').join()}]}`;

test.each([
  ["2,000,000 messages", () => messages(2_000_000), `60000014 bytes, at most ${8 * MB} are read`],
  [
    "45 MB of empty lists",
    () => `{"messages":[${"[],".repeat(15 * MB)}[]]}`,
    `47185937 bytes, at most ${8 * MB} are read`,
  ],
  ["40,000 messages", () => messages(40_000), "120002 values, at most 100000 are read"],
  ["90,000 empty lists", () => `{"input":[${"[],".repeat(90_000)}[]]}`, "180004 values, at most 100000 are read"],
  ["201 levels", () => `{"a":${"[".repeat(200)}${"]".repeat(200)}}`, "201 levels of nesting, at most 200 are read"],
])("%s are refused with what was seen, the limit and what to do", async (_, body, fault) => {
  await using proxy = await aProxy();
  const said = await raw(proxy.socket, post(body(), "Connection: close\r\n"));
  const message = `the request has ${fault}: shorten the conversation, or send fewer files and images`;
  expect(said).toContain(" 413 ");
  expect(said).toContain(JSON.stringify({ message, type: "invalid_request_error", param: null, code: null }));
  expect(proxy).toMatchObject({ asked: [], refused: [message] });
});

test("a body without an end is cut off, and told of", async () => {
  await using proxy = await aProxy();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const client = connect(proxy.socket).on("error", () => undefined);
  client.on("close", () => resolve());
  client.write(`${CHAT}${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `100000\r\n${"x".repeat(MB)}\r\n`;
  const send = () => {
    while (!client.destroyed && client.write(chunk));
  };
  client.on("drain", send);
  send();
  await closed;
  expect(proxy.refused).toEqual([expect.stringContaining(`at most ${8 * MB} are read`)]);
});

test("what requests hold side by side is bounded, and given back", async () => {
  const { promise: waits, resolve: answer } = Promise.withResolvers<void>();
  await using proxy = await aProxy({ waits });
  const large = post(JSON.stringify({ messages: "x".repeat(7 * MB) }), "Connection: close\r\n");
  const said = Array.from({ length: 10 }, () => raw(proxy.socket, large));
  expect(await Promise.race(said)).toContain(" 429 ");
  await until(() => proxy.refused.length === 1 && proxy.asked.length === 9);
  answer();
  expect((await Promise.all(said)).filter((one) => one.includes(" 200 "))).toHaveLength(9);
  expect(await raw(proxy.socket, large)).toContain(" 200 ");
});

test.each([
  ["of an address that is not served", "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", " 404 "],
  ["without the agent's token", `${CHAT}Host: x\r\nContent-Length: 2\r\n\r\n{}`, " 401 "],
])("a request %s is the last of its connection: nobody floods the proxy with them", async (_, request, status) => {
  await using proxy = await aProxy();
  const said = await raw(proxy.socket, request.repeat(1_000));
  expect(said.split("HTTP/1.1 ")).toHaveLength(2);
  expect(said).toContain(status);
});

test("what is held of a body in small pieces is its bytes, and not the pieces", async () => {
  const objects = () => {
    Bun.gc(true);
    return heapStats().objectTypeCounts["Uint8Array"] ?? 0;
  };
  const before = objects();
  let grown = 0;
  async function* pieces() {
    for (let n = 0; n < 20_000; n += 1) yield Buffer.alloc(1, " ");
    grown = objects() - before;
    yield Buffer.from("{}");
  }
  const request = Object.assign(Readable.from(pieces()), { method: "POST" });
  using body = await readAgentBody(request, requestRoom());
  expect(body).toMatchObject({ json: {}, bytes: 20_002 });
  expect(grown).toBeLessThan(2_000);
});
