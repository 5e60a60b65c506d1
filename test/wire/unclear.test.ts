import { expect, test } from "bun:test";
import type { WireName } from "../../src/domain/external-agent.ts";
import { pass, STREAM, sse } from "./streams.ts";

const ALLOW = { ...STREAM, gate: () => null };

/** Neither what is refused, nor anything after it, goes to an agent. */
function expectRefused(wire: WireName, sent: string): void {
  const { bytes, reply } = pass(wire, sent, ALLOW);
  expect(bytes.toString()).not.toContain("rm a");
  expect(reply).toMatchObject({ ended: "cut", error: expect.stringContaining("several ways") });
  expect(pass(wire, sent).bytes.toString()).toBe(sent);
}

const piece = (entry: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, finish_reason, delta: { tool_calls: [{ index: 0, ...entry }] } }],
});

const chatCall = (id: string | undefined, name: string | undefined, text: string | object) =>
  piece({ ...(id && { id }), function: { ...(name && { name }), arguments: text } });

const DONE = piece({}, "tool_calls");

test("chat: two calls at one place are two where the first is complete, and unclear where a client could join them", () => {
  const [first, second] = [`{"command":"ls"}`, `{"command":"pwd"}`];
  const clear = pass("chat", sse(chatCall("a", "shell", first), chatCall("b", "shell", second), DONE), ALLOW).reply;
  expect(clear.calls.map(({ input }) => input)).toEqual([{ command: "ls" }, { command: "pwd" }]);
  expectRefused("chat", sse(chatCall("a", "shell", `{"command":"ls`), chatCall("b", "shell", `; rm a"}`), DONE));
  expectRefused("chat", sse(chatCall("a", "shell", ""), chatCall("b", "read", `{"command":"rm a"}`), DONE));
  expectRefused("chat", sse(chatCall("a", "shell", first), chatCall("b", undefined, `{"command":"rm a"}`), DONE));
});

test("chat: a call whose name changes, or whose input is told twice, is unclear", () => {
  expectRefused("chat", sse(chatCall("a", "read", ""), chatCall("a", "shell", `{"command":"rm a"}`), DONE));
  const object = { command: "rm a" };
  expectRefused("chat", sse(chatCall("a", "shell", `{"command":"ls"}`), chatCall("a", undefined, object), DONE));
  const same = { command: "ls" };
  const sent = sse(chatCall("a", "shell", `{"command": "ls"}`), chatCall("a", "shell", same), DONE);
  expect(pass("chat", sent, ALLOW).bytes.toString()).toBe(sent);
});

test("chat: the calls of a whole message are as many as it lists, whatever numbers they bear", () => {
  const call = (command: string) => ({ index: 0, function: { name: "shell", arguments: JSON.stringify({ command }) } });
  const body = { choices: [{ index: 0, message: { tool_calls: [call("ls"), call("pwd")] }, finish_reason: "stop" }] };
  const { reply } = pass("chat", JSON.stringify(body), { content_type: "application/json", gate: () => null });
  expect(reply.calls.map(({ input }) => input)).toEqual([{ command: "ls" }, { command: "pwd" }]);
});

const start = (index: unknown, name = "Bash") => ({
  ...{ type: "content_block_start", index },
  content_block: { type: "tool_use", id: `t${index}`, name, input: {} },
});
const input = (index: unknown, partial_json: string) => ({
  ...{ type: "content_block_delta", index },
  delta: { type: "input_json_delta", partial_json },
});
const stop = (index: unknown) => ({ type: "content_block_stop", index });
const END = { type: "message_stop" };

test("anthropic: a piece that is not of the last block by its index is unclear", () => {
  const rm = `{"command":"rm a"}`;
  for (const index of [-1, 1, "0", null, undefined])
    expectRefused("anthropic", sse(start(0), input(index, rm), stop(0), END));
  // A client that appends blocks takes the second for the one at 1.
  expectRefused("anthropic", sse(start(1), stop(1), start(0, "Read"), input(0, rm), stop(0), END));
  expectRefused("anthropic", sse(start(0), stop(0), start(1, "Read"), input(0, rm), stop(1), END));
});

test("an event whose name is not its type, and one without a name among others, is unclear", () => {
  const [opened, rest] = [sse(start(0)), sse(input(0, `{"command":"rm a"}`), stop(0), END)];
  expectRefused("anthropic", opened + rest.replace("event: content_block_delta", "event: ping"));
  expectRefused("anthropic", opened + rest.replace("event: content_block_delta\n", ""));
  const nameless = (opened + rest).replaceAll(/^event: .*\n/gm, "");
  expect(pass("anthropic", nameless, ALLOW).bytes.toString()).toBe(nameless);
  const [first, last] = [sse(chatCall("a", "shell", `{"command":"r`)), sse(chatCall("a", undefined, `m a"}`), DONE)];
  expectRefused("chat", `${first}event: other\n${sse(chatCall("a", undefined, "XX"))}${last.replace("m a", "rm a")}`);
});

const parts = (...all: readonly object[]) => sse({ candidates: [{ content: { parts: all } }] });
const geminiCall = (command: string) => ({ name: "shell", args: { command } });

test("gemini: a call in snake case is gated, too", () => {
  const gate = () => ({ command: "echo refused" });
  const { bytes, reply } = pass("gemini", parts({ function_call: geminiCall("rm a") }), { ...STREAM, gate });
  expect(reply.calls).toEqual([{ id: null, name: "shell", input: { command: "rm a" } }]);
  expect(bytes.toString()).toBe(parts({ function_call: geminiCall("echo refused") }));
});

test("gemini: a call that is told twice, or goes on, is unclear", () => {
  expectRefused("gemini", parts({ functionCall: geminiCall("ls"), function_call: geminiCall("rm a") }));
  expectRefused("gemini", parts({ functionCall: { ...geminiCall("rm a"), willContinue: true } }));
});

const ls = `{"command":"ls"}`;
const rm = `{"command":"rm a"}`;
const item = (given: string, id = "fc_1") => ({
  ...{ id, type: "function_call", call_id: `call_${id}`, name: "shell", arguments: given },
});
const added = { type: "response.output_item.added", output_index: 0, item: item("") };
const delta = (text: string, item_id = "fc_1") => ({
  ...{ type: "response.function_call_arguments.delta", output_index: 0, item_id, delta: text },
});
const ended = (given: string) => ({
  ...{ type: "response.function_call_arguments.done", output_index: 0, item_id: "fc_1", arguments: given },
});
const itemDone = (given: string) => ({ type: "response.output_item.done", output_index: 0, item: item(given) });
const completed = (given: string) => ({
  type: "response.completed",
  response: { object: "response", status: "completed", output: [item(given)] },
});

test("responses: an input that its pieces, its end, its item and the response tell differently is unclear", () => {
  const clear = sse(added, delta(ls), ended(ls), itemDone(`{ "command": "ls" }`), completed(ls));
  expect(pass("responses", clear, ALLOW).bytes.toString()).toBe(clear);
  expectRefused("responses", sse(added, delta(rm), ended(ls), itemDone(ls), completed(ls)));
  expectRefused("responses", sse(added, delta(ls), ended(rm), itemDone(ls), completed(ls)));
  expectRefused("responses", sse(added, delta(ls), ended(ls), itemDone(rm), completed(ls)));
  expectRefused("responses", sse(added, delta(ls), ended(ls), itemDone(ls), completed(rm)));
  expectRefused("responses", sse(added, delta(ls), itemDone(ls), delta("rm a")));
});

test("responses: a piece of no call, or of two, is unclear", () => {
  expectRefused("responses", sse(delta(rm), added, itemDone(ls)));
  const other = { type: "response.output_item.added", output_index: 1, item: item("", "fc_2") };
  expectRefused("responses", sse(added, other, delta(rm, "fc_2")));
});
