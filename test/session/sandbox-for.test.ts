import { describe, expect, test } from "bun:test";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Sandboxes } from "../../src/arms/sandbox/sandboxes.ts";
import { sandboxFor } from "../../src/comparison/planning/sandbox-for.ts";
import type { Scenario } from "../../src/domain/scenario.ts";
import type { ProbeCheck } from "../../src/domain/task.ts";
import { host, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { anArm, aScenario } from "../outcomes.ts";
import { temporaryDirectory } from "../temporary.ts";

const sandboxes = new Sandboxes(host);

const withArms = (model: string, changes = {}): Scenario =>
  aScenario({ arms: [anArm("left", { model, ...changes }), anArm("right", { model, ...changes })] });

const checkedBy = (kind: Partial<ProbeCheck>): Scenario => {
  const scenario = withArms("openai/x", { tools: [] });
  const check = {
    id: "c",
    before: null,
    required: true,
    weight: 1,
    timeout_s: 9,
    expect_exit: 0,
    output_matches: null,
  };
  const files = { dir: null, files: {}, digest: "0".repeat(64) };
  return { ...scenario, task: { ...scenario.task, probe: { files, checks: [{ ...check, ...kind }] } } };
};

test("a scenario in which nothing runs a command needs no sandbox, and says so without a warning", async () => {
  for (const scenario of [
    withArms("scripted/x"),
    withArms("Scripted/x"),
    withArms("openai/x", { tools: ["read_file"] }),
    checkedBy({ answer_contains: ["yes"] }),
  ]) {
    const { sandbox, note, needed } = await sandboxFor({ sandbox: "bubblewrap", sandboxes }, scenario);
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
  [
    "a command in one of several scripts",
    withArms("scripted/x", {
      script: null,
      scripts: [
        { weight: 99, turns: [{ say: "Done." }] },
        { weight: 1, turns: [{ calls: [{ run_command: { command: "true" } }] }] },
      ],
    }),
  ],
  ["a check that is a command", checkedBy({ run: "true" })],
  ["a model with a shell", withArms("openai/x")],
])("%s needs one", async (_what, scenario) => {
  expect(await sandboxFor({ sandbox: "none", sandboxes }, scenario)).toMatchObject({
    needed: true,
    note: expect.stringContaining("no sandbox"),
  });
});

describe("an open network", () => {
  const open = (model: string): Scenario => {
    const scenario = withArms(model, { script: [{ calls: [{ run_command: { command: "true" } }] }] });
    return { ...scenario, policies: { ...scenario.policies, network: "open" } };
  };

  testNeeding(SANDBOX)("of a model is refused where it would lead to this machine", async () => {
    using tools = temporaryDirectory();
    chmodSync(tools.path, 0o755);
    symlinkSync(Bun.which("bwrap") ?? "", join(tools.path, "bwrap"));
    const refused = sandboxFor(
      { sandbox: "auto", sandboxes: new Sandboxes({ ...host, path: tools.path, admin_path: tools.path }) },
      open("openai/x"),
    );
    expect(await refused.catch((error: unknown) => error)).toMatchObject({ code: "sandbox_unavailable" });
  });

  testNeeding(SANDBOX)(
    "is that of this machine for scripted arms, or when the user accepts it, and both are said",
    async () => {
      const accepting = new Sandboxes({ ...host, accept_host_network: true });
      const notes = await Promise.all([
        sandboxFor({ sandbox: "auto", sandboxes }, open("scripted/x")),
        sandboxFor({ sandbox: "auto", sandboxes: accepting }, open("openai/x")),
      ]);
      expect(notes.map(({ note, needed }) => ({ note, needed }))).toEqual([
        { note: expect.stringMatching(/^network: open: the scenario's own commands can reach/), needed: true },
        { note: expect.stringMatching(/^network: open, as accepted: a model's commands can reach/), needed: true },
      ]);
    },
  );
});
