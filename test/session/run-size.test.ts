import { expect, test } from "bun:test";
import { firstTurnTokens } from "../../src/session/run-size.ts";
import { PLAIN_AGENT } from "../agent/plain-agent.ts";
import { aScenario } from "../outcomes.ts";

test("an agent brings a prompt of its own along, which costs more than the task", () => {
  const scenario = aScenario();
  const [arm] = scenario.arms;
  const own = firstTurnTokens(scenario, { ...arm, agent: PLAIN_AGENT });
  const claude = firstTurnTokens(scenario, { ...arm, agent: { ...PLAIN_AGENT, use: "claude-code", command: null } });
  expect(claude - own).toBe(12_000);
  expect(own).toBeLessThan(firstTurnTokens(scenario, arm));
});
