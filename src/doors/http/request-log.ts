import { Elysia } from "elysia";
import { plainText } from "../../domain/plain-text.ts";
import type { Services } from "../operation/operation.ts";

/** A request that was answered. A stream is answered when it opens. */
interface RequestLine {
  /** ISO-8601, when the answer began. */
  readonly at: string;
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  readonly status: number;
  /** Milliseconds to the answer. */
  readonly ms: number;
}

export type LogRequest = (line: RequestLine) => void;

/** The characters of a path that are searched for secrets: more than are shown, so that a secret at the cut stays hidden. */
const READ_CHARS = 2_000;
const SHOWN_CHARS = 300;

/** A line for each request. */
export function requestLog({ clock, redact }: Pick<Services, "clock" | "redact">, log: LogRequest | undefined) {
  const plugin = new Elysia({ name: "request-log" });
  if (log === undefined) return plugin;
  const started = new WeakMap<Request, number>();
  return plugin
    .onRequest(({ request }) => void started.set(request, clock.ticks()))
    .onAfterResponse({ as: "global" }, ({ request, responseValue, set }) =>
      log({
        at: clock.now().toISOString(),
        method: request.method,
        path: plainText(redact(pathOf(request).slice(0, READ_CHARS)).slice(0, SHOWN_CHARS)),
        status:
          responseValue instanceof Response && responseValue.status !== 200 ? responseValue.status : Number(set.status),
        ms: Math.round((clock.ticks() - (started.get(request) ?? 0)) * 10) / 10,
      }),
    );
}

/** The path as the router sees it, even when the address cannot be parsed. */
const pathOf = ({ url }: Request) =>
  URL.parse(url)?.pathname ?? url.replace(/^https?:\/\/[^/]*/, "").replace(/[?#].*$/s, "");
