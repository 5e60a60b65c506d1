import { expect } from "bun:test";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { ASKS_ONCE, kindsOf, runAgent, shellAgent } from "./plain-agent.ts";

const testAgent = testNeeding(SANDBOX);

/** It speaks a text protocol: no request of it offers a tool. */
const textAgent = (module: string) =>
  shellAgent(
    "bun /home/agent/agent.mjs",
    `${ASKS_ONCE}
    delete body.tools;
    body.model = "gpt-very-expensive";
    const talk = async (text) => {
      body.messages.push({ role: "user", content: text });
      const said = (await (await ask()).json()).choices[0].message;
      body.messages.push({ role: "assistant", content: said.content });
    };
    ${module}`,
  );

testAgent(
  "the work of an agent that offers no tools is turns of its main conversation, and its model is forced",
  async () => {
    await using fake = await startFakeProvider({ reply: { text: "echo two > a.txt" } });
    const run = await runAgent(fake, { agent: textAgent("for (const n of [1, 2, 3]) await talk('result ' + n);") });
    expect(run.summary).toMatchObject({ status: "finished", stop_reason: "final_answer", turns: 3 });
    expect(run.summary.final_answer).toBe("echo two > a.txt");
    expect(fake.requests.map(({ model }) => model)).toEqual(["gpt-x", "gpt-x", "gpt-x"]);
    expect(run.decisions.map(({ detail }) => (detail && "thread" in detail ? detail.thread : null))).toEqual([
      1,
      1,
      1,
      null,
    ]);
  },
);

testAgent("a limit of turns holds for an agent that offers no tools", async () => {
  await using fake = await startFakeProvider({ reply: { text: "More." } });
  const run = await runAgent(fake, {
    agent: textAgent("for (let n = 0; n < 8; n += 1) await talk('result ' + n);"),
    policies: "{budget: {max_turns: 3}}",
  });
  expect(run.summary).toMatchObject({ status: "limit_reached", stop_reason: "budget:turns", turns: 3 });
  expect(fake.requests).toHaveLength(3);
});

testAgent("a title that an agent asks for before its work with tools does not pass for its work", async () => {
  await using fake = await startFakeProvider({
    plan: [{ text: "A title" }, { text: "The work is done." }],
    reply: { text: "Another title" },
  });
  const module = `${ASKS_ONCE}
    const { tools } = body;
    delete body.tools;
    body.model = "gpt-small";
    await ask();
    body.messages = [{ role: "user", content: "Make it two." }];
    body.tools = tools;
    await ask();
    body.messages = [{ role: "user", content: "A title, please." }];
    delete body.tools;
    await ask();`;
  const run = await runAgent(fake, { agent: shellAgent("bun /home/agent/agent.mjs", module) });
  expect(run.summary).toMatchObject({ stop_reason: "final_answer", final_answer: "The work is done." });
  const turns = run.decisions.flatMap(({ kind, detail }) => (kind === "model_turn" ? [detail] : []));
  expect(turns).toMatchObject([{ thread: 1 }, { thread: 1 }, { thread: 3, side: true }]);
  // The one that comes first could be the work of an agent without tools.
  expect(fake.requests.map(({ model }) => model)).toEqual(["gpt-x", "gpt-x", "gpt-small"]);
});

testAgent("small calls besides the work have a limit", async () => {
  await using fake = await startFakeProvider();
  const module = `${ASKS_ONCE} await ask(); delete body.tools; for (;;) await ask();`;
  const run = await runAgent(fake, {
    agent: shellAgent("bun /home/agent/agent.mjs", module),
    policies: "{budget: {max_turns: 2}}",
  });
  expect(run.summary).toMatchObject({ status: "limit_reached", stop_reason: "budget:side_calls", turns: 1 });
  expect(run.decisions.at(-1)).toMatchObject({ detail: { budget: "side_calls", used: 20, limit: 20 } });
  expect(fake.requests).toHaveLength(21);
  expect(kindsOf(run).filter((kind) => kind === "model_turn")).toHaveLength(21);
});

testAgent("rules of commands that saw no call of an agent are told in the verdict", async () => {
  await using fake = await startFakeProvider();
  const agent = textAgent("await talk('go');");
  const ruled = await runAgent(fake, { agent, policies: '{commands: {deny: ["git push*"]}}' });
  expect(ruled.outcome.verdict?.flags).toContain("rules_not_seen");
  const free = await runAgent(fake, { agent });
  expect(free.outcome.verdict?.flags).not.toContain("rules_not_seen");
});
