import { expect } from "bun:test";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { ASKS_ONCE, kindsOf, runAgent, shellAgent, withSeconds } from "./plain-agent.ts";

const testAgent = testNeeding(SANDBOX);

const agentOf = (module: string) => shellAgent("bun /home/agent/agent.mjs", `${ASKS_ONCE}${module}`);

testAgent("an agent that hangs up before its replies come has spent them all the same", async () => {
  await using fake = await startFakeProvider({ reply: { fault: "hang" } });
  const run = await runAgent(fake, {
    agent: agentOf(`
      const hangUp = () => fetch(process.env.OPENAI_BASE_URL + "/chat/completions",
        { method: "POST", headers, body: JSON.stringify(body), signal: AbortSignal.timeout(150) }).catch(() => 0);
      for (;;) await hangUp();`),
    policies: "{budget: {max_turns: 3}}",
  });
  expect(run.summary).toMatchObject({ status: "limit_reached", stop_reason: "budget:turns", turns: 3 });
  expect(run.summary).toMatchObject({ tokens_in: null, tokens_out: null, cost_usd: null });
  expect(kindsOf(run).filter((kind) => kind === "model_turn")).toHaveLength(3);
  // The next one can be there before the last one is gone.
  expect(fake.requests.length).toBeLessThanOrEqual(4);
});

testAgent("small calls besides the work are no turns, also after the last one", async () => {
  await using fake = await startFakeProvider();
  const run = await runAgent(fake, {
    agent: agentOf("await ask(); delete body.tools; await ask(); await ask();"),
    policies: "{budget: {max_turns: 1}}",
  });
  expect(fake.requests).toHaveLength(3);
  expect(run.summary).toMatchObject({ status: "finished", stop_reason: "final_answer", turns: 1 });
});

testAgent("requests that wait for their turn are not sent when those before them have used up the budget", async () => {
  await using fake = await startFakeProvider({ reply: { text: "More.", delay_ms: 50 } });
  const run = await runAgent(fake, {
    agent: agentOf("await Promise.allSettled(Array.from({ length: 120 }, ask));"),
    policies: "{budget: {max_turns: 2}}",
  });
  expect(run.summary).toMatchObject({ status: "limit_reached", stop_reason: "budget:turns" });
  expect(fake.requests).toHaveLength(2);
});

testAgent("a request that is under way when the arm ends has used nobody knows what", async () => {
  await using fake = await startFakeProvider({
    plan: [{ text: "More.", usage: { in: 70, out: 10 } }],
    reply: { fault: "hang" },
  });
  const run = await withSeconds([2, 1], (max_seconds) =>
    runAgent(fake, {
      agent: agentOf("await ask(); await ask();"),
      policies: `{budget: {max_seconds: ${max_seconds}}}`,
    }),
  );
  expect(run.summary).toMatchObject({ stop_reason: "budget:seconds", turns: 1, tokens_in: null, cost_usd: null });
  expect(run.summary.at_least).toMatchObject({
    tokens_in: 70,
    why: "1 of 2 replies broke off before the provider said what was used",
  });
});

testAgent("requests side by side go out only as far as the cost limit pays for all of them", async () => {
  await using fake = await startFakeProvider({
    reply: { text: "More.", usage: { in: 70_000, out: 10 }, delay_ms: 50 },
  });
  const run = await runAgent(fake, {
    agent: agentOf(`
      body.messages[0].content = "x".repeat(280_000);
      await Promise.allSettled(Array.from({ length: 30 }, ask));`),
    arm: { price_per_mtok: { in: 1, out: 2, cached_in: 0.1 } },
    policies: "{budget: {max_cost_usd: 0.2}}",
  });
  // Each takes 0.07: two at a time, and one that may pass the limit alone.
  expect(fake.requests).toHaveLength(3);
  expect(run.summary).toMatchObject({ status: "limit_reached", stop_reason: "budget:cost_usd", turns: 3 });
});

testAgent("an agent that hangs up while a busy provider is waited for has its time counted again", async () => {
  await using fake = await startFakeProvider({ reply: { refuse: 529, headers: { "retry-after-ms": "30000" } } });
  const run = await runAgent(fake, {
    agent: agentOf(`
      await fetch(process.env.OPENAI_BASE_URL + "/chat/completions",
        { method: "POST", headers, body: JSON.stringify(body), signal: AbortSignal.timeout(300) }).catch(() => 0);
      await new Promise((resolve) => setTimeout(resolve, 10_000));`),
    policies: "{budget: {max_seconds: 3}}",
  });
  expect(fake.requests).toHaveLength(1);
  expect(run.summary).toMatchObject({ status: "limit_reached", stop_reason: "budget:seconds" });
});

testAgent("a request that would pass the cost limit even from a cache is refused before it is sent", async () => {
  await using fake = await startFakeProvider({ reply: { text: "More.", usage: { in: 70_000, out: 100 } } });
  const run = await runAgent(fake, {
    agent: agentOf(`
      for (;;) {
        await ask();
        body.messages.push({ role: "assistant", content: "More." }, { role: "user", content: "Go on." });
      }`),
    arm: { price_per_mtok: { in: 1, out: 2, cached_in: null } },
    policies: "{budget: {max_cost_usd: 0.6}}",
  });
  // Eight turns cost 0.5616; a ninth would take at least 0.07 more.
  expect(fake.requests).toHaveLength(8);
  expect(run.summary).toMatchObject({ status: "limit_reached", stop_reason: "budget:cost_usd" });
  expect(run.summary.cost_usd).toBeLessThan(0.6);
  expect(run.decisions.at(-1)?.summary).toBe(
    "cost_usd: 0.5616 of 0.6 USD used, and the next request takes at least 0.07 USD",
  );
});

testAgent("a request that a cache could make cheap enough is sent", async () => {
  await using fake = await startFakeProvider({ reply: { text: "More.", usage: { in: 70_000, out: 100 } } });
  const run = await runAgent(fake, {
    agent: agentOf(`
      for (;;) {
        await ask();
        body.messages.push({ role: "assistant", content: "More." }, { role: "user", content: "Go on." });
      }`),
    arm: { price_per_mtok: { in: 1, out: 2, cached_in: 0.1 } },
    policies: "{budget: {max_cost_usd: 0.6}}",
  });
  expect(fake.requests).toHaveLength(9);
  expect(run.summary.stop_reason).toBe("budget:cost_usd");
});

testAgent("a last reply that was cut off is told as cut off, whatever the agent ended with", async () => {
  await using fake = await startFakeProvider({ reply: { text: "The first half of", stop: "output_limit" } });
  const run = await runAgent(fake, { agent: agentOf("await ask(); process.exit(1);") });
  expect(run.summary).toMatchObject({ status: "finished", stop_reason: "cut_off", final_answer: "The first half of" });
  expect(run.decisions.at(-1)).toMatchObject({
    kind: "error",
    detail: { code: "cut_off", message: expect.stringContaining("cut off at its limit of tokens (length)") },
  });
});

testAgent(
  "under a limit of the whole run requests wait for each other, and one that does not fit alone is no arm's loss",
  async () => {
    let [under_way, most] = [0, 0];
    await using fake = await startFakeProvider({
      reply: async () => {
        under_way += 1;
        most = Math.max(most, under_way);
        await new Promise((resolve) => setImmediate(resolve));
        under_way -= 1;
        return { text: "More.", usage: { in: 50_000, out: 10 } };
      },
    });
    const run = await runAgent(fake, {
      // A reply of 100,000 tokens costs 0.2.
      agent: agentOf("body.max_tokens = 100_000; await Promise.allSettled(Array.from({ length: 30 }, ask));"),
      options: { max_cost_usd: 0.35, judge_model: "builtin/evidence" },
    });
    expect(most).toBe(1);
    // After three replies of 0.05 the fourth does not fit.
    expect(fake.requests).toHaveLength(3);
    expect(run.outcome).toMatchObject({ state: "failed", failure: { code: "cost_limit_reached" } });
    expect(run.summary).toMatchObject({ status: "cancelled", turns: 3 });
  },
);

testAgent("the time of an agent runs on while its request waits for another of its own that hangs", async () => {
  await using fake = await startFakeProvider({ reply: { fault: "hang" } });
  const run = await runAgent(fake, {
    agent: agentOf("body.max_tokens = 100_000; await Promise.allSettled([ask(), ask()]);"),
    policies: "{budget: {max_seconds: 2}}",
    options: { max_cost_usd: 0.35, judge_model: "builtin/evidence" },
  });
  expect(run.summary).toMatchObject({ status: "limit_reached", stop_reason: "budget:seconds" });
  expect(fake.requests.length).toBeLessThan(2);
});
