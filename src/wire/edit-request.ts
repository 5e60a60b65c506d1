import { asRecord, type LooseRecord } from "../domain/lenient.ts";
import type { WireName } from "../domain/scenario.ts";

export interface RequestEdit {
  /** Asked for in the place of the client's; null: the client's stays. */
  readonly model: string | null;
  /** Takes out what the provider would do for the agent in a network that the agent is denied. */
  readonly fence: boolean;
}

/** A request as it may go to the provider. */
export interface EditedRequest {
  readonly path: string;
  readonly body: LooseRecord;
  /** What the fence took out, each kind once: `web_search`, `mcp_servers`. */
  readonly removed: readonly string[];
  /** Why the request cannot be sent at all; a sentence for whoever reads the agent's output. */
  readonly refused: string | null;
  /** Usage was asked for in the client's place: see `OpenReply.hide_usage`. */
  readonly hide_usage: boolean;
}

/** Makes of an agent's request what may be sent. `path` is that of its `Route`. */
export function editRequest(wire: WireName, path: string, body: LooseRecord, { model }: RequestEdit): EditedRequest {
  const hide_usage =
    wire === "chat" && body["stream"] === true && asRecord(body["stream_options"])?.["include_usage"] !== true;
  return {
    path: model === null || wire !== "gemini" ? path : path.replace(/\/models\/[^/:?]+:/, () => `/models/${model}:`),
    body: {
      ...body,
      ...(model === null || wire === "gemini" ? {} : { model }),
      ...(hide_usage ? { stream_options: { ...asRecord(body["stream_options"]), include_usage: true } } : {}),
    },
    removed: [],
    refused: null,
    hide_usage,
  };
}
