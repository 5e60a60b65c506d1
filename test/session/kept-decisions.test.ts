import { expect, test } from "bun:test";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { KeptDecisions } from "../../src/comparison/session/run/conduct-arm.ts";
import type { Decision } from "../../src/domain/decision.ts";
import { SCENARIO } from "../agent/plain-agent.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { runOnce, testServices } from "../harness.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

const STEP = { summary: "s", tokens_in: 1, tokens_out: 2, latency_ms: 3 };

const turn = (seq: number, name: string): Decision => ({
  ...STEP,
  ...{ seq, kind: "model_turn" },
  detail: { stop_reason: name, tools: [name], cached_tokens: 4, text: "t".repeat(400), usage_unknown: true },
});

const call = (seq: number, name: string): Decision => ({
  ...STEP,
  ...{ seq, kind: "tool_call" },
  detail: { tool: name, own_tool: name, input: "i", ok: true, exit_code: null, output: "o", bytes: 5 },
});

test("a decision's names are short, and what is short already stays as it is", () => {
  const log = new KeptDecisions();
  const [long, short] = ["n".repeat(3_900_000), "n".repeat(128)];
  expect([log.kept(turn(1, long)), log.kept(call(2, long))]).toEqual([turn(1, short), call(2, short)]);
});

test("forty turns with names of 3.9 MB take some kilobytes", () => {
  const log = new KeptDecisions();
  const name = "n".repeat(3_900_000);
  const kept = Array.from({ length: 40 }, (_, at) => [
    log.kept(turn(2 * at + 1, name)),
    log.kept(call(2 * at + 2, name)),
  ]);
  expect(JSON.stringify(kept).length).toBeLessThan(100_000);
});

test("a turn that calls without end keeps the first thousand names", () => {
  const endless = { ...turn(1, "n") } as Extract<Decision, { kind: "model_turn" }>;
  const detail = { ...endless.detail, tools: Array.from({ length: 20_000 }, () => "n") };
  const kept = new KeptDecisions().kept({ ...endless, detail } as Decision);
  expect(kept.detail).toMatchObject({ tools: Array.from({ length: 1_000 }, () => "n") });
});

test("a log that is full has no texts any more, and counts on", () => {
  const log = new KeptDecisions(600);
  expect([log.kept(turn(1, "n")), log.full]).toEqual([turn(1, "n"), false]);
  expect([log.kept(turn(2, "n")), log.full]).toEqual([turn(2, "n"), true]);
  const { detail: turned, ...step } = turn(3, "n");
  expect(log.kept(turn(3, "n"))).toEqual({ ...step, detail: { ...turned, text: "" } } as Decision);
  const { detail: called, ...next } = call(4, "n");
  expect(log.kept(call(4, "n"))).toEqual({ ...next, detail: { ...called, input: "", output: "" } } as Decision);
});

test("a built-in arm whose model calls tools with endless names leaves a small session", async () => {
  const name = "n".repeat(100_000);
  await using fake = await startFakeProvider({
    plan: Array.from({ length: 3 }, (_, at) => ({ calls: [{ id: `c${at}`, name, input: {} }] })),
  });
  await using folder = await scenarioFolder({ "two.yaml": SCENARIO });
  const loaded = await loadScenarioFile(folder.path("two.yaml"));
  const { outcome } = await runOnce(testServices(fake.environment), loaded);
  expect(outcome.arms[0]).toMatchObject({ status: "finished", turns: 4, tool_calls: 3 });
  expect(JSON.stringify(outcome).length).toBeLessThan(60_000);
});
