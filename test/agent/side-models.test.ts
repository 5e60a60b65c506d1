import { expect } from "bun:test";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { ASKS_ONCE, runAgent, shellAgent } from "./plain-agent.ts";

const testAgent = testNeeding(SANDBOX);

/** One turn, then two small calls of another model. A gateway would ask a third one when the second fails. */
const AGENT = shellAgent(
  "bun /home/agent/agent.mjs",
  `${ASKS_ONCE}
  await ask();
  delete body.tools;
  body.model = "gpt-small";
  body.fallbacks = ["gpt-third"];
  await ask();
  await ask();`,
);
const SMALL = { in: 10, out: 0, cached_in: null };
const REPLY = { text: "Done.", usage: { in: 100, out: 10 } };
const priced = { prices: new Map([["openai/gpt-small", SMALL]]) };

testAgent("other models that small calls ask are counted at their own price, named and flagged", async () => {
  await using fake = await startFakeProvider({ reply: REPLY });
  const { summary, outcome, decisions } = await runAgent(fake, { agent: AGENT, services: priced });
  expect(fake.requests.map(({ model }) => model)).toEqual(["gpt-x", "gpt-small", "gpt-small"]);
  expect(fake.requests.some(({ body }) => "fallbacks" in body)).toBe(false);
  expect(summary.other_models).toEqual([
    { model: "openai/gpt-small", calls: 2, tokens_in: 200, tokens_out: 20, cost_usd: 0.002 },
  ]);
  expect(summary.cost_usd).toBeCloseTo((100 * 1 + 10 * 2 + 2 * 100 * 10) / 1e6, 12);
  expect(summary.at_least).toBeUndefined();
  expect(outcome.verdict?.flags).toContain("other_models");
  expect(decisions[1]?.detail).toMatchObject({ side: true, model: "openai/gpt-small" });
});

testAgent("without their price the cost is at least what is known, and says why", async () => {
  await using fake = await startFakeProvider({ reply: REPLY });
  const { summary } = await runAgent(fake, { agent: AGENT });
  expect(summary).toMatchObject({ tokens_in: 300, tokens_out: 30, cost_usd: null });
  expect(summary.at_least?.cost_usd).toBeCloseTo(120 / 1e6, 12);
  expect(summary.at_least?.why).toBe("no price is known of openai/gpt-small, which small calls asked");
});

testAgent(
  "under a cost limit a small call of a model without a price is asked of the arm's, and the log says so",
  async () => {
    await using fake = await startFakeProvider({ reply: REPLY });
    const limited = await runAgent(fake, {
      agent: AGENT,
      options: { max_cost_usd: 1, judge_model: "builtin/evidence" },
    });
    expect(fake.requests.map(({ model }) => model)).toEqual(["gpt-x", "gpt-x", "gpt-x"]);
    expect(limited.summary.other_models).toBeUndefined();
    expect(limited.summary.cost_usd).toBeCloseTo(360 / 1e6, 12);
    expect(limited.decisions.filter(({ kind }) => kind === "error")).toMatchObject([
      { detail: { code: "model_without_price", message: expect.stringContaining("openai/gpt-small has no price") } },
    ]);
  },
);

testAgent("one reply that nobody waited for leaves what is known as a lower bound, with the reason", async () => {
  await using fake = await startFakeProvider({
    plan: [REPLY, { fault: "hang" }],
    reply: REPLY,
  });
  const module = `${ASKS_ONCE} await ask();
    await fetch(process.env.OPENAI_BASE_URL + "/chat/completions",
      { method: "POST", headers, body: JSON.stringify(body), signal: AbortSignal.timeout(300) }).catch(() => 0);
    await ask();`;
  const { summary } = await runAgent(fake, { agent: shellAgent("bun /home/agent/agent.mjs", module) });
  expect(summary).toMatchObject({ tokens_in: null, tokens_out: null, cost_usd: null });
  expect(summary.at_least).toEqual({
    ...{ tokens_in: 200, tokens_out: 20, cost_usd: expect.closeTo(240 / 1e6, 12) },
    why: "1 of 3 replies broke off before the provider said what was used",
  });
});
