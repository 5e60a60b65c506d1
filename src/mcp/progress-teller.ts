import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { CallToolRequest, ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import type { CallContext } from "./tool.ts";

type Extra = Pick<RequestHandlerExtra<ServerRequest, ServerNotification>, "sendNotification">;

/** Tells of progress under the token that the client sent; without one there is nobody to tell. */
export function progressTeller({ _meta }: CallToolRequest["params"], extra: Extra): Pick<CallContext, "tell"> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return {};
  let progress = 0;
  return {
    tell(message) {
      progress += 1;
      return extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress, message },
      });
    },
  };
}
