import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Action, Fault, RawReply, Responder, SeenRequest } from "./exchange.ts";
import { PATHS, parseBody, readRequest, writeReply } from "./wire.ts";

export interface FakeProviderOptions {
  /** Actions for the first requests, one each. */
  readonly plan?: readonly Responder[];
  /** For every request after the plan. Absent: a short text. */
  readonly reply?: Responder;
}

export interface FakeProvider extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`; OpenAI's base URL is this and `/v1`. */
  readonly url: string;
  /** What was asked so far, in the order it came. */
  readonly requests: readonly SeenRequest[];
  /** Variables that lead the providers `anthropic`, `openai` and `gateway` here. */
  readonly environment: Readonly<Record<string, string>>;
}

export const FAKE_KEY = "fake-key-1f0c9d7b5a3e";

/** A provider on a free loopback port that speaks both wire formats over real HTTP. Disposal cuts what still hangs. */
export async function startFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const { plan = [], reply = { text: "Done." } } = options;
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    void serve(incoming, response).catch(() => incoming.socket.destroy());
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const wire = PATHS[new URL(incoming.url ?? "/", "http://fake").pathname];
    const body = parseBody(await readText(incoming));
    if (wire === undefined || body === undefined)
      return send(response, { status: 404, body: { error: "no such path" } });
    const index = requests.length;
    const request = { index, wire, ...readRequest(wire, body), headers: headersOf(incoming), body };
    requests.push(request);
    const responder = plan[index] ?? reply;
    await act(request, response, typeof responder === "function" ? await responder(request) : responder);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on TCP has an address of this kind.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    environment: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: FAKE_KEY,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: FAKE_KEY,
      GATEWAY_BASE_URL: `${url}/v1`,
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function act(request: SeenRequest, response: ServerResponse, action: Action): Promise<void> {
  if ("fault" in action) return fail(response, action);
  if (action.delay_ms !== undefined) await sleep(action.delay_ms);
  if (!("status" in action)) return send(response, { status: 200, body: writeReply(request.wire, request, action) });
  const body = action.echo ? { error: { type: "echo", message: JSON.stringify(request.headers) } } : action.body;
  return send(response, { ...action, body });
}

function send(response: ServerResponse, { status, body = "", headers = {} }: RawReply): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(text);
}

const BEGUN = '{"id":"cut","content":[{"type":"te';
const LARGE_BYTES = 5 * 1024 * 1024;
const DRIP_MS = 20;

async function fail(response: ServerResponse, { fault, headers = {} }: Fault): Promise<void> {
  const reply = (body: unknown, type = "application/json") =>
    send(response, { status: 200, body, headers: { "content-type": type, ...headers } });
  switch (fault) {
    case "hang":
      return;
    case "malformed_json":
      return reply(BEGUN);
    case "html":
      return reply("<!doctype html><html><body><h1>Sign in</h1></body></html>", "text/html");
    case "empty":
      return reply("");
    case "large":
      return reply({ id: "large", content: [{ type: "text", text: "x".repeat(LARGE_BYTES) }] });
    case "reset":
      response.writeHead(200, { "content-type": "application/json", "content-length": 1000, ...headers });
      response.write(BEGUN);
      // The bytes must leave before the socket is cut, or the reply never begins.
      await sleep(5);
      response.socket?.destroy();
      return;
    case "slow_drip":
      response.writeHead(200, { "content-type": "application/json", ...headers });
      while (!response.destroyed) {
        response.write(" ");
        await sleep(DRIP_MS);
      }
  }
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
