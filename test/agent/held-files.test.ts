import { expect } from "bun:test";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { runAgent, shellAgent } from "./plain-agent.ts";

const testAgent = testNeeding(SANDBOX);

testAgent("a write to a protected file that failed is told as refused, and another failed write is not", async () => {
  const write = (path: string) => ({ name: "Write", input: { file_path: path, content: "x" } });
  await using fake = await startFakeProvider({
    plan: [{ calls: [write("tests/t.txt"), write("a.txt")] }],
    reply: { text: "Done." },
  });
  const module = `
    const tools = [{ name: "Write", input_schema: { type: "object" } }];
    const headers = { "content-type": "application/json", "x-api-key": process.env.ANTHROPIC_API_KEY };
    const ask = async (messages) => (await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages",
      { method: "POST", headers, body: JSON.stringify({ model: "m", max_tokens: 100, tools, messages }) })).json();
    const messages = [{ role: "user", content: "Make it two." }];
    const { content } = await ask(messages);
    const failed = content.filter(({ type }) => type === "tool_use")
      .map(({ id }) => ({ type: "tool_result", tool_use_id: id, is_error: true, content: "EROFS: read-only file system" }));
    await ask([...messages, { role: "assistant", content }, { role: "user", content: failed }]);`;
  const agent = { ...shellAgent("bun /home/agent/agent.mjs", module), wires: ["anthropic" as const] };
  const run = await runAgent(fake, {
    agent,
    arm: { model: "anthropic/claude-x" },
    policies: "{paths: {protected: [tests/**]}}",
  });
  expect(run.decisions.map(({ kind }) => kind)).toEqual([
    ...(["model_turn", "policy_block", "tool_call", "model_turn", "final_answer"] as const),
  ]);
  expect(run.decisions[1]?.detail).toMatchObject({ rule: "tests/**", tool: "write_file" });
});
