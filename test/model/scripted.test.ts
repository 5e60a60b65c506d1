import { expect, test } from "bun:test";
import type { ModelClient, ModelRequest } from "../../src/arms/model/client.ts";
import { scriptedModel } from "../../src/arms/model/scripted.ts";
import { ask, READ_FILE } from "./asking.ts";

const SCRIPT = [
  { say: "I look first.", calls: [{ read_file: { path: "a.ts" } }, { read_file: { path: "b.ts" } }] },
  { say: "Fixed." },
];

async function reply(client: ModelClient, request: Partial<ModelRequest> = {}) {
  return (await ask(client, request)).reply;
}

const afterTurns = (turns: number): Partial<ModelRequest> => ({
  messages: [
    { role: "user", text: "Fix it." },
    ...Array.from({ length: turns }, () => ({ role: "assistant", text: "x", calls: [] }) as const),
  ],
});

test("a turn with calls is replayed with ids of its own", async () => {
  expect(await reply(scriptedModel("scripted/demo", SCRIPT), { tools: [READ_FILE] })).toEqual({
    text: "I look first.",
    calls: [
      { id: "call_1_1", name: "read_file", input: { path: "a.ts" } },
      { id: "call_1_2", name: "read_file", input: { path: "b.ts" } },
    ],
    stop: "calls",
    stop_reason: "calls",
    tokens_in: 39,
    tokens_out: 20,
    cached_tokens: 0,
    model_served: "demo",
  });
});

test("a turn without calls is the final answer", async () => {
  expect(await reply(scriptedModel("scripted/demo", SCRIPT), afterTurns(1))).toMatchObject({
    text: "Fixed.",
    calls: [],
    stop: "end",
  });
});

test("a script that runs out says so", async () => {
  expect(await reply(scriptedModel("scripted/demo", SCRIPT), afterTurns(2))).toMatchObject({
    text: "The script has ended.",
    stop: "end",
    stop_reason: "script_ended",
  });
});

test("the same request gets the same reply and the same estimate, whoever asks and how often", async () => {
  const one = scriptedModel("scripted/demo", SCRIPT);
  const first = await reply(one, afterTurns(1));
  expect(await reply(one, afterTurns(1))).toEqual(first);
  expect(await reply(scriptedModel("scripted/demo", SCRIPT), afterTurns(1))).toEqual(first);
});

test("a delay is waited, and cancelling cuts it short with the reason", async () => {
  const client = scriptedModel("scripted/slow", [{ say: "late", delay_ms: 60_000 }]);
  const controller = new AbortController();
  const reason = new Error("stop");
  const pending = ask(client, {}, controller.signal);
  controller.abort(reason);
  expect((await pending).reply).toBe(reason);
  const started = performance.now();
  expect(await reply(scriptedModel("scripted/slow", [{ say: "late", delay_ms: 30 }]))).toMatchObject({ text: "late" });
  expect(performance.now() - started).toBeGreaterThan(25);
});
