import type { WireReply } from "../../src/arms/wire/wire.ts";
import type { WireName } from "../../src/domain/external-agent.ts";
import { sse } from "./streams.ts";

/** A stream, written by hand from the provider's documentation, and what it says. */
export interface Golden {
  readonly wire: WireName;
  readonly title: string;
  readonly sent: string;
  readonly reply: Omit<WireReply, "message_digest">;
}

const start = {
  type: "message_start",
  message: {
    ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5-20250929", content: [] },
    ...{ stop_reason: null, stop_sequence: null },
    usage: { input_tokens: 10, cache_creation_input_tokens: 5, cache_read_input_tokens: 100, output_tokens: 1 },
  },
};

const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];

const text_delta = (text: string) => ({ type: "text_delta", text });
const json_delta = (partial_json: string) => ({ type: "input_json_delta", partial_json });

const stop = (stop_reason: string, output_tokens: number) => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } },
  { type: "message_stop" },
];

const CLAUDE = {
  ...{ tokens_in: 115, cached_tokens: 100, cache_write_tokens: 5, model_served: "claude-sonnet-4-5-20250929" },
  ended: "whole",
  error: null,
  calls: [],
} as const;

const ANTHROPIC: readonly Golden[] = [
  {
    wire: "anthropic",
    title: "a text",
    sent: sse(
      ...[start, ...block(0, { type: "text", text: "" }, text_delta("Grüße, "), text_delta("Welt 🌍"))],
      ...[{ type: "ping" }, ...stop("end_turn", 12)],
    ),
    reply: { ...CLAUDE, text: "Grüße, Welt 🌍", tokens_out: 12, stop_reason: "end_turn" },
  },
  {
    wire: "anthropic",
    title: "thinking, a text and two calls",
    sent: sse(
      start,
      ...block(
        ...([
          0,
          { type: "thinking", thinking: "", signature: "" },
          { type: "thinking_delta", thinking: "Hm." },
        ] as const),
        { type: "signature_delta", signature: "EqQBCgIYAhIM" },
      ),
      ...block(1, { type: "text", text: "" }, text_delta("I look.")),
      ...block(
        2,
        { type: "tool_use", id: "toolu_1", name: "Bash", input: {} },
        json_delta(""),
        json_delta('{"comm'),
        json_delta('and":"ls -l"}'),
      ),
      { type: "ping" },
      ...block(3, { type: "tool_use", id: "toolu_2", name: "Now", input: {} }, json_delta("")),
      ...stop("tool_use", 89),
    ),
    reply: {
      ...CLAUDE,
      ...{ text: "I look.", tokens_out: 89, stop_reason: "tool_use" },
      calls: [
        { id: "toolu_1", name: "Bash", input: { command: "ls -l" } },
        { id: "toolu_2", name: "Now", input: {} },
      ],
    },
  },
  {
    wire: "anthropic",
    title: "a tool that the provider runs",
    sent: sse(
      start,
      ...block(
        0,
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
        json_delta('{"query":"x"}'),
      ),
      ...block(1, { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }),
      ...block(2, { type: "text", text: "" }, text_delta("Found.")),
      ...stop("end_turn", 20),
    ),
    reply: { ...CLAUDE, text: "Found.", tokens_out: 20, stop_reason: "end_turn" },
  },
  {
    wire: "anthropic",
    title: "a refusal",
    sent: sse(start, ...stop("refusal", 3)),
    reply: { ...CLAUDE, text: "", tokens_out: 3, stop_reason: "refusal" },
  },
  {
    wire: "anthropic",
    title: "an error in the stream",
    sent: sse(...[start, ...block(0, { type: "text", text: "" }, text_delta("Wait"))], {
      type: "error",
      error: { type: "overloaded_error", message: "Overloaded" },
    }),
    reply: { ...CLAUDE, text: "Wait", tokens_out: null, stop_reason: null, ended: "error", error: "Overloaded" },
  },
];

const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-5.2-2025-12-11" },
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  usage: null,
});

const chatUsage = {
  ...chunk({}),
  choices: [],
  usage: {
    ...{ prompt_tokens: 50, completion_tokens: 20, total_tokens: 70 },
    prompt_tokens_details: { cached_tokens: 40 },
  },
};

const GPT = {
  ...{ tokens_in: 50, tokens_out: 20, cached_tokens: 40, cache_write_tokens: null },
  ...{ model_served: "gpt-5.2-2025-12-11", error: null, text: "" },
  ended: "whole",
  calls: [],
} as const;

const called = (index: number, rest: object) => chunk({ tool_calls: [{ index, ...rest }] });

const CHAT: readonly Golden[] = [
  {
    wire: "chat",
    title: "a text",
    sent: sse(
      ...[
        chunk({ role: "assistant", content: "", refusal: null }),
        chunk({ content: "Grüße, " }),
        chunk({ content: "Welt 🌍" }),
      ],
      ...[chunk({}, "stop"), chatUsage, "[DONE]"],
    ),
    reply: { ...GPT, text: "Grüße, Welt 🌍", stop_reason: "stop" },
  },
  {
    wire: "chat",
    title: "reasoning and two calls, mixed",
    sent: sse(
      ...[chunk({ role: "assistant", content: null, reasoning_content: "Hm." })],
      called(0, { id: "call_1", type: "function", function: { name: "bash", arguments: "" } }),
      called(0, { function: { arguments: '{"command"' } }),
      called(1, { id: "call_2", type: "function", function: { name: "read", arguments: '{"path":' } }),
      called(0, { function: { arguments: ':"ls"}' } }),
      called(1, { function: { arguments: '"a.js"}' } }),
      ...[chunk({}, "tool_calls"), chatUsage, "[DONE]"],
    ),
    reply: {
      ...GPT,
      stop_reason: "tool_calls",
      calls: [
        { id: "call_1", name: "bash", input: { command: "ls" } },
        { id: "call_2", name: "read", input: { path: "a.js" } },
      ],
    },
  },
  {
    wire: "chat",
    title: "a call in the old form",
    sent: sse(
      chunk({ role: "assistant", content: null, function_call: { name: "bash", arguments: "" } }),
      chunk({ function_call: { arguments: '{"command":"ls"}' } }),
      ...[chunk({}, "function_call"), chatUsage, "[DONE]"],
    ),
    reply: { ...GPT, stop_reason: "function_call", calls: [{ id: null, name: "bash", input: { command: "ls" } }] },
  },
  {
    wire: "chat",
    title: "two calls that a server numbers alike",
    sent: sse(
      called(0, { id: "call_1", type: "function", function: { name: "bash", arguments: '{"command":"a"}' } }),
      called(0, { id: "call_2", type: "function", function: { name: "bash", arguments: '{"command":"b"}' } }),
      ...[chunk({}, "tool_calls"), chatUsage, "[DONE]"],
    ),
    reply: {
      ...GPT,
      stop_reason: "tool_calls",
      calls: [
        { id: "call_1", name: "bash", input: { command: "a" } },
        { id: "call_2", name: "bash", input: { command: "b" } },
      ],
    },
  },
  {
    wire: "chat",
    title: "a refusal",
    sent: sse(
      chunk({ role: "assistant", content: null }),
      chunk({ refusal: "I cannot." }),
      chunk({}, "stop"),
      chatUsage,
      "[DONE]",
    ),
    reply: { ...GPT, text: "I cannot.", stop_reason: "stop" },
  },
  {
    wire: "chat",
    title: "an error in the stream",
    sent: sse(chunk({ content: "Wait" }), { error: { message: "The server had an error", type: "server_error" } }),
    reply: {
      ...GPT,
      ...{ text: "Wait", tokens_in: null, tokens_out: null, cached_tokens: null, stop_reason: null },
      ended: "error",
      error: "The server had an error",
    },
  },
];

const response = (rest: object) => ({
  ...{ id: "resp_1", object: "response", created_at: 1, model: "gpt-5.2-codex", error: null, incomplete_details: null },
  ...{ output: [], usage: null, parallel_tool_calls: true, tools: [] },
  ...rest,
});

const responseUsage = {
  ...{ input_tokens: 300, input_tokens_details: { cached_tokens: 256 }, output_tokens: 60 },
  ...{ output_tokens_details: { reasoning_tokens: 32 }, total_tokens: 360 },
};

const begun = (rest: object = {}) => ({
  type: "response.created",
  response: response({ status: "in_progress", ...rest }),
});

const ended = (output: readonly object[]) => ({
  type: "response.completed",
  response: response({ status: "completed", output, usage: responseUsage }),
});

const added = (output_index: number, item: object) => ({ type: "response.output_item.added", output_index, item });
const done = (output_index: number, item: object) => ({ type: "response.output_item.done", output_index, item });

const message = { id: "msg_1", type: "message", role: "assistant", status: "completed" };
const output_text = (text: string) => ({ type: "output_text", text, annotations: [] });
const piece = { item_id: "msg_1", output_index: 0, content_index: 0 };

const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAAAA" };
const exec = (given: string) => ({
  ...{
    id: "fc_1",
    type: "function_call",
    status: "completed",
    call_id: "call_1",
    name: "exec_command",
    arguments: given,
  },
});
const patch = (input: string) => ({
  ...{ id: "ctc_1", type: "custom_tool_call", status: "completed", call_id: "call_2", name: "apply_patch", input },
});
const shell = {
  ...{ id: "lsh_1", type: "local_shell_call", status: "completed", call_id: "call_3" },
  action: {
    type: "exec",
    command: ["bash", "-lc", "ls"],
    env: {},
    timeout_ms: null,
    user: null,
    working_directory: null,
  },
};

const CODEX = {
  ...{ tokens_in: 300, tokens_out: 60, cached_tokens: 256, cache_write_tokens: null },
  ...{ model_served: "gpt-5.2-codex", stop_reason: "completed", error: null, text: "" },
  ended: "whole",
  calls: [],
} as const;

const RESPONSES: readonly Golden[] = [
  {
    wire: "responses",
    title: "a text",
    sent: sse(
      ...[begun(), added(0, { ...message, status: "in_progress", content: [] })],
      { type: "response.content_part.added", ...piece, part: output_text("") },
      { type: "response.output_text.delta", ...piece, delta: "Grüße, ", logprobs: [], obfuscation: "x7" },
      { type: "response.output_text.delta", ...piece, delta: "Welt 🌍", logprobs: [] },
      { type: "response.output_text.done", ...piece, text: "Grüße, Welt 🌍", logprobs: [] },
      { type: "response.content_part.done", ...piece, part: output_text("Grüße, Welt 🌍") },
      done(0, { ...message, content: [output_text("Grüße, Welt 🌍")] }),
      ended([{ ...message, content: [output_text("Grüße, Welt 🌍")] }]),
    ),
    reply: { ...CODEX, text: "Grüße, Welt 🌍" },
  },
  {
    wire: "responses",
    title: "reasoning and calls of three forms",
    sent: sse(
      ...[begun(), added(0, { ...reasoning, encrypted_content: "" }), done(0, reasoning)],
      added(1, { ...exec(""), status: "in_progress" }),
      { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: '{"cmd":' },
      { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: '"ls"}' },
      {
        type: "response.function_call_arguments.done",
        item_id: "fc_1",
        output_index: 1,
        name: "exec_command",
        arguments: '{"cmd":"ls"}',
      },
      done(1, exec('{"cmd":"ls"}')),
      added(2, { ...patch(""), status: "in_progress" }),
      { type: "response.custom_tool_call_input.delta", item_id: "ctc_1", output_index: 2, delta: "*** Begin" },
      { type: "response.custom_tool_call_input.delta", item_id: "ctc_1", output_index: 2, delta: " Patch" },
      { type: "response.custom_tool_call_input.done", item_id: "ctc_1", output_index: 2, input: "*** Begin Patch" },
      done(2, patch("*** Begin Patch")),
      ...[added(3, { ...shell, status: "in_progress" }), done(3, shell)],
      ended([reasoning, exec('{"cmd":"ls"}'), patch("*** Begin Patch"), shell]),
    ),
    reply: {
      ...CODEX,
      calls: [
        { id: "call_1", name: "exec_command", input: { cmd: "ls" } },
        { id: "call_2", name: "apply_patch", input: "*** Begin Patch" },
        { id: "call_3", name: "local_shell", input: shell.action },
      ],
    },
  },
  {
    wire: "responses",
    title: "two calls that a gateway numbers alike",
    sent: sse(
      ...[begun(), added(0, { ...exec(""), id: undefined }), done(0, { ...exec('{"cmd":"ls"}'), id: undefined })],
      ...[added(0, patch("")), done(0, patch("*** Begin Patch"))],
      ended([reasoning, exec('{"cmd":"ls"}'), patch("*** Begin Patch")]),
    ),
    reply: {
      ...CODEX,
      calls: [
        { id: "call_1", name: "exec_command", input: { cmd: "ls" } },
        { id: "call_2", name: "apply_patch", input: "*** Begin Patch" },
      ],
    },
  },
  {
    wire: "responses",
    title: "a refusal",
    sent: sse(
      ...[begun(), added(0, { ...message, content: [] })],
      { type: "response.content_part.added", ...piece, part: { type: "refusal", refusal: "" } },
      { type: "response.refusal.delta", ...piece, delta: "I cannot." },
      { type: "response.refusal.done", ...piece, refusal: "I cannot." },
      ended([{ ...message, content: [{ type: "refusal", refusal: "I cannot." }] }]),
    ),
    reply: { ...CODEX, text: "I cannot." },
  },
  {
    wire: "responses",
    title: "an incomplete response",
    sent: sse(begun(), {
      type: "response.incomplete",
      response: response({
        ...{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, usage: responseUsage },
        output: [{ ...message, status: "incomplete", content: [output_text("Half")] }],
      }),
    }),
    reply: { ...CODEX, text: "Half", stop_reason: "max_output_tokens" },
  },
  {
    wire: "responses",
    title: "a response that failed",
    sent: sse(begun(), {
      type: "response.failed",
      response: response({ status: "failed", error: { code: "server_error", message: "The model failed" } }),
    }),
    reply: {
      ...CODEX,
      ...{ tokens_in: null, tokens_out: null, cached_tokens: null, stop_reason: null },
      ended: "error",
      error: "The model failed",
    },
  },
  {
    wire: "responses",
    title: "an error in the stream",
    sent: sse(begun(), { type: "error", code: "rate_limit_exceeded", message: "Slow down", param: null }),
    reply: {
      ...CODEX,
      ...{ tokens_in: null, tokens_out: null, cached_tokens: null, stop_reason: null },
      ended: "error",
      error: "Slow down",
    },
  },
];

const generated = (parts: readonly object[] | undefined, rest: object = {}) => ({
  candidates: [{ content: { ...(parts && { parts }), role: "model" }, index: 0, ...rest }],
  usageMetadata: {
    ...{ promptTokenCount: 70, cachedContentTokenCount: 64, toolUsePromptTokenCount: 5 },
    ...{ candidatesTokenCount: 11, thoughtsTokenCount: 30, totalTokenCount: 116 },
  },
  ...{ modelVersion: "gemini-2.5-pro", responseId: "r1" },
});

const GEMINI_REPLY = {
  ...{ tokens_in: 75, tokens_out: 41, cached_tokens: 64, cache_write_tokens: null },
  ...{ model_served: "gemini-2.5-pro", stop_reason: "STOP", error: null, text: "" },
  ended: "whole",
  calls: [],
} as const;

const GEMINI: readonly Golden[] = [
  {
    wire: "gemini",
    title: "thoughts and a text",
    sent: sse(
      generated([{ text: "Hm.", thought: true }]),
      generated([{ text: "Grüße, " }]),
      generated([{ text: "Welt 🌍" }], { finishReason: "STOP" }),
    ),
    reply: { ...GEMINI_REPLY, text: "Grüße, Welt 🌍" },
  },
  {
    wire: "gemini",
    title: "parallel calls without ids",
    sent: sse(
      generated([
        { text: "I look." },
        { functionCall: { name: "run_shell_command", args: { command: "ls" } }, thoughtSignature: "Cs4C" },
      ]),
      generated([
        { functionCall: { name: "run_shell_command", args: { command: "pwd" } } },
        { functionCall: { name: "now" } },
      ]),
      generated(undefined, { finishReason: "STOP" }),
    ),
    reply: {
      ...GEMINI_REPLY,
      text: "I look.",
      calls: [
        { id: null, name: "run_shell_command", input: { command: "ls" } },
        { id: null, name: "run_shell_command", input: { command: "pwd" } },
        { id: null, name: "now", input: {} },
      ],
    },
  },
  {
    wire: "gemini",
    title: "a prompt that is blocked",
    sent: sse({
      promptFeedback: { blockReason: "SAFETY" },
      usageMetadata: { promptTokenCount: 9 },
      modelVersion: "gemini-2.5-pro",
    }),
    reply: { ...GEMINI_REPLY, tokens_in: 9, tokens_out: 0, cached_tokens: 0, stop_reason: "SAFETY" },
  },
  {
    wire: "gemini",
    title: "an error in the stream",
    sent: sse(generated([{ text: "Wait" }]), {
      error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" },
    }),
    reply: {
      ...GEMINI_REPLY,
      text: "Wait",
      tokens_out: null,
      stop_reason: null,
      ended: "error",
      error: "The model is overloaded.",
    },
  },
];

export const GOLDEN: readonly Golden[] = [...ANTHROPIC, ...CHAT, ...RESPONSES, ...GEMINI];
