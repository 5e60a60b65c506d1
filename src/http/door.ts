import type { Clock } from "../clock.ts";
import { plainText } from "../domain/plain-text.ts";
import { forEveryOrigin } from "./every-origin.ts";
import type { HostGate } from "./host-gate.ts";
import type { OriginGate } from "./origin-gate.ts";
import { UnreadableRequest } from "./unreadable-request.ts";

/** A request that was answered. A stream is answered when it opens. */
export interface RequestLine {
  /** ISO-8601, when the answer began. */
  readonly at: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  /** Milliseconds to the answer. */
  readonly ms: number;
}

export type LogRequest = (line: RequestLine) => void;

export interface Door {
  readonly hosts: HostGate;
  readonly origins: OriginGate;
  readonly clock: Clock;
  /** Absent: requests are not logged. */
  readonly log: LogRequest | undefined;
  /** What an error is answered with. */
  readonly fault: (error: unknown) => Response;
}

/** The second is the server that took the request; a test has none. */
type Fetch = (request: Request, server?: unknown) => Response | Promise<Response>;

/**
 * What every request passes on its way in and every answer on its way out, whoever gives it: the Host is looked at, every
 * origin is welcome (spec part 5), and there is a line in the log.
 */
export function door(fetch: unknown, { hosts, origins, clock, log, fault }: Door): Fetch {
  const route = fetch as Fetch; // what the router calls with a request
  const isAddress = addressCheck();
  const answer = (request: Request, server: unknown) => {
    try {
      // The address is made of the Host and the path; what comes after the door may parse it without fear.
      if (!isAddress(request.url)) throw new UnreadableRequest("the Host header is missing or is not a host");
      hosts.admit(request);
      origins.admit(request);
      return request.method === "OPTIONS" ? preflight() : route(request, server);
    } catch (error) {
      return fault(error);
    }
  };
  const leave = (request: Request, response: Response, started: number | undefined) => {
    if (log && started !== undefined) log(lineOf(request, pathOf(request), response, clock, started));
    return forEveryOrigin(response);
  };
  return (request, server) => {
    const started = log && clock.ticks();
    const answered = answer(request, server);
    if (!(answered instanceof Promise)) return leave(request, answered, started);
    return answered.then((response) => leave(request, response, started));
  };
}

/** What a browser asks before it sends JSON to another origin. */
const preflight = () =>
  new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, HEAD, POST, DELETE, OPTIONS",
      "access-control-allow-headers": "content-type, last-event-id",
      "access-control-max-age": "86400",
    },
  });

/** Whether an address can be parsed. Only its origin can make that fail, and most requests have the origin of the last. */
function addressCheck(): (address: string) => boolean {
  let origin: string | undefined;
  return (address) => {
    if (origin !== undefined && address.startsWith(origin)) return true;
    if (!URL.canParse(address)) return false;
    origin = /^https?:\/\/[^/?#\\]+\//.exec(address)?.[0];
    return true;
  };
}

/** As the router sees it, also of an address that cannot be parsed. */
const pathOf = ({ url }: Request) =>
  URL.parse(url)?.pathname ?? url.replace(/^https?:\/\/[^/]*/, "").replace(/[?#].*$/s, "");

function lineOf({ method }: Request, path: string, { status }: Response, clock: Clock, started: number): RequestLine {
  return {
    at: clock.now().toISOString(),
    method,
    path: plainText(path.slice(0, 300)),
    status,
    ms: Math.round((clock.ticks() - started) * 10) / 10,
  };
}
