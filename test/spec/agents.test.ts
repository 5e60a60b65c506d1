import { expect } from "bun:test";
import { abeval } from "../abeval.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";

const testAgent = testNeeding(SANDBOX);
const SCENARIO = "scenarios/agents/plain-rules.yaml";
const REPLAY = ["run", SCENARIO, "--replay", "scenarios/agents/recorded"];

// When the scenario, the agent or the form of a recording has changed: bun run record:example
testAgent("the bundled agents are compared from their recording, without a key or a network", async () => {
  const { status, stdout, stderr } = await abeval([...REPLAY, "--replay-strict"]);
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  const verdict = JSON.parse(stdout);
  expect(verdict).toMatchObject({ outcome: "winner", winner: "with-rule", decided_by: "probe" });
  expect(verdict.flags).toContain("replayed");
  expect(stderr).toContain("with-rule #5 tool_call: run_command");
});

testAgent("trials that play one recording are copies, and nothing is concluded from them", async () => {
  const { status, stdout } = await abeval([...REPLAY, "--trials", "2", "--quiet"]);
  expect(status).toBe(0);
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ state: "completed", conclusion: "undecided" });
  expect(report.statement).toContain("copies count as one observation");
});

testAgent("a real agent needs a key, and a replay one recording for each arm", async () => {
  expect(await abeval(["run", SCENARIO])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("EXAMPLE_BASE_URL"),
  });
  expect(await abeval(["run", SCENARIO, "--replay", "scenarios"])).toMatchObject({
    ...{ status: 2, stdout: "", stderr: expect.stringContaining("plain-rules/plain.jsonl is missing") },
  });
});
