import { Type } from "@sinclair/typebox";
import type { Context } from "elysia";
import type { Services } from "../../operation/services.ts";
import { EXAMPLES } from "../openapi/examples.ts";
import type { EventStreams } from "../stream/event-stream.ts";

export interface RouteContext {
  readonly services: Services;
  readonly streams: EventStreams;
  /** Fires when the server gives up what still works. */
  readonly abandoned: AbortSignal;
}

export const SessionInPath = Type.Object({
  id: Type.String({ description: "Session id.", examples: [EXAMPLES.session.session_id] }),
});

/** Seconds a connection may be silent, so that a stalled body does not stay for ever. */
export const IDLE_TIMEOUT_S = 30;

type Call = Pick<Context, "server" | "request">;

/** Lifts the limit on silence while `work` lasts. The body was read before, under the limit. */
export async function patiently<T>({ server, request }: Call, work: () => Promise<T>): Promise<T> {
  server?.timeout(request, 0);
  try {
    return await work();
  } finally {
    // Before the answer: after it the server no longer knows whose connection it was.
    server?.timeout(request, IDLE_TIMEOUT_S);
  }
}
