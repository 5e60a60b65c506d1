import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Action, FakeReply, Fault, RawReply, ReplyUsage, Responder, SeenRequest } from "./exchange.ts";
import { FORMS, type Route, routeOf, writesEvents } from "./wires/routes.ts";
import { countTokens, type Piece, parseBody, wholeReply } from "./wires/wire.ts";

export interface FakeProviderOptions {
  /** Actions for the first requests, one each. */
  readonly plan?: readonly Responder[];
  /** For every request after the plan. Absent: a short text. */
  readonly reply?: Responder;
}

/** A request that asks for no reply: a list of models, a count of tokens, an address that does not exist. */
interface Visit {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface FakeProvider extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`; OpenAI's base URL is this and `/v1`. */
  readonly url: string;
  /** What was asked so far, in the order it came. */
  readonly requests: readonly SeenRequest[];
  readonly visits: readonly Visit[];
  /** Tokens of all replies that were begun, as the provider would bill them. */
  readonly billed: Required<ReplyUsage>;
  /** Variables that lead the providers `anthropic`, `openai`, `google` and `gateway` here. */
  readonly environment: Readonly<Record<string, string>>;
}

export const FAKE_KEY = "fake-key-1f0c9d7b5a3e";

/** A provider on a free loopback port that speaks four wire formats over real HTTP. Disposal cuts what still hangs. */
export async function startFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const { plan = [], reply = { text: "Done." } } = options;
  const requests: SeenRequest[] = [];
  const visits: Visit[] = [];
  const billed = { in: 0, out: 0, cached: 0, written: 0, thinking: 0 };
  const server = createServer((incoming, response) => {
    void serve(incoming, response).catch(() => incoming.socket.destroy());
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/" } = incoming;
    const headers = headersOf(incoming);
    const route = method === "POST" ? routeOf(new URL(path, "http://fake").pathname) : undefined;
    const body = parseBody(await readText(incoming));
    if (route?.kind !== "reply" || body === undefined) {
      visits.push({ method, path, headers });
      return send(response, visited(method, route, body));
    }
    const index = requests.length;
    const { wire } = route;
    const request = { index, wire, path, ...FORMS[wire].read(body, path), headers, body };
    requests.push(request);
    const responder = plan[index] ?? reply;
    await act(request, response, typeof responder === "function" ? await responder(request) : responder);
  }

  async function act(request: SeenRequest, response: ServerResponse, action: Action): Promise<void> {
    if ("fault" in action) return fail(response, action);
    if ("refuse" in action) {
      const { refuse: status, message = `The fake provider refuses with ${status}.`, headers = {} } = action;
      return send(response, { status, headers, body: FORMS[request.wire].error(status, message) });
    }
    if (action.delay_ms !== undefined) await sleep(action.delay_ms);
    if (!("status" in action)) return answer(request, response, action);
    const body = action.echo ? { error: { type: "echo", message: JSON.stringify(request.headers) } } : action.body;
    return send(response, { ...action, body });
  }

  async function answer(request: SeenRequest, response: ServerResponse, reply: FakeReply): Promise<void> {
    const whole = wholeReply(request, reply);
    for (const kind of ["in", "out", "cached", "written", "thinking"] as const) billed[kind] += whole.usage[kind];
    const form = FORMS[request.wire];
    if (writesEvents(request)) return sendPieces(response, form.pieces(request, whole), reply.breaks);
    return send(response, { status: 200, body: form.reply(request, whole) });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on TCP has an address of this kind.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    visits,
    billed,
    environment: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: FAKE_KEY,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: FAKE_KEY,
      GOOGLE_BASE_URL: `${url}/v1beta`,
      GOOGLE_API_KEY: FAKE_KEY,
      GATEWAY_BASE_URL: `${url}/v1`,
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function visited(
  method: string,
  route: Route | undefined,
  body: Readonly<Record<string, unknown>> | undefined,
): RawReply {
  if (method === "HEAD") return { status: 200 };
  if (route?.kind === "count") return { status: 200, body: FORMS[route.wire].count(countTokens(body ?? {})) };
  return { status: 404, body: { error: "no such path" } };
}

async function sendPieces(
  response: ServerResponse,
  pieces: readonly Piece[],
  breaks: FakeReply["breaks"],
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  const at = breaks === undefined ? -1 : breakOf(pieces, breaks.at);
  for (const [i, { text }] of pieces.entries()) {
    if (i === at) {
      // What was written must leave before the socket is cut.
      await sleep(breaks?.silence_ms ?? 5);
      if (breaks?.silence_ms === undefined) return void response.socket?.destroy();
    }
    response.write(text);
  }
  response.end();
}

/** The first piece that is held back. */
function breakOf(pieces: readonly Piece[], at: NonNullable<FakeReply["breaks"]>["at"]): number {
  const place =
    at === "before_calls" ? pieces.findIndex(({ call }) => call) : pieces.findLastIndex(({ call }) => call) + 1;
  return place > 0 ? place : Math.floor(pieces.length / 2);
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
