import { OpenAI } from "openai";
import { asId } from "../../../domain/as-id.ts";
import { asName, asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { version } from "../../../runtime/version.ts";
import { chatUsage, wholeUsage } from "../../wire/usage.ts";
import { callInput, textIn } from "../../wire/wire.ts";
import type { Message, ModelClient, ModelReply, ModelRequest, ToolCall } from "../client.ts";
import type { Endpoint } from "../credentials.ts";
import { splitModelRef } from "../model-ref.ts";
import { fetchOfCall, forCall, SDK_RETRIES, SDK_TIMEOUT_MS, type Transport } from "../provider-call.ts";
import { revealed } from "./extra-headers.ts";
import { providerModel } from "./provider-model.ts";
import { answerEveryCall } from "./unanswered-calls.ts";

/** A model over OpenAI's chat completions. */
export function openaiModel(ref: string, sdk: OpenAI, transport: Transport): ModelClient {
  const { provider, model } = splitModelRef(ref);
  // OpenAI's own models refuse the old name. Most other servers do not know the new one.
  const limit_name = provider === "openai" ? "max_completion_tokens" : "max_tokens";
  return providerModel(
    ref,
    {
      send: (request, call, force_tool) =>
        sdk.chat.completions.create(completionParams({ model, limit_name }, request, force_tool), {
          signal: call.signal,
          fetchOptions: forCall(call),
          timeout: SDK_TIMEOUT_MS,
        }),
      read: readCompletion,
      APIError: OpenAI.APIError,
    },
    transport,
  );
}

/** The SDK's client for an endpoint. Every option is given, so that it looks nothing up in the environment. */
export function openaiSdk({ base_url, key, extra }: Endpoint): OpenAI {
  return new OpenAI({
    baseURL: base_url.replace(/\/+$/, ""),
    // The SDK demands a key. A null header keeps this one from the wire.
    apiKey: key?.reveal() ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    fetch: fetchOfCall,
    maxRetries: SDK_RETRIES,
    // A redirect could carry the key to another host, and turns a POST into a GET.
    fetchOptions: { redirect: "manual" },
    logLevel: "off",
    defaultHeaders: {
      "user-agent": `abeval/${version}`,
      ...(key === null ? { authorization: null } : {}),
      ...revealed(extra),
    },
  });
}

type WireMessage = OpenAI.ChatCompletionMessageParam;

interface CompletionTarget {
  readonly model: string;
  /** How the server calls the limit on its output. */
  readonly limit_name: "max_tokens" | "max_completion_tokens";
}

/** Our request as a chat completion. */
function completionParams(
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

/** A chat completion; undefined when it is none. */
function readCompletion(body: unknown): ModelReply | undefined {
  const choice = asRecords(dig(body, "choices"))[0];
  const message = asRecord(dig(choice, "message"));
  const stop_reason = asName(dig(choice, "finish_reason")) ?? "unknown";
  if (message === undefined || stop_reason === "error") return undefined;
  const { content, refusal, tool_calls } = message;
  const calls = asRecords(tool_calls).map(toCall);
  const text = textIn(content);
  const refused = text === "" ? (asText(refusal) ?? "") : "";
  return {
    text: text + refused,
    calls,
    stop: stopOf(stop_reason, { calls: calls.length, refused: refused !== "" }),
    stop_reason,
    ...wholeUsage(chatUsage(dig(body, "usage"))),
    model_served: asName(dig(body, "model")) ?? null,
    raw: calls.length === 0 ? {} : keep(message, calls),
  };
}

/** Some local servers leave out the id. */
function toCall(call: LooseRecord, index: number): ToolCall {
  const id = asId(dig(call, "id")) || `call_${index + 1}`;
  const name = asName(dig(call, "function", "name")) ?? "";
  return { id, name, ...callInput(dig(call, "function", "arguments")) };
}

function stopOf(reason: string, found: { readonly calls: number; readonly refused: boolean }): ModelReply["stop"] {
  if (reason === "length") return "output_limit";
  if (reason === "content_filter" || found.refused) return "refusal";
  // Servers differ in whether a turn with calls says `tool_calls` or `stop`: the calls themselves decide.
  return found.calls > 0 ? "calls" : "end";
}

/**
 * What must go back unchanged with the results of tool calls: the reasoning that some providers demand, and calls with the
 * signatures that Google puts into them. Some servers refuse other fields as input.
 */
function keep({ tool_calls, reasoning_content, reasoning_details }: LooseRecord, calls: readonly ToolCall[]) {
  const sound = asRecords(tool_calls).every((call, index) => isSound(call, calls[index]));
  return {
    ...(sound ? { tool_calls } : {}),
    ...(reasoning_content == null ? {} : { reasoning_content }),
    ...(reasoning_details == null ? {} : { reasoning_details }),
  };
}

/** A call that can be sent back as it came. */
function isSound(wire: LooseRecord, call: ToolCall | undefined): boolean {
  const isNamed = dig(wire, "id") === call?.id && (asText(dig(wire, "function", "name")) ?? "") === call?.name;
  const complete = isNamed && dig(wire, "type") === "function";
  return complete && typeof dig(wire, "function", "arguments") === "string" && call?.unparsed === undefined;
}
