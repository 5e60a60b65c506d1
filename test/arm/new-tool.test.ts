import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import type { ArmEnd } from "../../src/arms/arm/arm-end.ts";
import { builtInArm } from "../../src/arms/arm/built-in-arm.ts";
import { scriptedModel } from "../../src/arms/model/scripted.ts";
import type { Tool } from "../../src/arms/tool/tool.ts";
import { outputOf } from "../../src/arms/tool/tool.ts";
import { collectEvidence, type Evidence } from "../../src/comparison/evidence/collect.ts";
import { draftDigest } from "../../src/comparison/judge/view/digest-section.ts";
import type { Decision } from "../../src/domain/decision.ts";
import type { Policies } from "../../src/domain/policies.ts";
import type { ToolName } from "../../src/domain/tool.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { testServices } from "../harness.ts";
import { anArm, aScenario } from "../outcomes.ts";
import { never, openFixture, shell } from "../workspace/harness.ts";

// Nothing in the product knows these names: what holds for them holds for the next tool of ours.
const APPEND = "append_line" as ToolName;
const MAKE = "make_target" as ToolName;

const line = Type.Object({ path: Type.String(), line: Type.String() });
const append: Tool<typeof line> = {
  name: APPEND,
  effect: "write",
  subject: "path",
  description: "Append a line to a file.",
  input: line,
  async run({ path, line: added }, { workspace }) {
    await workspace.writeText(path, `${await workspace.readText(path)}${added}\n`);
    return outputOf(`Appended to ${path}.`);
  },
};

const target = Type.Object({ command: Type.String() });
const make: Tool<typeof target> = {
  name: MAKE,
  effect: "command",
  subject: "command",
  description: "Run a command.",
  input: target,
  async run({ command }, { workspace, signal }) {
    const { output, exit_code } = await workspace.exec(shell(command), signal);
    return { ...outputOf(output), exit_code };
  },
};

interface Played {
  readonly end: ArmEnd;
  readonly log: readonly Decision[];
  readonly evidence: Evidence;
}

async function play(calls: readonly Record<string, unknown>[], changes: Partial<Policies>): Promise<Played> {
  await using pristine = openFixture({ "src/pager.ts": "export {};\n", "pager.test.ts": "strict\n" });
  await using workspace = pristine.open();
  const { task, policies: base } = aScenario();
  const policies = { ...base, paths: { writable: ["**"], protected: ["pager.test.ts"] }, ...changes };
  const log: Decision[] = [];
  const redact = (text: string) => text;
  const emit = (decision: Decision) => log.push(decision);
  const model = scriptedModel("scripted/test", [...calls.map((call) => ({ calls: [call] })), { say: "Done." }]);
  const run = { arm: anArm("arm"), prompt: "", policies, workspace, clock: systemClock, redact, emit };
  const end = await builtInArm(model, [append, make])(run, never);
  const overlay = { dir: null, files: {} };
  const left = { workspace, answer: end.final_answer, calls: end.calls, decisions: log };
  const collection = { ...left, seen: end.violations, task, policies, overlay, redact, services: testServices() };
  return { end, log, evidence: await collectEvidence(collection, never) };
}

/** As a judge reads it, without what the model said. */
async function judged(log: readonly Decision[]) {
  const { steps } = await draftDigest(log, (text) => ({ text, count: 0 }));
  return steps.filter(({ rank }) => rank !== "other").map(({ head, rank, body }) => [head, rank, ...body]);
}

test("a tool that writes is held by the protected paths, reviewed, and told to the judge as an edit", async () => {
  const forbidden = { path: "./src/../pager.test.ts", line: "lax" };
  const allowed = { path: "src/pager.ts", line: "// more" };
  const required = [{ id: "appended", tool: APPEND, match: "src/**", min: 1 }];
  const { end, log, evidence } = await play([{ [APPEND]: forbidden }, { [APPEND]: allowed }], { required });
  expect([end.status, end.calls]).toEqual([
    "finished",
    [
      { tool: APPEND, effect: "write", subject: "pager.test.ts", refused_by: "pager.test.ts" },
      { tool: APPEND, effect: "write", subject: "src/pager.ts", refused_by: null, failed: false },
    ],
  ]);
  expect(evidence.changes?.files.map(({ path, after }) => [path, after])).toEqual([
    ["src/pager.ts", "export {};\n// more\n"],
  ]);
  expect(evidence.violations).toEqual([
    { rule: "pager.test.ts", severity: "disqualify", subject: "pager.test.ts", blocked: true },
  ]);
  expect(evidence.required).toEqual([{ id: "appended", tool: APPEND, count: 1, min: 1, met: true }]);
  expect(await judged(log)).toEqual([
    ["#2 append_line refused before it ran (rule pager.test.ts)", "policy", `input ${JSON.stringify(forbidden)}`],
    ["#4 append_line", "edit", `input ${JSON.stringify(allowed)}`],
  ]);
});

test("a tool that runs commands is held by their rules, and what it printed is told to the judge", async () => {
  const commands = { ...aScenario().policies.commands, deny: ["git push*"] };
  const required = [{ id: "echoed", tool: MAKE, match: "echo *", min: 1 }];
  const calls = ["sudo git push", "cd . && echo made"].map((command) => ({ [MAKE]: { command } }));
  const { log, evidence } = await play(calls, { commands, required });
  expect(evidence.violations).toEqual([
    { rule: "git push*", severity: "warn", subject: "sudo git push", blocked: true },
  ]);
  expect(evidence.required).toEqual([{ id: "echoed", tool: MAKE, count: 1, min: 1, met: true }]);
  expect(await judged(log)).toEqual([
    ["#2 make_target refused before it ran (rule git push*)", "policy", 'input {"command":"sudo git push"}'],
    ["#4 make_target, exit 0", "command", 'input {"command":"cd . && echo made"}', "output made\n"],
  ]);
});

test("an arm is disqualified as soon as a command of any tool changes a protected file", async () => {
  const calls = ["echo lax > pager.test.ts", "echo more"].map((command) => ({ [MAKE]: { command } }));
  const { end } = await play(calls, {});
  expect([end.status, end.tool_calls, end.violations.map(({ subject }) => subject)]).toEqual([
    "disqualified",
    1,
    ["pager.test.ts"],
  ]);
});
