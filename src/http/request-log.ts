import { Elysia } from "elysia";
import type { Clock } from "../clock.ts";
import { plainText } from "../domain/plain-text.ts";

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

/** A line for each request. */
export function requestLog(clock: Clock, log: LogRequest | undefined) {
  const plugin = new Elysia({ name: "request-log" });
  if (log === undefined) return plugin;
  const started = new WeakMap<Request, number>();
  return plugin
    .onRequest(({ request }) => void started.set(request, clock.ticks()))
    .onAfterResponse({ as: "global" }, ({ request, responseValue, set }) =>
      log({
        at: clock.now().toISOString(),
        method: request.method,
        path: plainText(pathOf(request).slice(0, 300)),
        status:
          responseValue instanceof Response && responseValue.status !== 200 ? responseValue.status : Number(set.status),
        ms: Math.round((clock.ticks() - (started.get(request) ?? 0)) * 10) / 10,
      }),
    );
}

/** As the router sees it, also of an address that cannot be parsed. */
const pathOf = ({ url }: Request) =>
  URL.parse(url)?.pathname ?? url.replace(/^https?:\/\/[^/]*/, "").replace(/[?#].*$/s, "");
