import type { Message } from "../../../src/arms/model/client.ts";
import { asRecord, asRecords, asText, dig, type LooseRecord, parseJson } from "../../../src/domain/lenient.ts";
import type { SeenRequest } from "../exchange.ts";
import { openaiError } from "./chat.ts";
import { type Form, joinMessages, named, type Piece, piecesOf, type Seen, textOf, type WholeReply } from "./wire.ts";

/** OpenAI's responses: https://platform.openai.com/docs/api-reference/responses and /responses-streaming. */
export const responses: Form = {
  read,
  reply: (request, reply) => responseOf(request, reply, "completed"),
  pieces,
  error: openaiError,
  count: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
};

const INSTRUCTING: readonly unknown[] = ["system", "developer"];

function read(body: LooseRecord): Seen {
  const input = typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : body["input"];
  const items = asRecords(input);
  const instructions = items.filter(({ role }) => INSTRUCTING.includes(role)).map(({ content }) => textOf(content));
  return {
    model: asText(body["model"]) ?? "",
    stream: body["stream"] === true,
    system: [asText(body["instructions"]) ?? "", ...instructions].join("\n"),
    messages: joinMessages(items.filter(({ role }) => !INSTRUCTING.includes(role)).flatMap(readItem)),
    tools: asRecords(body["tools"]).map((tool) => ({
      name: asText(tool["name"]) ?? "",
      type: asText(tool["type"]) ?? "",
      description: asText(tool["description"]) ?? "",
      input: tool["parameters"],
    })),
    force_tool: asText(dig(body, "tool_choice", "name")),
  };
}

function readItem(item: LooseRecord): Message[] {
  const { type = "message", role, content, call_id, output, name } = item;
  switch (type) {
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ role: "tool", results: [{ call_id: `${call_id}`, ok: true, text: textOf(output) }] }];
    case "function_call":
      return [assistant({ id: `${call_id}`, name: `${name}`, input: parseJson(`${item["arguments"]}`) })];
    case "custom_tool_call":
      return [assistant({ id: `${call_id}`, name: `${name}`, input: item["input"] })];
    case "message":
      if (role === "assistant") return [{ role, text: textOf(content), calls: [] }];
      return [{ role: "user", text: textOf(content) }];
    case "agent_message":
      return [{ role: "user", text: asRecords(content).map(toldText).join("") }];
    default:
      return [];
  }
}

/** Of what one helper of Codex tells another; providers hand the task over in a form that only they can read. */
const toldText = (block: LooseRecord): string => asText(block["text"] ?? block["encrypted_content"]) ?? "";

const assistant = (call: { id: string; name: string; input: unknown }): Message => ({
  role: "assistant",
  text: "",
  calls: [call],
});

function responseOf(request: SeenRequest, reply: WholeReply, status: string): LooseRecord {
  const { usage } = reply;
  const ended = status === "completed";
  return {
    id: `resp_${reply.id}`,
    object: "response",
    created_at: 0,
    status,
    error: null,
    incomplete_details: null,
    model: reply.model,
    output: ended ? itemsOf(request, reply).map(({ item }) => item) : [],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: request.body["tools"] ?? [],
    usage: ended
      ? {
          input_tokens: usage.in,
          input_tokens_details: { cached_tokens: usage.cached },
          output_tokens: usage.out,
          output_tokens_details: { reasoning_tokens: usage.thinking },
          total_tokens: usage.in + usage.out,
        }
      : null,
  };
}

interface Item {
  readonly item: LooseRecord;
  /** How it looks when it begins. */
  readonly begun: LooseRecord;
  /** Its events between begin and end, without what every event has. */
  readonly events: readonly LooseRecord[];
  readonly call: boolean;
}

const itemsOf = (request: SeenRequest, reply: WholeReply): Item[] => [
  ...(reply.thinking === "" ? [] : [reasoningItem(reply)]),
  ...(reply.text === "" ? [] : [messageItem(reply)]),
  ...reply.calls.map((call) => callItem(request, call)),
];

function reasoningItem({ id, thinking }: WholeReply): Item {
  const begun = { id: `rs_${id}`, type: "reasoning", summary: [], encrypted_content: null };
  const part = { type: "summary_text", text: thinking };
  const at = { item_id: begun.id, summary_index: 0 };
  return {
    item: { ...begun, summary: [part], encrypted_content: "gAAAAABfake" },
    begun,
    events: [
      { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
      ...piecesOf(thinking).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
      { type: "response.reasoning_summary_text.done", ...at, text: thinking },
      { type: "response.reasoning_summary_part.done", ...at, part },
    ],
    call: false,
  };
}

function messageItem({ id, text }: WholeReply): Item {
  const begun = { id: `msg_${id}`, type: "message", status: "in_progress", role: "assistant", content: [] };
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  const at = { item_id: begun.id, content_index: 0 };
  return {
    item: { ...begun, status: "completed", content: [part] },
    begun,
    events: [
      { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
      ...piecesOf(text).map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
      { type: "response.output_text.done", ...at, text, logprobs: [] },
      { type: "response.content_part.done", ...at, part },
    ],
    call: false,
  };
}

/** A tool that was offered as `custom` takes a text as it is, any other one takes JSON. */
function callItem({ body }: SeenRequest, { id, name, input, arguments: text }: WholeReply["calls"][number]): Item {
  const offered = asRecords(body["tools"]).find((tool) => tool["name"] === name);
  const custom = asRecord(offered)?.["type"] === "custom";
  const [type, field, event] = custom
    ? (["custom_tool_call", "input", "response.custom_tool_call_input"] as const)
    : (["function_call", "arguments", "response.function_call_arguments"] as const);
  const sent = custom && typeof input === "string" ? input : text;
  const begun = {
    ...{ id: `${custom ? "ctc" : "fc"}_${id}`, type, status: "in_progress", [field]: "", call_id: id, name },
    ...namespaceOf(body, name),
  };
  const at = { item_id: begun.id };
  return {
    item: { ...begun, status: "completed", [field]: sent },
    begun,
    events: [
      ...piecesOf(sent).map((delta) => ({ type: `${event}.delta`, ...at, delta })),
      { type: `${event}.done`, ...at, [field]: sent },
    ],
    call: true,
  };
}

/** Codex offers its tools for helpers within a namespace, and takes calls of them only by it. */
function namespaceOf(body: LooseRecord, tool: string): { namespace?: unknown } {
  const around = asRecords(body["tools"]).find(({ tools }) => asRecords(tools).some(({ name }) => name === tool));
  return around ? { namespace: around["name"] } : {};
}

function pieces(request: SeenRequest, reply: WholeReply): Piece[] {
  const events: { data: LooseRecord; call: boolean }[] = [];
  const add = (type: string, data: LooseRecord, call = false) => events.push({ data: { type, ...data }, call });
  add("response.created", { response: responseOf(request, reply, "in_progress") });
  add("response.in_progress", { response: responseOf(request, reply, "in_progress") });
  for (const [output_index, { item, begun, events: inner, call }] of itemsOf(request, reply).entries()) {
    add("response.output_item.added", { output_index, item: begun }, call);
    for (const event of inner) add(`${event["type"]}`, { ...event, output_index }, call);
    add("response.output_item.done", { output_index, item }, call);
  }
  add("response.completed", { response: responseOf(request, reply, "completed") });
  return events.map(({ data, call }, sequence_number) => named(`${data["type"]}`, { ...data, sequence_number }, call));
}
