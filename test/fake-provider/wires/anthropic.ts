import type { Message, ToolResult } from "../../../src/arms/model/client.ts";
import { asRecords, asText, dig, type LooseRecord } from "../../../src/domain/lenient.ts";
import type { SeenRequest } from "../exchange.ts";
import { type Form, named, type Piece, piecesOf, type Seen, textOf, type WholeReply } from "./wire.ts";

/** Anthropic's messages: https://docs.anthropic.com/en/api/messages and /messages-streaming. */
export const anthropic: Form = {
  read,
  reply: (_, reply) => ({ ...head(reply), content: contentOf(reply), ...stopOf(reply), usage: usageOf(reply) }),
  pieces,
  error: (status, message) => ({
    type: "error",
    error: { type: ERRORS[status] ?? "api_error", message },
    request_id: "req_fake",
  }),
  count: (tokens) => ({ input_tokens: tokens }),
};

const ERRORS: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

const STOPS = {
  end: "end_turn",
  calls: "tool_use",
  output_limit: "max_tokens",
  context_overflow: "model_context_window_exceeded",
  refusal: "refusal",
} as const;

function read(body: LooseRecord): Seen {
  return {
    model: asText(body["model"]) ?? "",
    stream: body["stream"] === true,
    system: textOf(body["system"]),
    messages: asRecords(body["messages"]).flatMap(readMessage),
    tools: asRecords(body["tools"]).map((tool) => ({
      name: asText(tool["name"]) ?? "",
      type: asText(tool["type"]) ?? "custom",
      description: asText(tool["description"]) ?? "",
      input: tool["input_schema"],
    })),
    force_tool: asText(dig(body, "tool_choice", "name")),
  };
}

function readMessage({ role, content }: LooseRecord): Message[] {
  const blocks = asRecords(content);
  if (role === "assistant") {
    const calls = blocks.filter(({ type }) => type === "tool_use");
    return [
      {
        role,
        text: textOf(content),
        calls: calls.map(({ id, name, input }) => ({ id: `${id}`, name: `${name}`, input })),
      },
    ];
  }
  const results = blocks.filter(({ type }) => type === "tool_result").map(readResult);
  const text = textOf(content);
  return [
    ...(results.length > 0 ? [{ role: "tool" as const, results }] : []),
    ...(text !== "" ? [{ role: "user" as const, text }] : []),
  ];
}

function readResult({ tool_use_id, content, is_error }: LooseRecord): ToolResult {
  return { call_id: `${tool_use_id}`, ok: is_error !== true, text: textOf(content) };
}

const head = ({ id, model }: WholeReply) => ({ id: `msg_${id}`, type: "message", role: "assistant", model });

const stopOf = ({ stop }: WholeReply) => ({ stop_reason: STOPS[stop], stop_sequence: null });

const usageOf = ({ usage }: WholeReply) => ({
  input_tokens: usage.in - usage.cached - usage.written,
  cache_creation_input_tokens: usage.written,
  cache_read_input_tokens: usage.cached,
  output_tokens: usage.out,
});

type Block =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

const contentOf = ({ thinking, text, calls }: WholeReply): Block[] => [
  ...(thinking === "" ? [] : [{ type: "thinking" as const, thinking, signature: SIGNATURE }]),
  ...(text === "" ? [] : [{ type: "text" as const, text }]),
  ...calls.map(({ id, name, input }) => ({ type: "tool_use" as const, id, name, input })),
];

/** Real ones are long; agents must send them back unchanged. */
const SIGNATURE = "EqQBCkYIBRgCKkBmYWtl";

function pieces(_: SeenRequest, reply: WholeReply): Piece[] {
  const start = { ...head(reply), content: [], stop_reason: null, stop_sequence: null };
  const usage = { ...usageOf(reply), output_tokens: 1 };
  return [
    named("message_start", { type: "message_start", message: { ...start, usage } }),
    named("ping", { type: "ping" }),
    ...contentOf(reply).flatMap(blockPieces),
    named("message_delta", { type: "message_delta", delta: stopOf(reply), usage: usageOf(reply) }),
    named("message_stop", { type: "message_stop" }),
  ];
}

function blockPieces(block: Block, index: number): Piece[] {
  const call = block.type === "tool_use";
  const delta = (change: LooseRecord) =>
    named("content_block_delta", { type: "content_block_delta", index, delta: change }, call);
  const [content_block, deltas] = openBlock(block);
  return [
    named("content_block_start", { type: "content_block_start", index, content_block }, call),
    ...deltas.map(delta),
    named("content_block_stop", { type: "content_block_stop", index }, call),
  ];
}

function openBlock(block: Block): [LooseRecord, LooseRecord[]] {
  if (block.type === "thinking") {
    const deltas = piecesOf(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
    const signature = { type: "signature_delta", signature: block.signature };
    return [{ ...block, thinking: "", signature: "" }, [...deltas, signature]];
  }
  if (block.type === "text") {
    return [{ type: "text", text: "" }, piecesOf(block.text).map((text) => ({ type: "text_delta", text }))];
  }
  const input = ["", ...piecesOf(JSON.stringify(block.input))];
  return [{ ...block, input: {} }, input.map((partial_json) => ({ type: "input_json_delta", partial_json }))];
}
