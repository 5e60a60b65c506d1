import { createServer } from "node:http";
import { errorCode } from "../../../domain/failure.ts";
import { version } from "../../../runtime/version.ts";
import type { Address } from "../../http/listen.ts";

/** Milliseconds without a sign of life after which the server counts as standing. */
const STANDS_MS = 5_000;

/** Answers for the health of a server that may stand still. */
export class HealthDoor {
  /** Resolves when it listens, or with the code of the error by which it cannot. */
  readonly opened: Promise<string | undefined>;
  readonly close: () => void;

  /** @param silent milliseconds without a sign of life; undefined while there is no server, or it starts */
  constructor({ hostname, port }: Address, silent: () => number | undefined) {
    const server = createServer((request, response) => {
      const [path] = (request.url ?? "").split("?", 1);
      const sends = request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"]) > 0;
      const [status, body] = sends ? NO_BODY : path === "/api/health" ? healthOf(silent()) : NOT_FOUND;
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
      // A body that is never read would still be taken in, for as long as it comes.
      response.end(JSON.stringify(body), () => sends && request.socket.destroy());
    });
    this.opened = new Promise((resolve) => {
      server.once("error", (error) => resolve(errorCode(error) ?? "unknown"));
      server.listen(port, hostname.replace(/^\[(.*)\]$/, "$1"), () => resolve(undefined));
    });
    this.close = () => {
      server.closeAllConnections();
      server.close();
    };
  }
}

type Answer = readonly [status: number, body: object];

const errorOf = (code: string, message: string) => ({ error: { code, message } });

const NOT_FOUND: Answer = [404, errorOf("not_found", "only GET /api/health is answered here")];

const NO_BODY: Answer = [413, errorOf("body_too_large", "no body is read here; ask without one")];

function healthOf(silent_ms: number | undefined): Answer {
  if (silent_ms === undefined) return [503, errorOf("not_ready", "the server is starting")];
  if (silent_ms < STANDS_MS) return [200, { status: "ok", version }];
  const seconds = Math.round(silent_ms / 1_000);
  return [503, errorOf("not_ready", `the server has given no sign of life for ${seconds} s`)];
}
