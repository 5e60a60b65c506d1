import type { Action } from "../test/fake-provider/exchange.ts";

export interface NamedFault {
  readonly name: string;
  readonly action: Action;
  /** No reply comes before the time limit of a call, which is minutes. */
  readonly endless?: true;
}

const STATUSES = [204, 301, 400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529] as const;

const error = (status: number): NamedFault => ({
  name: `status ${status}`,
  action: {
    status,
    body: status === 204 ? "" : { error: { type: "api_error", message: "boom" } },
    ...(status === 301 && { headers: { location: "http://127.0.0.1:9/elsewhere" } }),
  },
});

const body = (name: string, value: unknown): NamedFault => ({ name, action: { status: 200, body: value } });

const message = (changes: object) => ({
  id: "m",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "hm" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
  ...changes,
});

const completion = (changes: object, choice: object = {}) => ({
  id: "c",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "hm" }, finish_reason: "stop", ...choice }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
  ...changes,
});

/** What a provider may do instead of answering. A body of one wire format is garbage in the other. */
export const PROVIDER_FAULTS: readonly NamedFault[] = [
  ...(["reset", "malformed_json", "html", "empty", "large"] as const).map((fault) => ({
    name: fault,
    action: { fault },
  })),
  ...(["hang", "slow_drip"] as const).map((fault) => ({ name: fault, action: { fault }, endless: true as const })),
  ...STATUSES.map(error),
  { name: "an error that quotes the key", action: { status: 400, echo: true } },
  { name: "a late answer", action: { text: "Late.", delay_ms: 50 } },
  { name: "a tool that is none", action: { calls: [{ name: "launch_missiles", input: {} }] } },
  { name: "a tool with a wrong input", action: { calls: [{ name: "write_file", input: { path: 7 } }] } },
  { name: "arguments that are no JSON", action: { calls: [{ name: "write_file", arguments: '{"path": "a' }] } },
  { name: "one id for two calls", action: { calls: [call("x"), call("x")] } },
  { name: "an answer cut for length", action: { text: "I was", stop: "output_limit" } },
  { name: "a refusal", action: { text: "No.", stop: "refusal" } },
  body("null", null),
  body("a number", 7),
  body("a list", []),
  body("an empty object", {}),
  body("a message without content", message({ content: null })),
  body("a message of unknown blocks", message({ content: [{ type: "hologram" }, null, 7] })),
  body("a message with an unknown stop reason", message({ stop_reason: "boredom" })),
  body("a message with negative usage", message({ usage: { input_tokens: -5, output_tokens: 1.5 } })),
  body("a message with endless usage", message({ usage: { input_tokens: 1e308, output_tokens: "many" } })),
  body("a completion without choices", completion({ choices: [] })),
  body("a completion with a null message", completion({}, { message: null })),
  body("a completion with unknown calls", completion({}, { message: { tool_calls: [null, { id: 7, function: 3 }] } })),
  body("a completion without usage", completion({ usage: undefined })),
  body("a completion with negative usage", completion({ usage: { prompt_tokens: -1, completion_tokens: 0.5 } })),
  body("an error with status 200", { error: { message: "overloaded", type: "overloaded_error" } }),
];

function call(id: string) {
  return { id, name: "list_files", input: {} };
}
