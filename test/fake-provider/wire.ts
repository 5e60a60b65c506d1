import { asRecord, asRecords, asText, dig, type LooseRecord, parseJson } from "../../src/domain/lenient.ts";
import type { Message, ToolResult } from "../../src/model/client.ts";
import type { FakeReply, SeenRequest, Wire } from "./exchange.ts";

export const PATHS: Readonly<Record<string, Wire>> = {
  "/v1/messages": "anthropic",
  "/v1/chat/completions": "openai",
};

type Seen = Pick<SeenRequest, "model" | "system" | "messages" | "tools" | "force_tool">;

/** What a request says, read as a provider of that wire format would. */
export function readRequest(wire: Wire, body: LooseRecord): Seen {
  return wire === "anthropic" ? readAnthropic(body) : readOpenai(body);
}

/** An answer in that wire format. */
export function writeReply(wire: Wire, request: SeenRequest, reply: FakeReply): LooseRecord {
  return wire === "anthropic" ? writeAnthropic(request, reply) : writeOpenai(request, reply);
}

function readAnthropic(body: LooseRecord): Seen {
  return {
    model: asText(dig(body, "model")) ?? "",
    system: textOf(dig(body, "system")),
    messages: asRecords(dig(body, "messages")).flatMap(readAnthropicMessage),
    tools: asRecords(dig(body, "tools")).map((tool) => ({
      name: asText(dig(tool, "name")) ?? "",
      description: asText(dig(tool, "description")) ?? "",
      input: dig(tool, "input_schema"),
    })),
    force_tool: asText(dig(body, "tool_choice", "name")),
  };
}

function readAnthropicMessage({ role, content }: LooseRecord): Message[] {
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
  const results = blocks.filter(({ type }) => type === "tool_result").map(readToolResult);
  const text = textOf(content);
  return [
    ...(results.length > 0 ? [{ role: "tool" as const, results }] : []),
    ...(text !== "" ? [{ role: "user" as const, text }] : []),
  ];
}

function readToolResult({ tool_use_id, content, is_error }: LooseRecord): ToolResult {
  return { call_id: `${tool_use_id}`, ok: is_error !== true, text: textOf(content) };
}

function readOpenai(body: LooseRecord): Seen {
  const messages = asRecords(dig(body, "messages"));
  return {
    model: asText(dig(body, "model")) ?? "",
    system: messages
      .filter(({ role }) => role === "system")
      .map(({ content }) => textOf(content))
      .join("\n"),
    messages: joinResults(messages.filter(({ role }) => role !== "system").map(readOpenaiMessage)),
    tools: asRecords(dig(body, "tools")).map((tool) => ({
      name: asText(dig(tool, "function", "name")) ?? "",
      description: asText(dig(tool, "function", "description")) ?? "",
      input: dig(tool, "function", "parameters"),
    })),
    force_tool: asText(dig(body, "tool_choice", "function", "name")),
  };
}

function readOpenaiMessage({ role, content, tool_calls, tool_call_id }: LooseRecord): Message {
  if (role === "tool") return { role, results: [{ call_id: `${tool_call_id}`, ok: true, text: textOf(content) }] };
  if (role === "user") return { role, text: textOf(content) };
  const calls = asRecords(tool_calls).map((call) => ({
    id: `${dig(call, "id")}`,
    name: `${dig(call, "function", "name")}`,
    input: parseJson(`${dig(call, "function", "arguments")}`),
  }));
  return { role: "assistant", text: textOf(content), calls };
}

/** This wire format has one message for each result. */
function joinResults(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const continues = message.role === "tool" && last?.role === "tool";
    if (continues) joined[joined.length - 1] = { role: "tool", results: [...last.results, ...message.results] };
    else joined.push(message);
  }
  return joined;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return asRecords(content)
    .map(({ text }) => asText(text) ?? "")
    .join("");
}

const ANTHROPIC_STOPS = {
  end: "end_turn",
  calls: "tool_use",
  output_limit: "max_tokens",
  context_overflow: "model_context_window_exceeded",
  refusal: "refusal",
} as const;

const OPENAI_STOPS = {
  end: "stop",
  calls: "tool_calls",
  output_limit: "length",
  context_overflow: "length",
  refusal: "content_filter",
} as const;

function writeAnthropic(request: SeenRequest, reply: FakeReply): LooseRecord {
  const { text = "", calls = [], stop = defaultStop(reply), usage = usageOf(request, reply) } = reply;
  const { in: all, out, cached = 0, written = 0 } = usage;
  return {
    id: `msg_${request.index}`,
    type: "message",
    role: "assistant",
    model: reply.model ?? request.model,
    content: [
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...calls.map(({ id, name, input }, i) => ({ type: "tool_use", id: id ?? callId(request, i), name, input })),
    ],
    stop_reason: ANTHROPIC_STOPS[stop],
    stop_sequence: null,
    usage: {
      input_tokens: all - cached - written,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: cached,
      output_tokens: out,
    },
  };
}

function writeOpenai(request: SeenRequest, reply: FakeReply): LooseRecord {
  const { text = "", calls = [], stop = defaultStop(reply), usage = usageOf(request, reply) } = reply;
  const tool_calls = calls.map(({ id, name, input, arguments: raw }, i) => ({
    id: id ?? callId(request, i),
    type: "function",
    function: { name, arguments: raw ?? JSON.stringify(input) },
  }));
  const message = { role: "assistant", content: text === "" ? null : text, refusal: null };
  return {
    id: `chatcmpl-${request.index}`,
    object: "chat.completion",
    created: 0,
    model: reply.model ?? request.model,
    choices: [
      {
        index: 0,
        message: calls.length === 0 ? message : { ...message, tool_calls },
        finish_reason: OPENAI_STOPS[stop],
        logprobs: null,
      },
    ],
    usage: {
      prompt_tokens: usage.in,
      completion_tokens: usage.out,
      total_tokens: usage.in + usage.out,
      prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
    },
  };
}

function defaultStop({ calls = [] }: FakeReply): keyof typeof ANTHROPIC_STOPS {
  return calls.length > 0 ? "calls" : "end";
}

function usageOf({ body }: SeenRequest, reply: FakeReply): NonNullable<FakeReply["usage"]> {
  const out = JSON.stringify([reply.text, reply.calls]).length;
  return { in: Math.ceil(JSON.stringify(body).length / 4), out: Math.ceil(out / 4) };
}

function callId({ index }: SeenRequest, call: number): string {
  return `call_${index}_${call}`;
}

export function parseBody(text: string): LooseRecord | undefined {
  return asRecord(parseJson(text));
}
