import { expect, test } from "bun:test";
import type { Scenario } from "../../src/domain/scenario.ts";
import { sandboxFor } from "../../src/session/sandbox-for.ts";
import { anArm, aScenario } from "../outcomes.ts";

const withArms = (model: string, changes = {}): Scenario =>
  aScenario({ arms: [anArm("left", { model, ...changes }), anArm("right", { model, ...changes })] });

test("a scenario in which nothing runs a command needs no sandbox, and says so without a warning", async () => {
  for (const scenario of [withArms("scripted/x"), withArms("openai/x", { tools: ["read_file"] })]) {
    const { sandbox, note, needed } = await sandboxFor({ sandbox: "bubblewrap" }, scenario);
    expect({ kind: sandbox.kind, note, needed }).toEqual({
      kind: "none",
      note: "not needed: nothing in this scenario can run a command",
      needed: false,
    });
  }
});

test.each([
  ["a setup step", aScenario({ task: { ...aScenario().task, setup: [{ run: "true", timeout_s: 1 }] } })],
  ["a scripted command", withArms("scripted/x", { script: [{ calls: [{ run_command: { command: "true" } }] }] })],
  ["a model with a shell", withArms("openai/x")],
])("%s needs one", async (_what, scenario) => {
  expect(await sandboxFor({ sandbox: "none" }, scenario)).toMatchObject({
    needed: true,
    note: expect.stringContaining("no sandbox"),
  });
});
