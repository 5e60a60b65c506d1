import { expect } from "bun:test";
import { FAKE_KEY, startFakeProvider } from "../fake-provider/fake-provider.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { ASKS_ONCE, holdsKey, runAgent, shellAgent } from "./plain-agent.ts";

const testAgent = testNeeding(SANDBOX);

const agentOf = (module: string) => shellAgent("bun /home/agent/agent.mjs", `${ASKS_ONCE}${module}`);

testAgent("a provider that quotes its key in a refusal or a reply does not tell it to the agent", async () => {
  const echo = { body: "", echo: true, headers: { "request-id": FAKE_KEY } } as const;
  await using fake = await startFakeProvider({
    plan: [{ status: 400, ...echo }, { status: 200, ...echo }, { text: `It is ${FAKE_KEY}.` }],
  });
  const run = await runAgent(fake, {
    agent: agentOf(`
      let said = "";
      for (let i = 0; i < 3; i += 1) {
        const reply = await ask();
        said += JSON.stringify([...reply.headers]) + await reply.text();
      }
      body.messages[0].content = said;
      await Bun.write("/workspace/said.txt", said);
      await ask();`),
  });
  expect(fake.requests).toHaveLength(4);
  expect(holdsKey(fake.requests[3]?.body)).toBe(false);
  expect(holdsKey(run.outcome)).toBe(false);
});

testAgent("an address of another provider's wire is none of the arm's", async () => {
  await using fake = await startFakeProvider();
  const run = await runAgent(fake, {
    agent: agentOf(`
      const other = await fetch("http://127.0.0.1:4010/anthropic/v1/messages", { method: "POST", headers, body: "{}" });
      body.messages[0].content = "status " + other.status;
      await ask();`),
  });
  expect(fake.requests).toHaveLength(1);
  expect(fake.visits).toEqual([]);
  expect(JSON.stringify(fake.requests[0]?.messages)).toContain("status 404");
  expect(run.summary).toMatchObject({ status: "finished", stop_reason: "final_answer" });
});

testAgent("an agent that is refused again and again does not fill the log", async () => {
  await using fake = await startFakeProvider({ reply: { refuse: 400 } });
  const run = await runAgent(fake, {
    agent: agentOf("for (let i = 0; i < 300; i += 1) await ask();"),
    policies: "{budget: {max_seconds: 20}}",
  });
  expect(run.decisions.length).toBeLessThan(100);
  expect(run.summary.status).toBe("finished");
});
