import type { Services } from "../operation/services.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EventStreams } from "./event-stream.ts";
import { readEndpoints } from "./read-endpoints.ts";
import { runEndpoints } from "./run-endpoints.ts";
import { schemaEndpoints } from "./schema-endpoints.ts";

export interface EndpointContext {
  readonly services: Services;
  readonly streams: EventStreams;
  /** Fires when the server takes no new work. */
  readonly stopping: AbortSignal;
  /** Fires when it gives up what still works. */
  readonly abandoned: AbortSignal;
  /** The OpenAPI document as JSON. */
  readonly document: () => string;
}

/** Every route under `/api`, in the order of spec part 4; our additions last. */
export const endpoints = (context: EndpointContext): readonly Endpoint[] => {
  const { cancel, ...runs } = runEndpoints(context);
  const { openapi, docs } = schemaEndpoints(context);
  return [...readEndpoints(context), runs.blocking, runs.background, runs.stream, runs.verdicts, openapi, cancel, docs];
};
