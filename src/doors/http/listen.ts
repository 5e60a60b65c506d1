import type { createApp } from "./app.ts";
import { IDLE_TIMEOUT_S } from "./routes/answerers.ts";

export interface Address {
  readonly hostname: string;
  /** 0 chooses a free port. */
  readonly port: number;
}

export interface Listening {
  /** The address with the port in use. */
  readonly url: string;
  readonly port: number | undefined;
  /** Requests that are not answered yet. */
  readonly pending: number;
  /** Closes all connections that are still open. */
  close(): Promise<void>;
}

type HttpApp = ReturnType<typeof createApp>;

/** Any Elysia application. */
export interface Listenable {
  listen(options: Parameters<HttpApp["listen"]>[0]): unknown;
  readonly server: HttpApp["server"];
}

/** Bytes of a body that the server reads before it closes the connection; enough to answer 413 in our own format. */
const RAW_BODY_BYTES = 8 * 1024 * 1024;

/** @throws Error with a `code` when the address cannot be listened on. */
export function listen(app: Listenable, { hostname, port }: Address): Listening {
  app.listen({
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    // Shared ports would let a second server start unnoticed and take part of the requests.
    reusePort: false,
    idleTimeout: IDLE_TIMEOUT_S,
    maxRequestBodySize: RAW_BODY_BYTES,
    development: false,
  });
  const { server } = app;
  if (!server) throw new Error("the server did not start");
  return {
    url: `http://${hostname}:${server.port}`,
    port: server.port,
    get pending() {
      return server.pendingRequests;
    },
    close: async () => await server.stop(true),
  };
}
