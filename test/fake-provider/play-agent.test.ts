import { expect, test } from "bun:test";
import OpenAI from "openai";
import { startFakeProvider } from "./fake-provider.ts";
import { playAgent } from "./play-agent.ts";

const TOOLS = [{ type: "function" as const, name: "read", parameters: {}, strict: false }];

test("each thread of an agent gets its own turns, whoever asks first or again", async () => {
  const read = { text: "I look.", calls: [{ id: "c1", name: "read", input: { path: "a" } }] };
  const reply = playAgent([
    { knownBy: "Look it up", turns: [{ text: "Found." }] },
    { knownBy: "Fix it", turns: [read, { text: "Fixed." }] },
  ]);
  await using provider = await startFakeProvider({ reply });
  const client = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "k", maxRetries: 0 });
  const say = async (input: OpenAI.Responses.ResponseInput, tools = TOOLS) =>
    (await client.responses.create({ model: "gpt-x", input, tools })).output_text;
  const asked = { role: "user" as const, content: "Fix it, please." };
  const call = { type: "function_call" as const, call_id: "c1", name: "read", arguments: '{"path":"a"}' };
  const result = { type: "function_call_output" as const, call_id: "c1", output: "content" };
  expect(await say([asked])).toBe("I look.");
  expect(await say([{ role: "user", content: "Look it up." }])).toBe("Found.");
  expect(await say([asked, call, result])).toBe("Fixed.");
  expect(await say([asked])).toBe("I look.");
  expect(await say([asked], [])).toBe("A title");
  expect(say([{ role: "user", content: "Who are you?" }])).rejects.toMatchObject({ status: 400 });
});
