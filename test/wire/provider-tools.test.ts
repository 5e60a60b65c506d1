import { describe, expect, test } from "bun:test";
import { editRequest } from "../../src/arms/wire/edit-request.ts";
import type { WireName } from "../../src/domain/external-agent.ts";
import type { LooseRecord } from "../../src/domain/lenient.ts";

const PATHS = {
  anthropic: "/v1/messages",
  chat: "/chat/completions",
  responses: "/responses",
  gemini: "/v1beta/models/gemini-2.5-pro:generateContent",
} as const;

const edit = (wire: WireName, body: LooseRecord, without_provider_tools = true) =>
  editRequest(wire, PATHS[wire], body, { model: null, without_provider_tools });

interface Kinds {
  readonly wire: WireName;
  /** A tool of the agent's own. */
  readonly own: object;
  /** Others that the agent runs. */
  readonly kept: readonly object[];
  readonly removed: Readonly<Record<string, object>>;
}

const typed = (...types: readonly string[]) =>
  Object.fromEntries(types.map((type) => [type, { type, name: type.replace(/_\d+$/, "") }]));

const KINDS: readonly Kinds[] = [
  {
    wire: "anthropic",
    own: { name: "Bash", input_schema: {} },
    kept: [
      { type: "custom", name: "Read", input_schema: {} },
      { type: "bash_20250124", name: "bash" },
      { type: "text_editor_20250728", name: "str_replace_based_edit_tool" },
      { type: "memory_20250818", name: "memory" },
      { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
    ],
    removed: {
      ...typed("web_search_20250305", "web_search_20260209", "web_fetch_20250910", "code_execution_20250825"),
      ...typed("mcp_toolset", "something_new"),
    },
  },
  {
    wire: "chat",
    own: { type: "function", function: { name: "bash" } },
    kept: [{ type: "custom", custom: { name: "patch" } }],
    removed: typed("web_search", "web_search_preview", "builtin_function", "something_new"),
  },
  {
    wire: "responses",
    own: { type: "function", name: "exec_command" },
    kept: [
      { type: "custom", name: "apply_patch" },
      { type: "local_shell" },
      { type: "shell" },
      { type: "apply_patch" },
      { type: "namespace", name: "mcp__x", tools: [{ type: "function", name: "y" }] },
      { type: "tool_search" },
    ],
    removed: {
      ...typed("web_search", "web_search_preview", "web_search_2025_08_26", "file_search", "code_interpreter"),
      ...typed("image_generation", "mcp", "something_new"),
      shell: { type: "shell", environment: { type: "container_auto" } },
    },
  },
  {
    wire: "gemini",
    own: { functionDeclarations: [{ name: "run_shell_command" }] },
    kept: [{ function_declarations: [{ name: "read_file" }] }],
    removed: Object.fromEntries(
      [
        "googleSearch",
        "google_search",
        "googleSearchRetrieval",
        "urlContext",
        "codeExecution",
        "fileSearch",
        "googleMaps",
        "new",
      ].map((field) => [field, { [field]: {} }]),
    ),
  },
];

describe.each(KINDS)("$wire", ({ wire, own, kept, removed }) => {
  test("tools that the agent runs stay as they are", () => {
    const body = { tools: [own, ...kept] };
    expect(edit(wire, body)).toMatchObject({ body, removed: [] });
  });

  test.each(Object.entries(removed))("%s is taken out, and named", (kind, tool) => {
    expect(edit(wire, { tools: [own, tool] })).toMatchObject({ body: { tools: [own] }, removed: [kind] });
  });

  test("nothing is left of tools that all go, nor of the choice among them", () => {
    const tools = Object.values(removed);
    const edited = edit(wire, { tools, tool_choice: "required", toolConfig: {} });
    expect(edited.body).not.toContainAnyKeys(["tools", "tool_choice", "toolConfig"]);
    expect(edited.removed).toEqual(Object.keys(removed));
  });

  test("with an open network all tools stay", () => {
    const body = { tools: [own, ...Object.values(removed)] };
    expect(edit(wire, body, false)).toMatchObject({ body, removed: [] });
  });
});

test("one Gemini tool loses what the provider runs and keeps its functions", () => {
  const functionDeclarations = [{ name: "run" }];
  expect(edit("gemini", { tools: [{ functionDeclarations, googleSearch: {} }] })).toMatchObject({
    body: { tools: [{ functionDeclarations }] },
    removed: ["googleSearch"],
  });
});

test("a namespace loses the tools in it that the provider runs", () => {
  const own = { type: "function", name: "y" };
  const namespace = (...tools: readonly object[]) => ({ type: "namespace", name: "x", tools });
  expect(
    edit("responses", { tools: [namespace(own, { type: "mcp" }), namespace({ type: "web_search" })] }),
  ).toMatchObject({
    body: { tools: [namespace(own)] },
    removed: ["mcp", "web_search"],
  });
});

test("a choice of a tool that went becomes free; another stays", () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  const bash = { name: "Bash", input_schema: {} };
  const choose = (wire: WireName, tools: readonly object[], tool_choice: unknown) =>
    edit(wire, { tools, tool_choice }).body["tool_choice"];
  expect(choose("anthropic", [bash, search], { type: "tool", name: "web_search" })).toEqual({ type: "auto" });
  expect(choose("anthropic", [bash, search], { type: "tool", name: "Bash" })).toEqual({ type: "tool", name: "Bash" });
  expect(choose("anthropic", [bash, search], { type: "any" })).toEqual({ type: "any" });
  const own = { type: "function", name: "exec" };
  expect(choose("responses", [own, { type: "web_search" }], { type: "web_search" })).toBe("auto");
  expect(choose("responses", [own, { type: "web_search" }], { type: "function", name: "exec" })).toEqual(own);
  const allowed = { type: "allowed_tools", mode: "required", tools: [own, { type: "web_search" }] };
  expect(choose("responses", [own, { type: "web_search" }], allowed)).toBe("auto");
  const chat = { type: "function", function: { name: "bash" } };
  expect(choose("chat", [chat, { type: "web_search" }], { type: "web_search" })).toBe("auto");
  expect(choose("chat", [chat, { type: "web_search" }], chat)).toEqual(chat);
  expect(choose("chat", [chat, { type: "web_search" }], "required")).toBe("required");
});

test("fields by which a provider searches or calls servers go", () => {
  expect(edit("anthropic", { mcp_servers: [{}], container: "c", max_tokens: 1 })).toMatchObject({
    body: { max_tokens: 1 },
    removed: ["mcp_servers", "container"],
  });
  const { body, removed } = edit("chat", {
    web_search_options: {},
    plugins: [{ id: "web" }],
    search_parameters: {},
    enable_search: true,
  });
  expect(body).toEqual({});
  expect(removed).toEqual(["web_search_options", "search_parameters", "plugins", "enable_search"]);
});

const URL = "https://example.com/a.png";
const DATA = "data:image/png;base64,AAAA";

test("content at an address becomes a text, wherever it stands; content that is there stays", () => {
  const image = (source: object) => ({ type: "image", source });
  const inside = image({ type: "base64", media_type: "image/png", data: "AAAA" });
  const result = (...content: readonly object[]) => ({ type: "tool_result", tool_use_id: "t", content });
  const document = (...content: readonly object[]) => ({ type: "document", source: { type: "content", content } });
  const away = image({ type: "url", url: URL });
  const messages = (one: object) => [{ role: "user", content: [inside, one, result(inside, one), document(one)] }];
  const text = { type: "text", text: expect.stringContaining("closed") };
  const edited = edit("anthropic", { messages: messages(away) });
  expect(edited.body["messages"]).toEqual(messages(text));
  expect(edited.removed).toEqual(["content at an address"]);

  const chat = (url: string) => ({ type: "image_url", image_url: { url } });
  expect(edit("chat", { messages: [{ role: "user", content: [chat(DATA), chat(URL)] }] }).body["messages"]).toEqual([
    { role: "user", content: [chat(DATA), text] },
  ]);

  const input_image = (image_url: string) => ({ type: "input_image", image_url });
  const output = (...blocks: readonly object[]) => ({ type: "function_call_output", call_id: "c", output: blocks });
  const input_text = { ...text, type: "input_text" };
  expect(
    edit("responses", {
      input: [
        output(input_image(DATA), input_image(URL)),
        { role: "user", content: [{ type: "input_file", file_url: URL }] },
      ],
    }).body["input"],
  ).toEqual([output(input_image(DATA), input_text), { role: "user", content: [input_text] }]);

  const parts = [{ inlineData: { data: "AAAA" } }, { fileData: { fileUri: URL } }];
  expect(edit("gemini", { contents: [{ role: "user", parts }] }).body["contents"]).toEqual([
    { role: "user", parts: [parts[0], { text: text.text }] },
  ]);
});

test.each([
  ["a video", { type: "video_url", video_url: { url: URL } }],
  ["a sound", { type: "audio_url", audio_url: { url: URL } }],
  ["a file", { type: "file", file: { filename: "a.pdf", file_data: URL } }],
  ["a file without a scheme", { type: "file", file: { filename: "a.pdf", file_data: "//example.com/a.pdf" } }],
  ["a recording", { type: "input_audio", input_audio: { format: "mp3", data: URL } }],
  ["the frames of a video", { type: "video", video: [DATA, URL] }],
])("%s at an address goes from a chat, whatever field names it", (_what, block) => {
  const edited = edit("chat", { messages: [{ role: "user", content: [block] }] });
  const text = { type: "text", text: expect.stringContaining("closed") };
  expect(edited.body["messages"]).toEqual([{ role: "user", content: [text] }]);
});

test("content that is there does not hide an address beside it", () => {
  const block = { type: "input_file", file_data: "AAAA", file_url: URL };
  const edited = edit("responses", { input: [{ role: "user", content: [block] }] });
  expect(edited.body["input"]).toEqual([
    { role: "user", content: [{ type: "input_text", text: expect.stringContaining("closed") }] },
  ]);
});

test("files, sounds and pictures that are there stay", () => {
  const content = [
    { type: "file", file: { filename: "c: notes.pdf", file_data: "data:application/pdf;base64,AAAA" } },
    { type: "file", file: { filename: "a.pdf", file_data: "/9j/AA+A==" } },
    { type: "input_audio", input_audio: { format: "mp3", data: "AAAA" } },
    { type: "video_url", video_url: { url: "data:video/mp4;base64,AAAA" } },
  ];
  const messages = [
    { role: "user", content },
    { role: "assistant", content: "x", audio: { id: "audio_1" } },
  ];
  expect(edit("chat", { messages })).toMatchObject({ body: { messages }, removed: [] });
});

test("the input of a call is not content: an address in it stays", () => {
  const input = { source: { type: "url", url: URL }, content: [{ image_url: URL }] };
  const body = { messages: [{ role: "assistant", content: [{ type: "tool_use", id: "t", name: "x", input }] }] };
  expect(edit("anthropic", body)).toMatchObject({ body, removed: [] });
});

test("what rests on a provider's memory is not supported, and nothing is stored, whatever the network is", () => {
  const unsupported = (wire: WireName, body: LooseRecord) => edit(wire, body, false).unsupported;
  expect(unsupported("responses", { previous_response_id: "resp_1" })).toContain("previous_response_id");
  expect(unsupported("responses", { conversation: "conv_1" })).toContain("conversation");
  expect(unsupported("responses", { prompt: { id: "pmpt_1" } })).toContain("prompt");
  expect(unsupported("responses", { background: true })).toContain("background");
  expect(unsupported("responses", { input: [{ type: "item_reference", id: "rs_1" }] })).toContain("item_reference");
  expect(unsupported("responses", { input: [{ id: "rs_1" }] })).toContain("item_reference");
  expect(unsupported("gemini", { cachedContent: "cachedContents/1" })).toContain("cachedContent");
  expect(unsupported("responses", { previous_response_id: null, background: false, input: "x" })).toBeNull();
  expect(edit("responses", { store: true }, false).body).toEqual({ store: false });
  expect(edit("responses", {}, false).body).toEqual({ store: false });
});

test("reasoning goes to and fro encrypted where the provider would have kept it, of models that can", () => {
  const include = (body: LooseRecord) => edit("responses", { input: "x", ...body }, false).body["include"];
  const sealed = "reasoning.encrypted_content";
  for (const model of ["gpt-5.2", "o4-mini", "openai/gpt-5-codex", "gpt-10"])
    expect(include({ model, include: ["a"] })).toEqual(["a", sealed]);
  for (const model of ["gpt-4.1", "gpt-5-chat-latest", "gpt-oss-120b"]) expect(include({ model })).toBeUndefined();
  expect(include({ model: "o3", include: [sealed] })).toEqual([sealed]);
  expect(include({ model: "o3", store: false })).toBeUndefined();
});

test("reasoning that only its provider could read is left out, and what belonged to it stands alone", () => {
  const message = { type: "message", role: "assistant", content: [] };
  const call = { type: "function_call", call_id: "c", name: "n", arguments: "{}" };
  const lost = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: null };
  const sealed = { ...lost, encrypted_content: "sealed" };
  const open = { ...lost, content: [{ type: "reasoning_text", text: "Hm." }] };
  const input = (items: readonly object[]) => edit("responses", { input: items }, false).body["input"];
  expect(input([lost, { ...message, id: "msg_1" }, { ...call, id: "fc_1" }])).toEqual([message, call]);
  expect(input([sealed, open, { ...call, id: "fc_1" }])).toEqual([sealed, open, { ...call, id: "fc_1" }]);
});

test("a request within Gemini's count of tokens is edited, too", () => {
  const generateContentRequest = { model: "models/gemini-2.5-flash", tools: [{ googleSearch: {} }], contents: [] };
  const edited = editRequest(
    "gemini",
    "/v1beta/models/gemini-2.5-flash:countTokens",
    { generateContentRequest },
    { model: "gemini-2.5-pro", without_provider_tools: true },
  );
  expect(edited).toMatchObject({ path: "/v1beta/models/gemini-2.5-pro:countTokens", removed: ["googleSearch"] });
  expect(edited.body).toEqual({ generateContentRequest: { model: "models/gemini-2.5-pro", contents: [] } });
});
