import type { OpenAI } from "openai";
import { asRecord } from "../../../domain/lenient.ts";
import type { Message, ModelRequest, ToolCall } from "../client.ts";
import { answerEveryCall } from "./unanswered-calls.ts";

type WireMessage = OpenAI.ChatCompletionMessageParam;

interface CompletionTarget {
  readonly model: string;
  /** How the server calls the limit on its output. */
  readonly limit_name: "max_tokens" | "max_completion_tokens";
}

/** Our request as a chat completion. */
export function completionParams(
  { model, limit_name }: CompletionTarget,
  request: ModelRequest,
  force_tool: string | undefined,
): OpenAI.ChatCompletionCreateParamsNonStreaming {
  const { system, params, tools } = request;
  const messages = answerEveryCall(request.messages, callIds).flatMap(toMessages);
  return {
    model,
    [limit_name]: params.max_output_tokens,
    messages: system === "" ? messages : [{ role: "system", content: system }, ...messages],
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(force_tool === undefined ? {} : { tool_choice: { type: "function", function: { name: force_tool } } }),
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(params.top_p === undefined ? {} : { top_p: params.top_p }),
  };
}

function toTool({ name, description, input }: ModelRequest["tools"][number]): OpenAI.ChatCompletionTool {
  return { type: "function", function: { name, description, parameters: input } };
}

function toMessages(message: Message): WireMessage[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.text }];
    case "assistant":
      return [toAssistant(message)];
    case "tool":
      return message.results.map(({ call_id, text }) => ({ role: "tool", tool_call_id: call_id, content: text }));
  }
}

function toAssistant(message: Extract<Message, { role: "assistant" }>): WireMessage {
  const kept = asRecord(message.raw) ?? {};
  const calls = message.calls.map(toWireCall);
  // Our reader of this provider's replies wrote `kept`, in the provider's own form.
  return {
    role: "assistant",
    content: message.text === "" && calls.length > 0 ? null : message.text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...kept,
  } as WireMessage;
}

/** Arguments that were not JSON are wrapped: some servers parse them, and would refuse the whole request. */
function toWireCall({ id, name, input, unparsed }: ToolCall): OpenAI.ChatCompletionMessageFunctionToolCall {
  const value = unparsed === undefined ? (input ?? {}) : { unparsed };
  return { id, type: "function", function: { name, arguments: JSON.stringify(value) } };
}

function callIds(message: Message): readonly string[] {
  return message.role === "assistant" ? message.calls.map(({ id }) => id) : [];
}
