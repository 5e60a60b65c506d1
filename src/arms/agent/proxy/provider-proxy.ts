import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { cut } from "../../../domain/excerpt.ts";
import type { WireName } from "../../../domain/external-agent.ts";
import type { LooseRecord } from "../../../domain/lenient.ts";
import type { Room } from "../../wire/room.ts";
import { BASES, errorBody, routeOf, type WireRoute } from "../../wire/route.ts";
import type { SocketDirectory } from "../socket-directory.ts";
import { type AgentBody, type BodyRefusal, readAgentBody } from "./agent-body.ts";

/** A request of the agent, known to be its own and readable. */
export interface AgentRequest {
  readonly route: WireRoute;
  readonly method: "POST" | "GET";
  /** That of its `Route`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for a request without a body. */
  readonly body: LooseRecord | null;
  readonly bytes: number;
  readonly grow: AgentBody["grow"];
  /** Fires when the agent has hung up, or the proxy closes. */
  readonly signal: AbortSignal;
}

export type AnswerAgent = (request: AgentRequest, response: ServerResponse) => Promise<void>;

interface ProxySettings {
  readonly sockets: SocketDirectory;
  /** What the agent holds in the place of a key. */
  readonly token: string;
  /** The wire of the arm's provider. Addresses of other providers are refused. */
  readonly wire: WireName;
  readonly answer: AnswerAgent;
  /** What its open requests may hold. */
  readonly room: Room;
  /** Once for each address that is not served. */
  readonly onStray: (address: string) => void;
  /** Called for each request that is not read, with the reason that the agent was told. */
  readonly onRefused: (message: string) => void;
}

/** Milliseconds in which all of a request must have come. An agent sends on one machine, but may be halted meanwhile. */
const REQUEST_MS = 120_000;

/** What an agent takes for its provider. Disposal ends what is under way and closes the socket. */
export interface ProviderProxy extends AsyncDisposable {
  /** Every request that came has been dealt with. */
  idle(): Promise<void>;
}

/** @throws Error when the socket cannot be made */
export async function openProxy(settings: ProxySettings, request_ms = REQUEST_MS): Promise<ProviderProxy> {
  const closing = new AbortController();
  const open = new Set<Promise<void>>();
  const strays = new Set<string>();
  const patience = {
    requestTimeout: request_ms,
    headersTimeout: request_ms,
    connectionsCheckingInterval: request_ms / 4,
  };
  const pipelined = new WeakMap<Socket, number>();
  const server = createServer(patience, (request, response) => {
    const { socket } = request;
    const beside = pipelined.get(socket) ?? 0;
    if (beside >= MAX_PIPELINED) return void socket.destroy();
    pipelined.set(socket, beside + 1);
    response.once("close", () => pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1));
    if (open.size >= MAX_OPEN) return refuse(response, settings.wire, CROWDED);
    if (hasTwoHosts(request)) return turnAway(response, settings.wire, TWO_HOSTS);
    const served = serve(request, response).catch(() => void response.destroy());
    open.add(served);
    void served.finally(() => open.delete(served));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = routeBelow(BASES[settings.wire], request);
    if (route === null) return refuseStray(request, response);
    if (route.kind === "head") return void response.writeHead(200).end();
    if (!hasToken(request, settings.token)) return turnAway(response, route.wire, FOREIGN);
    // Before its body is read: nobody is told of an end that is over.
    const hungUp = new AbortController();
    response.once("close", () => hungUp.abort(new Error("the agent hung up")));
    using body = await readAgentBody(request, settings.room);
    if (body.refused !== null) {
      settings.onRefused(body.refused.message);
      return refuse(response, route.wire, body.refused);
    }
    const signal = AbortSignal.any([hungUp.signal, closing.signal]);
    const method = request.method === "POST" ? "POST" : "GET";
    const asked = { route, method, path: route.path, headers: passedHeaders(request) } as const;
    const { json, bytes, grow } = body;
    await settings.answer({ ...asked, body: json, bytes, grow, signal }, response);
  }

  function refuseStray({ method, url = "/" }: IncomingMessage, response: ServerResponse): void {
    const address = cut(`${method} ${url.split("?")[0]}`, MAX_ADDRESS_CHARS);
    if (strays.size < MAX_STRAYS && !strays.has(address)) {
      strays.add(address);
      settings.onStray(address);
    }
    turnAway(response, "chat", { status: 404, message: `abeval serves no ${address}` });
  }

  await listening(server, settings.sockets.socket);
  settings.sockets.open();
  return {
    idle: async () => void (await Promise.allSettled(open)),
    [Symbol.asyncDispose]: async () => {
      closing.abort(new Error("the proxy closes"));
      server.close();
      server.closeAllConnections();
      await Promise.allSettled(open);
    },
  };
}

/** The most connections of one agent at a time. Agents with many helpers have some thirty; the launcher opens one for each. */
const MAX_CONNECTIONS = 256;
const MAX_OPEN = 256;

/** Requests of one connection that wait for answers. Clients send one after the other; thousands come in one piece. */
const MAX_PIPELINED = 16;

const CROWDED: BodyRefusal = {
  status: 429,
  message: `more than ${MAX_OPEN} requests wait: send it again when one was answered`,
};

const TWO_HOSTS: BodyRefusal = { status: 400, message: "the request has two Host headers" };

/** `headers` has only the first of them. */
const hasTwoHosts = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length > 1;

/** Addresses that are told of. */
const MAX_STRAYS = 20;
const MAX_ADDRESS_CHARS = 200;

function routeBelow(base: string, { method = "", url = "/" }: IncomingMessage): WireRoute | null {
  const route = routeOf(method, url);
  return route !== null && BASES[route.wire] === base ? route : null;
}

function listening(server: Server, socket: string): Promise<void> {
  server.maxConnections = MAX_CONNECTIONS;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ path: socket }, resolve);
  return promise;
}

/** A stray client of a test must not spend money. */
function hasToken({ headers, url = "" }: IncomingMessage, token: string): boolean {
  const bearer = /^Bearer +(.*)$/i.exec(headers.authorization ?? "")?.[1];
  const query = new URLSearchParams(url.split("?")[1] ?? "").get("key");
  return [headers["x-api-key"], headers["x-goog-api-key"], headers["api-key"], bearer, query].includes(token);
}

/** What says how to answer. Everything else, credentials above all, stays here. */
const PASSED = ["anthropic-version", "anthropic-beta", "openai-beta"];

const passedHeaders = ({ headers }: IncomingMessage): Record<string, string> => ({
  ...Object.fromEntries(PASSED.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : []))),
  // Asked for another form, as Google's APIs can write, a provider would answer what nobody reads here.
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
});

const FOREIGN: BodyRefusal = { status: 401, message: "this is not the key that the agent was given" };

/** Closes the connection unread: an agent could send such requests faster than they can be answered. */
const turnAway = (response: ServerResponse, wire: WireName, refusal: BodyRefusal): void =>
  refuse(response.setHeader("connection", "close"), wire, refusal);

/** Answers in the wire's own form for errors. Agents do not retry what they are told not to retry. */
export function refuse(
  response: ServerResponse,
  wire: WireName,
  { status, message, again = status === 429 }: BodyRefusal,
): void {
  const headers = { "content-type": "application/json", "x-should-retry": String(again) };
  response.writeHead(status, headers).end(JSON.stringify(errorBody(wire, status, message)));
}
