import { expect, test } from "bun:test";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playScript } from "../fake-provider/play-script.ts";
import { bundled, runOnce, testServices } from "../harness.ts";
import { wellFormed } from "../judge/mock-judge.ts";
import { WINNERS } from "./winners.ts";

/** The fake provider in the place of both arms' models and, when scored, of a judge who reads the evidence. */
const asProvider = async (name: string) => {
  const { definition } = await bundled(name);
  return playScript({
    scriptOf: ({ system, tools }) =>
      definition.arms.find((arm) => arm.system_prompt === system && arm.tools.length === tools.length)?.script ??
      undefined,
    judge: (request) =>
      wellFormed({ ...request, params: { max_output_tokens: 1 }, timeout_ms: 1 } as never, ({ evidence }) =>
        Object.fromEntries([["cause", /Math\.ceil\(total \/ size\)/.test(evidence) ? 4 : 1]]),
      ),
  });
};

test.each(WINNERS)(
  "%s ends with %s as the winner, decided by %s, through the real SDK of %s",
  async (name, winner, decided_by, provider) => {
    await using server = await startFakeProvider({ reply: await asProvider(name) });
    const services = testServices(server.environment);
    const { outcome } = await runOnce(services, await bundled(name), { model_override: `${provider}/fake-model` });
    expect(outcome).toMatchObject({ state: "completed", verdict: { outcome: "winner", winner, decided_by } });
    expect(outcome.arms.map(({ model }) => model)).toEqual([`${provider}/fake-model`, `${provider}/fake-model`]);
    expect(server.requests.length).toBe(outcome.arms[0].turns + outcome.arms[1].turns);
  },
);

test.each(["anthropic", "openai"])(
  "a model judge over the real SDK of %s is asked in both orders and explains",
  async (provider) => {
    await using server = await startFakeProvider({ reply: await asProvider("pager-last-page") });
    const services = testServices(server.environment);
    const options = { judge_model: `${provider}/judge` };
    const { outcome } = await runOnce(services, await bundled("pager-last-page"), options);
    const { verdict } = outcome;
    expect(verdict?.calls.map(({ order, valid, label }) => ({ order, valid, label }))).toEqual([
      { order: "ab", valid: true, label: "b" },
      { order: "ba", valid: true, label: "b" },
    ]);
    expect(verdict).toMatchObject({ winner: "root-cause", decided_by: "probe", judge: { model: `${provider}/judge` } });
  },
);

/** A store in memory that refuses the entries that `refuses` names; `written` counts those that it took. */
/** A store in memory whose disk answers when the test lets it. */
