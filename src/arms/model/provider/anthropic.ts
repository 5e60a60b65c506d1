import { Anthropic } from "@anthropic-ai/sdk";
import { asId } from "../../../domain/as-id.ts";
import { asName, asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { version } from "../../../runtime/version.ts";
import { anthropicUsage, wholeUsage } from "../../wire/usage.ts";
import type { Message, ModelClient, ModelReply, ModelRequest, ToolCall, ToolSpec } from "../client.ts";
import type { Endpoint } from "../credentials.ts";
import { splitModelRef } from "../model-ref.ts";
import { fetchOfCall, forCall, SDK_RETRIES, SDK_TIMEOUT_MS, type Transport } from "../provider-call.ts";
import { revealed } from "./extra-headers.ts";
import { providerModel } from "./provider-model.ts";
import { answerEveryCall } from "./unanswered-calls.ts";

/** A model over Anthropic's messages interface. */
export function anthropicModel(ref: string, sdk: Anthropic, transport: Transport): ModelClient {
  const { model } = splitModelRef(ref);
  return providerModel(
    ref,
    {
      send: (request, call, force_tool) =>
        sdk.messages.create(messageParams(model, request, force_tool), {
          signal: call.signal,
          fetchOptions: forCall(call),
          // The SDK refuses requests that may take longer than ten minutes, unless a timeout is given.
          timeout: SDK_TIMEOUT_MS,
          headers: versionHeaders(request),
        }),
      read: readMessage,
      APIError: Anthropic.APIError,
    },
    transport,
  );
}

/**
 * The version of the interface that the SDK speaks refuses sampling parameters for every model. The version before takes
 * them for the models that have them, and names the parameter that another model refuses.
 */
function versionHeaders({ params }: ModelRequest): Record<string, string> {
  const sampled = params.temperature !== undefined || params.top_p !== undefined;
  return sampled ? { "anthropic-version": "2023-06-01" } : {};
}

/** The SDK's client for an endpoint. Every option is given, so that it looks nothing up in the environment. */
export function anthropicSdk({ base_url, base_url_overridden, key, extra }: Endpoint): Anthropic {
  return new Anthropic({
    // The SDK adds /v1 itself.
    baseURL: base_url.replace(/\/+$/, "").replace(/\/v1$/, ""),
    // The SDK searches the machine for credentials when it is given no key. A null header keeps this one from the wire.
    apiKey: key?.reveal() ?? "none",
    webhookKey: null,
    fetch: fetchOfCall,
    maxRetries: SDK_RETRIES,
    // A redirect could carry the key to another host, and turns a POST into a GET.
    fetchOptions: { redirect: "manual" },
    logLevel: "off",
    openTelemetry: false,
    defaultHeaders: {
      "user-agent": `abeval/${version}`,
      ...(key === null ? { authorization: null } : {}),
      // The SDK sends the key as a bearer token. Gateways made for earlier clients look for it here.
      ...(key !== null && base_url_overridden ? { "x-api-key": key.reveal() } : {}),
      ...revealed(extra),
    },
  });
}

type Block = Anthropic.ContentBlockParam;

/** The next turn begins with the same text up to here and reads it from the cache. */
const CACHED = { cache_control: { type: "ephemeral" } } as const;

/** Our request as Anthropic's. The tools, the system prompt and the last message end in cache breakpoints. */
function messageParams(
  model: string,
  request: ModelRequest,
  force_tool: string | undefined,
): Anthropic.MessageCreateParamsNonStreaming {
  const { system, params, tools } = request;
  return {
    model,
    max_tokens: params.max_output_tokens,
    messages: withBreakpoint(answerEveryCall(request.messages, callIds).flatMap(toMessage)),
    ...(system === "" ? {} : { system: [{ type: "text", text: system, ...CACHED }] }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(force_tool === undefined ? {} : { tool_choice: { type: "tool", name: force_tool } }),
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(params.top_p === undefined ? {} : { top_p: params.top_p }),
  };
}

function toTool({ name, description, input }: ToolSpec, index: number, tools: readonly ToolSpec[]): Anthropic.Tool {
  const last = index === tools.length - 1;
  return { name, description, input_schema: { ...input, type: "object" }, ...(last ? CACHED : {}) };
}

/** Anthropic refuses empty text and empty turns, so they are left out. It allows two turns of one role in a row. */
function toMessage(message: Message): readonly Anthropic.MessageParam[] {
  const content = toBlocks(message);
  return content.length === 0 ? [] : [{ role: message.role === "assistant" ? "assistant" : "user", content }];
}

function toBlocks(message: Message): Block[] {
  switch (message.role) {
    case "user":
      return textBlocks(message.text);
    case "assistant":
      return rawBlocks(message) ?? [...textBlocks(message.text), ...message.calls.map(toToolUse)];
    case "tool":
      return message.results.map(({ call_id, ok, text }) => ({
        type: "tool_result",
        tool_use_id: call_id,
        ...(text === "" ? {} : { content: text }),
        ...(ok ? {} : { is_error: true }),
      }));
  }
}

/** A turn as Anthropic sent it. Thinking blocks are signed and must go back unchanged, in their places. */
function rawBlocks(message: Message): Block[] | undefined {
  if (message.role !== "assistant" || !Array.isArray(message.raw)) return undefined;
  // The provider sent this as content and takes it back as content.
  return message.raw.length === 0 ? undefined : (message.raw as Block[]);
}

function callIds(message: Message): readonly string[] {
  if (message.role !== "assistant") return [];
  const raw = rawBlocks(message);
  if (raw === undefined) return message.calls.map(({ id }) => id);
  return asRecords(raw).flatMap(({ type, id }) => (type === "tool_use" ? (asText(id) ?? []) : []));
}

function textBlocks(text: string): Block[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function toToolUse({ id, name, input, unparsed }: ToolCall): Block {
  return { type: "tool_use", id, name, input: unparsed === undefined ? (input ?? {}) : { unparsed } };
}

function withBreakpoint(messages: readonly Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const last = messages.at(-1);
  // The model's own blocks must go back unchanged, so only our message is marked.
  if (last?.role !== "user" || typeof last.content === "string") return [...messages];
  const content = last.content.map((block, index, all) => (index === all.length - 1 ? { ...block, ...CACHED } : block));
  return [...messages.slice(0, -1), { ...last, content }];
}

/** A reply of Anthropic's messages interface; undefined when it is none. */
function readMessage(body: unknown): ModelReply | undefined {
  const content = dig(body, "content");
  if (!Array.isArray(content)) return undefined;
  const blocks = asRecords(content);
  const calls = blocks.filter(({ type }) => type === "tool_use").map(toCall);
  const stop_reason = asName(dig(body, "stop_reason")) ?? "unknown";
  const stop = stopOf(stop_reason, calls.length);
  return {
    text: blocks.map(({ type, text }) => (type === "text" ? (asText(text) ?? "") : "")).join(""),
    calls: stop === "context_overflow" ? [] : calls,
    stop,
    stop_reason,
    ...wholeUsage(anthropicUsage(dig(body, "usage"))),
    model_served: asName(dig(body, "model")) ?? null,
    raw: content.map(asSentBack),
  };
}

function toCall({ id, name, input }: LooseRecord, index: number): ToolCall {
  return { id: asId(id) ?? `call_${index + 1}`, name: asName(name) ?? "", input };
}

/** A block of a turn as it came, but for the name and the id of a call, which every later request would repeat. */
function asSentBack(block: unknown): unknown {
  const { type, id, name } = asRecord(block) ?? {};
  if (type !== "tool_use") return block;
  return { ...Object(block), ...(id != null && { id: asId(id) }), ...(name != null && { name: asName(name) }) };
}

function stopOf(reason: string, calls: number): ModelReply["stop"] {
  switch (reason) {
    case "max_tokens":
      return "output_limit";
    case "model_context_window_exceeded":
      return "context_overflow";
    case "refusal":
      return "refusal";
    default:
      return calls > 0 ? "calls" : "end";
  }
}
