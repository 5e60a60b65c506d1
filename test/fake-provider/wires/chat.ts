import { asRecords, asText, dig, type LooseRecord, parseJson } from "../../../src/domain/lenient.ts";
import type { Message } from "../../../src/model/client.ts";
import type { SeenRequest } from "../exchange.ts";
import { type Form, joinMessages, type Piece, piecesOf, type Seen, textOf, unnamed, type WholeReply } from "./wire.ts";

/** OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat and /chat-streaming. */
export const chat: Form = {
  read,
  reply: (_, reply) => ({
    ...head(reply, "chat.completion"),
    choices: [{ index: 0, message: messageOf(reply), finish_reason: STOPS[reply.stop], logprobs: null }],
    usage: usageOf(reply),
  }),
  pieces,
  error: openaiError,
  count: (tokens) => ({ input_tokens: tokens }),
};

export function openaiError(status: number, message: string): LooseRecord {
  const code = status === 404 ? "model_not_found" : status === 401 ? "invalid_api_key" : null;
  const type = status >= 500 ? "server_error" : status === 429 ? "rate_limit_exceeded" : "invalid_request_error";
  return { error: { message, type, param: null, code } };
}

const STOPS = {
  end: "stop",
  calls: "tool_calls",
  output_limit: "length",
  context_overflow: "length",
  refusal: "content_filter",
} as const;

const INSTRUCTING: readonly unknown[] = ["system", "developer"];

function read(body: LooseRecord): Seen {
  const messages = asRecords(body["messages"]);
  return {
    model: asText(body["model"]) ?? "",
    stream: body["stream"] === true,
    system: messages
      .filter(({ role }) => INSTRUCTING.includes(role))
      .map(({ content }) => textOf(content))
      .join("\n"),
    messages: joinMessages(messages.filter(({ role }) => !INSTRUCTING.includes(role)).map(readMessage)),
    tools: asRecords(body["tools"]).map((tool) => ({
      name: asText(dig(tool, "function", "name")) ?? "",
      type: asText(tool["type"]) ?? "",
      description: asText(dig(tool, "function", "description")) ?? "",
      input: dig(tool, "function", "parameters"),
    })),
    force_tool: asText(dig(body, "tool_choice", "function", "name")),
  };
}

function readMessage({ role, content, tool_calls, tool_call_id }: LooseRecord): Message {
  if (role === "tool") return { role, results: [{ call_id: `${tool_call_id}`, ok: true, text: textOf(content) }] };
  if (role === "user") return { role, text: textOf(content) };
  const calls = asRecords(tool_calls).map((call) => ({
    id: `${dig(call, "id")}`,
    name: `${dig(call, "function", "name")}`,
    input: parseJson(`${dig(call, "function", "arguments")}`),
  }));
  return { role: "assistant", text: textOf(content), calls };
}

const head = ({ id, model }: WholeReply, object: string) => ({ id: `chatcmpl-${id}`, object, created: 0, model });

const usageOf = ({ usage }: WholeReply) => ({
  prompt_tokens: usage.in,
  completion_tokens: usage.out,
  total_tokens: usage.in + usage.out,
  prompt_tokens_details: { cached_tokens: usage.cached },
  completion_tokens_details: { reasoning_tokens: usage.thinking },
});

function messageOf({ text, calls }: WholeReply): LooseRecord {
  const message = { role: "assistant", content: text === "" ? null : text, refusal: null };
  return calls.length === 0 ? message : { ...message, tool_calls: calls.map((call) => toolCall(call, call.arguments)) };
}

const toolCall = ({ id, name }: WholeReply["calls"][number], text: string) => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

function pieces({ body }: SeenRequest, reply: WholeReply): Piece[] {
  const counted = dig(body, "stream_options", "include_usage") === true;
  const chunk = (choices: readonly LooseRecord[], usage: LooseRecord | null = null) => ({
    ...head(reply, "chat.completion.chunk"),
    choices,
    ...(counted ? { usage } : {}),
  });
  const delta = (change: LooseRecord, finish_reason: string | null = null, call = false) =>
    unnamed(chunk([{ index: 0, delta: change, logprobs: null, finish_reason }]), call);
  return [
    delta({ role: "assistant", content: reply.calls.length > 0 && reply.text === "" ? null : "", refusal: null }),
    ...piecesOf(reply.text).map((content) => delta({ content })),
    ...reply.calls.flatMap((call, index) => [
      delta({ tool_calls: [{ index, ...toolCall(call, "") }] }, null, true),
      ...piecesOf(call.arguments).map((text) =>
        delta({ tool_calls: [{ index, function: { arguments: text } }] }, null, true),
      ),
    ]),
    delta({}, STOPS[reply.stop]),
    ...(counted ? [unnamed(chunk([], usageOf(reply)))] : []),
    unnamed("[DONE]"),
  ];
}
