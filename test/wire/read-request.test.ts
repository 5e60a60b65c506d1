import { expect, test } from "bun:test";
import { readRequest } from "../../src/arms/wire/read-request.ts";
import { messageDigest, type Part } from "../../src/arms/wire/request/message.ts";
import { CallInputs } from "../../src/arms/wire/wire.ts";
import type { WireName } from "../../src/domain/external-agent.ts";
import type { LooseRecord } from "../../src/domain/lenient.ts";

const PATHS = {
  anthropic: "/v1/messages",
  chat: "/chat/completions",
  responses: "/responses",
  gemini: "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
} as const;

const read = (wire: WireName, body: LooseRecord) => readRequest(wire, PATHS[wire], body);

const said = (role: string, ...parts: Part[]) => messageDigest({ role, parts }, new CallInputs());

const text = (said: string): Part => ({ kind: "text", text: said });

const call = (name: string, input: unknown): Part => ({ kind: "call", call: { id: null, name, input } });

const result = (said: string): Part => ({
  kind: "result",
  result: { call_id: null, name: null, text: said, is_error: null },
});

test("anthropic: a conversation with two calls and their results", () => {
  const body = {
    model: "claude-sonnet-4-5",
    stream: true,
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    tools: [{ name: "Bash", input_schema: { type: "object" } }],
    messages: [
      { role: "user", content: "Fix it." },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "x" },
          { type: "text", text: "I look." },
          { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls" } },
          { type: "tool_use", id: "toolu_2", name: "Bash", input: { command: "pwd" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: "a.js" },
          { type: "tool_result", tool_use_id: "toolu_2", content: [{ type: "text", text: "no" }], is_error: true },
        ],
      },
    ],
  };
  const request = read("anthropic", body);
  expect(request).toMatchObject({ wire: "anthropic", model: "claude-sonnet-4-5", stream: true });
  expect(request).toMatchObject({ offers_tools: true, system: "Be brief." });
  expect(request.message_digests).toEqual([
    said("user", text("Fix it.")),
    said("assistant", text("I look."), call("Bash", { command: "ls" }), call("Bash", { command: "pwd" })),
    said("user", result("a.js"), result("no")),
  ]);
  expect(request.results).toEqual([
    { call_id: "toolu_1", name: "Bash", nth: 0, text: "a.js", is_error: false },
    { call_id: "toolu_2", name: "Bash", nth: 1, text: "no", is_error: true },
  ]);
});

test("chat: system and developer apart, results by id", () => {
  const body = {
    model: "qwen3-coder",
    tools: [{ type: "function", function: { name: "bash", parameters: {} } }],
    messages: [
      { role: "system", content: "Be brief." },
      { role: "developer", content: [{ type: "text", text: "Be kind." }] },
      {
        role: "user",
        content: [
          { type: "text", text: "Fix " },
          { type: "text", text: "it." },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "a.js" },
    ],
  };
  const request = read("chat", body);
  expect(request).toMatchObject({
    model: "qwen3-coder",
    stream: false,
    offers_tools: true,
    system: "Be brief.\n\nBe kind.",
  });
  expect(request.message_digests).toEqual([
    said("user", text("Fix it.")),
    said("assistant", call("bash", { command: "ls" })),
    said("tool", result("a.js")),
  ]);
  expect(request.results).toEqual([{ call_id: "call_1", name: "bash", nth: 0, text: "a.js", is_error: null }]);
});

test("responses: all that the model does in one turn is one message", () => {
  const body = {
    model: "gpt-5.2-codex",
    instructions: "Be brief.",
    tools: [{ type: "local_shell" }],
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be kind." }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Fix it." }] },
      { type: "reasoning", summary: [], encrypted_content: "x" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      { type: "function_call", call_id: "call_1", name: "exec_command", arguments: '{"cmd":"ls"}' },
      { type: "custom_tool_call", call_id: "call_2", name: "apply_patch", input: "*** Begin Patch" },
      { type: "local_shell_call", call_id: "call_3", action: { type: "exec", command: ["ls"] } },
      { type: "function_call_output", call_id: "call_1", output: "a.js" },
      { type: "custom_tool_call_output", call_id: "call_2", output: [{ type: "input_text", text: "Done" }] },
      { type: "local_shell_call_output", call_id: "call_3", output: '{"output":"a.js"}' },
      { type: "shell_call_output", call_id: "call_4", output: [{ stdout: "out", stderr: "err", outcome: {} }] },
    ],
  };
  const request = read("responses", body);
  expect(request).toMatchObject({ offers_tools: true, system: "Be brief.\n\nBe kind." });
  expect(request.message_digests).toEqual([
    said("user", text("Fix it.")),
    said(
      "assistant",
      text("I look."),
      call("exec_command", { cmd: "ls" }),
      call("apply_patch", "*** Begin Patch"),
      call("local_shell", { type: "exec", command: ["ls"] }),
    ),
    said("tool", result("a.js")),
    said("tool", result("Done")),
    said("tool", result('{"output":"a.js"}')),
    said("tool", result("outerr")),
  ]);
  expect(request.results.map(({ call_id, name, text }) => [call_id, name, text])).toEqual([
    ["call_1", "exec_command", "a.js"],
    ["call_2", "apply_patch", "Done"],
    ["call_3", "local_shell", '{"output":"a.js"}'],
    ["call_4", null, "outerr"],
  ]);
});

test("gemini: the address names the model, and results are counted by name", () => {
  const response = (output: object) => ({ functionResponse: { name: "run", response: output } });
  const request = read("gemini", {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    tools: [{ functionDeclarations: [{ name: "run" }] }],
    contents: [
      { role: "user", parts: [{ text: "Fix it." }] },
      {
        role: "model",
        parts: [{ text: "Hm.", thought: true }, { functionCall: { name: "run", args: { command: "ls" } } }],
      },
      { role: "user", parts: [response({ output: "a.js" }), response({ error: "no" }), response({ found: 2 })] },
    ],
  });
  expect(request).toMatchObject({ model: "gemini-2.5-pro", stream: true, offers_tools: true, system: "Be brief." });
  expect(request.message_digests).toEqual([
    said("user", text("Fix it.")),
    said("assistant", call("run", { command: "ls" })),
    said("user", result("a.js"), result("no"), result('{"found":2}')),
  ]);
  expect(request.results).toEqual([
    { call_id: null, name: "run", nth: 0, text: "a.js", is_error: false },
    { call_id: null, name: "run", nth: 1, text: "no", is_error: true },
    { call_id: null, name: "run", nth: 2, text: '{"found":2}', is_error: null },
  ]);
});

test("a message that comes again has the same digest, whatever the agent does with ids, marks and reasoning", () => {
  const digests = (content: unknown) =>
    read("anthropic", { messages: [{ role: "assistant", content }] }).message_digests[0];
  const call = { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls", timeout: 5 } };
  const first = digests([{ type: "thinking", thinking: "Hm." }, { type: "text", text: "I look.\n" }, call]);
  const again = { ...call, id: "toolu_9", input: { timeout: 5, command: "ls" }, cache_control: { type: "ephemeral" } };
  expect(digests([{ type: "text", text: "I look." }, again])).toBe(first);
  expect(
    digests([
      { type: "text", text: "I look." },
      { ...call, input: { command: "pwd" } },
    ]),
  ).not.toBe(first);
  expect(digests([{ type: "text", text: "I looked." }, call])).not.toBe(first);
});

test("an image makes another message", () => {
  const image = (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } });
  const digest = (data: string) =>
    read("anthropic", { messages: [{ role: "user", content: [image(data)] }] }).message_digests[0];
  expect(digest("AAAA")).not.toBe(digest("BBBB"));
});

test("tools that only the provider runs are none that the agent offers", () => {
  expect(read("anthropic", { tools: [{ type: "web_search_20250305", name: "web_search" }] }).offers_tools).toBe(false);
  expect(read("responses", { tools: [{ type: "web_search" }] }).offers_tools).toBe(false);
  expect(read("gemini", { tools: [{ googleSearch: {} }] }).offers_tools).toBe(false);
});
