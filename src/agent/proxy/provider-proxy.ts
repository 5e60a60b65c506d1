import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { WireName } from "../../domain/external-agent.ts";
import { asRecord, type LooseRecord, parseJson } from "../../domain/lenient.ts";
import { errorBody } from "../../wire/error-body.ts";
import { BASES, type Route, routeOf } from "../../wire/route.ts";
import type { SocketDirectory } from "../socket-directory.ts";

/** A request of the agent, known to be its own and readable. */
export interface AgentRequest {
  readonly route: Route;
  readonly method: "POST" | "GET";
  /** That of its `Route`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for a request without a body. */
  readonly body: LooseRecord | null;
  readonly bytes: number;
  /** Fires when the agent has hung up, or the proxy closes. */
  readonly signal: AbortSignal;
}

export type Answer = (request: AgentRequest, response: ServerResponse) => Promise<void>;

interface ProxySettings {
  readonly sockets: SocketDirectory;
  /** What the agent holds in the place of a key. */
  readonly token: string;
  /** Of the arm's provider. Other providers' addresses are none here. */
  readonly wire: WireName;
  readonly answer: Answer;
  /** Once for each address that is not served. */
  readonly onStray: (address: string) => void;
}

/** What an agent takes for its provider. Disposal ends what is under way and closes the socket. */
export interface Proxy extends AsyncDisposable {
  /** Every request that came has been dealt with. */
  idle(): Promise<void>;
}

/** @throws Error when the socket cannot be made */
export async function openProxy(settings: ProxySettings): Promise<Proxy> {
  const closing = new AbortController();
  const open = new Set<Promise<void>>();
  const strays = new Set<string>();
  const room = { bytes: MAX_HELD_BYTES };
  const server = createServer((request, response) => {
    const served = serve(request, response).catch(() => void response.destroy());
    open.add(served);
    void served.finally(() => open.delete(served));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = routeBelow(BASES[settings.wire], request);
    if (route === null) return refuseStray(request, response);
    if (route.kind === "head") return void response.writeHead(200).end();
    if (!hasToken(request, settings.token)) return refuse(response, route.wire, FOREIGN);
    // Before its body is read: nobody is told of an end that is over.
    const hungUp = new AbortController();
    response.once("close", () => hungUp.abort(new Error("the agent hung up")));
    using read = await readBody(request, room);
    const body = jsonOf(request, read);
    if ("status" in body) return refuse(response, route.wire, body);
    const signal = AbortSignal.any([hungUp.signal, closing.signal]);
    const method = request.method === "POST" ? "POST" : "GET";
    const asked = { route, method, path: route.path, headers: passedHeaders(request) } as const;
    await settings.answer({ ...asked, ...body, signal }, response);
  }

  function refuseStray({ method, url = "/" }: IncomingMessage, response: ServerResponse): void {
    const address = `${method} ${url.split("?")[0]}`;
    if (strays.size < MAX_STRAYS && !strays.has(address)) {
      strays.add(address);
      settings.onStray(address);
    }
    refuse(response, "chat", { status: 404, message: `abeval serves no ${address}` });
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

/** Bytes of a request: conversations hold files and images. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Of all requests of one agent that are open at a time. Each takes several times as much when it is read. */
const MAX_HELD_BYTES = 2 * MAX_BODY_BYTES;

/** Addresses that are told of. */
const MAX_STRAYS = 20;

function routeBelow(base: string, { method = "", url = "/" }: IncomingMessage): Route | null {
  const route = routeOf(method, url);
  return route !== null && BASES[route.wire] === base ? route : null;
}

function listening(server: Server, socket: string): Promise<void> {
  server.requestTimeout = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ path: socket }, resolve);
  return promise;
}

/** A body as far as it was read. Disposal gives its room back. */
interface HeldBody extends Disposable {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  readonly fits: boolean;
}

/** Requests of one agent that wait side by side share `room`. */
async function readBody(request: IncomingMessage, room: { bytes: number }): Promise<HeldBody> {
  const chunks: Buffer[] = [];
  let [bytes, held, fits] = [0, 0, true];
  const give = () => {
    room.bytes += held;
    held = 0;
  };
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      fits &&= bytes <= MAX_BODY_BYTES && chunk.length <= room.bytes;
      if (!fits) continue;
      chunks.push(chunk);
      held += chunk.length;
      room.bytes -= chunk.length;
    }
  } catch (error) {
    give();
    throw error;
  }
  return { chunks, bytes, fits, [Symbol.dispose]: give };
}

type ReadBody = Pick<AgentRequest, "body" | "bytes">;

function jsonOf({ method }: IncomingMessage, { chunks, bytes, fits }: HeldBody): ReadBody | Refusal {
  if (!fits) return { status: 413, message: "the request is larger than 64 MB, or too many wait beside it" };
  if (method !== "POST") return { body: null, bytes: 0 };
  const body = asRecord(parseJson(Buffer.concat(chunks).toString("utf8")));
  return body === undefined ? { status: 400, message: "the body is not a JSON object" } : { body, bytes };
}

/** A stray client of a test must not spend money. */
function hasToken({ headers, url = "" }: IncomingMessage, token: string): boolean {
  const bearer = /^Bearer +(.*)$/i.exec(headers.authorization ?? "")?.[1];
  const query = new URLSearchParams(url.split("?")[1] ?? "").get("key");
  return [headers["x-api-key"], headers["x-goog-api-key"], headers["api-key"], bearer, query].includes(token);
}

/** What says how to answer. Everything else, credentials above all, stays here. */
const PASSED = ["accept", "content-type", "anthropic-version", "anthropic-beta", "openai-beta"];

const passedHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(PASSED.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : [])));

interface Refusal {
  readonly status: number;
  readonly message: string;
}

const FOREIGN: Refusal = { status: 401, message: "this is not the key that the agent was given" };

/** In the wire's own form. Agents do not try again where they are told not to. */
export function refuse(response: ServerResponse, wire: WireName, { status, message }: Refusal): void {
  const headers = { "content-type": "application/json", "x-should-retry": "false" };
  response.writeHead(status, headers).end(JSON.stringify(errorBody(wire, status, message)));
}
