import type { Message } from "../../../src/arms/model/client.ts";
import { asRecords, asText, dig, type LooseRecord, parseJson } from "../../../src/domain/lenient.ts";
import type { SeenRequest } from "../exchange.ts";
import {
  type Form,
  joinMessages,
  type Piece,
  piecesOf,
  type Seen,
  textOf,
  unnamed,
  type WholeCall,
  type WholeReply,
} from "./wire.ts";

/** OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat and /chat-streaming. */
export const chat: Form = {
  read,
  reply: (request, reply) => ({
    ...head(reply, "chat.completion"),
    choices: [{ index: 0, message: messageOf(request, reply), finish_reason: STOPS[reply.stop], logprobs: null }],
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
      name: asText(dig(tool, "function", "name") ?? dig(tool, "custom", "name")) ?? "",
      type: asText(tool["type"]) ?? "",
      description: asText(dig(tool, "function", "description") ?? dig(tool, "custom", "description")) ?? "",
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
    name: `${dig(call, "function", "name") ?? dig(call, "custom", "name")}`,
    input: dig(call, "custom", "input") ?? parseJson(`${dig(call, "function", "arguments")}`),
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

function messageOf(request: SeenRequest, { text, calls }: WholeReply): LooseRecord {
  const message = { role: "assistant", content: text === "" ? null : text, refusal: null };
  if (calls.length === 0) return message;
  return { ...message, tool_calls: calls.map((call) => kindOf(request, call).whole(textOfCall(request, call))) };
}

/** A tool that was offered as `custom` takes a text as it is, any other one takes JSON. */
const isCustom = ({ tools }: SeenRequest, { name }: WholeCall) =>
  tools.some((tool) => tool.name === name && tool.type === "custom");

const textOfCall = (request: SeenRequest, call: WholeCall): string =>
  isCustom(request, call) && typeof call.input === "string" ? call.input : call.arguments;

interface CallForm {
  readonly whole: (text: string) => LooseRecord;
  readonly more: (text: string) => LooseRecord;
}

function kindOf(request: SeenRequest, call: WholeCall): CallForm {
  const { id, name } = call;
  return isCustom(request, call)
    ? {
        whole: (input: string) => ({ id, type: "custom", custom: { name, input } }),
        more: (input: string) => ({ custom: { input } }),
      }
    : {
        whole: (text: string) => ({ id, type: "function", function: { name, arguments: text } }),
        more: (text: string) => ({ function: { arguments: text } }),
      };
}

function pieces(request: SeenRequest, reply: WholeReply): Piece[] {
  const counted = dig(request.body, "stream_options", "include_usage") === true;
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
    ...reply.calls.flatMap((call, index) => {
      const { whole, more } = kindOf(request, call);
      const parts = [whole(""), ...piecesOf(textOfCall(request, call)).map(more)];
      return parts.map((part) => delta({ tool_calls: [{ index, ...part }] }, null, true));
    }),
    delta({}, STOPS[reply.stop]),
    ...(counted ? [unnamed(chunk([], usageOf(reply)))] : []),
    unnamed("[DONE]"),
  ];
}
