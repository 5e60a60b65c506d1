import type { Clock } from "../clock.ts";

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

type Fetch = (request: Request, ...rest: unknown[]) => Response | Promise<Response>;

/** The same, and a line for each request. */
export function observe(fetch: unknown, clock: Clock, log: LogRequest | undefined): Fetch {
  const answer = fetch as Fetch; // what the router calls with a request
  if (log === undefined) return answer;
  return (request, ...rest) => {
    const started = clock.ticks();
    const note = (response: Response) => {
      log({
        at: clock.now().toISOString(),
        method: request.method,
        path: new URL(request.url).pathname.slice(0, 300),
        status: response.status,
        ms: Math.round((clock.ticks() - started) * 10) / 10,
      });
      return response;
    };
    const response = answer(request, ...rest);
    return response instanceof Promise ? response.then(note) : note(response);
  };
}
