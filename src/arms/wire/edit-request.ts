import type { WireName } from "../../domain/external-agent.ts";
import { asRecord, isNested, type LooseRecord } from "../../domain/lenient.ts";
import { PROVIDER_TOOL_FILTERS } from "./edit/provider-tools.ts";
import { unsupportedIn, withoutState } from "./stored-state.ts";

interface RequestEdit {
  /** Asked for in the place of the client's; null: the client's stays. */
  readonly model: string | null;
  /** Takes out what the provider would do for the agent in a network that the agent is denied. */
  readonly without_provider_tools: boolean;
}

/** A request as it may go to the provider. */
interface EditedRequest {
  readonly path: string;
  readonly body: LooseRecord;
  /** What was taken out, each kind once: `web_search`, `mcp_servers`. */
  readonly removed: readonly string[];
  /** Why the request cannot be sent at all, which is the agent's doing. */
  readonly refused: string | null;
  /** What the request asks for that abeval cannot do. It cannot be sent either, and that is not the agent's fault. */
  readonly unsupported: string | null;
  /** Usage was asked for in the client's place: see `OpenReply.hide_usage`. */
  readonly hide_usage: boolean;
}

/** Levels of nesting in a request. More would overflow the stack of whoever writes it. */
const MAX_LEVELS = 1000;

/** Makes of an agent's request what may be sent. Never throws. `path` is that of its `Route`. */
export function editRequest(wire: WireName, path: string, body: LooseRecord, edit: RequestEdit): EditedRequest {
  const counted = wire === "gemini" ? asRecord(body["generateContentRequest"]) : undefined;
  if (counted !== undefined) return editCount(path, { body, asked: counted }, edit);
  const { body: filtered, removed } = edit.without_provider_tools
    ? PROVIDER_TOOL_FILTERS[wire](body)
    : { body, removed: [] };
  const hide_usage = wire === "chat" && body["stream"] === true && usageOption(body) !== true;
  const asked = {
    ...(edit.model === null || wire === "gemini" ? filtered : asking(edit.model, filtered)),
    ...(hide_usage ? { stream_options: { ...asRecord(body["stream_options"]), include_usage: true } } : {}),
  };
  return {
    path: edit.model === null || wire !== "gemini" ? path : withModel(path, edit.model),
    body: wire === "responses" && /^\/responses(\?|$)/.test(path) ? withoutState(asked) : asked,
    removed: [...new Set(removed)],
    refused: unreadableBody(body),
    unsupported: unsupportedIn(wire, body),
    hide_usage,
  };
}

/** Why a request cannot be read, which is the agent's own doing; null when it can. */
const unreadableBody = (body: LooseRecord): string | null =>
  isNested(body, MAX_LEVELS) ? "the request is nested deeper than abeval reads." : null;

/** Gateways ask one of the others when the first model fails, and a request can be made so that it does. */
const asking = (model: string, { models: _, fallbacks: __, ...body }: LooseRecord) => ({ ...body, model });

const usageOption = (body: LooseRecord) => asRecord(body["stream_options"])?.["include_usage"];

const withModel = (path: string, model: string) => path.replace(/\/models\/[^/:?]+:/, () => `/models/${model}:`);

interface Count {
  readonly body: LooseRecord;
  readonly asked: LooseRecord;
}

/** Gemini counts the tokens of a request within the request, which names the model once more. */
function editCount(path: string, { body, asked }: Count, edit: RequestEdit): EditedRequest {
  const inner = editRequest("gemini", path, asked, edit);
  const model = edit.model === null ? {} : { model: `models/${edit.model}` };
  return { ...inner, body: { ...body, generateContentRequest: { ...inner.body, ...model } } };
}
