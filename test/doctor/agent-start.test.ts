import { expect } from "bun:test";
import { join } from "node:path";
import type { ArmFile } from "../../src/comparison/scenario/authored/arm-file.ts";
import type { ScenarioFile } from "../../src/comparison/scenario/authored/scenario-file.ts";
import type { ExternalAgent } from "../../src/domain/external-agent.ts";
import { responsesAgent, responsesModule } from "../agent/responses-agent.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { diagnoseFile, ofScenario } from "./small-scenario.ts";

const testAgent = testNeeding(SANDBOX);

const MODULE = await Bun.file(join(import.meta.dir, "../../scenarios/agents/plain/agent.mjs")).text();

interface Tried {
  readonly wires?: NonNullable<Extract<ArmFile["agent"], object>["wires"]>;
  readonly policies?: ScenarioFile["policies"];
  readonly module?: string;
}

/** What doctor finds of an agent that is a shell line; no provider has a key. */
async function found(line: string, { wires, policies, module = MODULE }: Tried = {}) {
  const files = { files: { "agent.mjs": module } };
  const agent = {
    command: ["sh", "-c", line, "sh", "{base:openai}", "{model}", "{prompt}"],
    files,
    ...(wires && { wires }),
  };
  const report = await diagnoseFile(
    {
      name: "small",
      task: { prompt: "Be brief." },
      arms: [
        { id: "ours", model: "openai/gpt-x", agent },
        { id: "script", model: "scripted/a", script: [{ say: "Done." }] },
      ],
      ...(policies && { policies }),
      rubric: { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } },
    },
    { sandbox: "auto" },
  );
  const { status, detail, hint } = ofScenario(report).find(({ id }) => id === "agents.start") ?? {};
  return { status, detail, hint };
}

testAgent("an agent that starts is heard, without a key and at no cost", async () => {
  expect(await found('exec bun ~/agent.mjs "$@"')).toEqual({
    status: "pass",
    detail: expect.stringMatching(/^ours: called its model after \d\.\d s and ended with exit code 0$/),
    hint: null,
  });
});

testAgent("one that does not start is a fault, in its own words", async () => {
  expect(await found("echo 'unknown option --fast' >&2; exit 2")).toMatchObject({
    status: "fail",
    detail: 'arm "ours": its agent ended (exit code 2) without calling a model. Its last output: unknown option --fast',
    hint: expect.stringContaining("run the same command by hand"),
  });
});

testAgent("one that works and then crashes is a warning", async () => {
  expect(await found('bun ~/agent.mjs "$@"; kill -9 $$')).toEqual({
    status: "warn",
    detail: expect.stringContaining("ended with exit code 137"),
    hint: expect.stringContaining("`agent.ok_exit`"),
  });
});

testAgent("one that offers its model no tools is heard, and rules that cannot see its commands are told", async () => {
  const line = `sed "s/, tools })/ })/" ~/agent.mjs > /tmp/a.mjs; exec bun /tmp/a.mjs "$@"`;
  expect(await found(line)).toMatchObject({ status: "pass" });
  expect(await found(line, { policies: { commands: { deny: ["git push*"] } } })).toEqual({
    status: "warn",
    detail: expect.stringContaining("it offers no tools to its model"),
    hint: expect.stringContaining("`policies.commands` stops none"),
  });
});

testAgent("one that asks for other addresses is seen to", async () => {
  const line = `bun -e 'await fetch(process.env.OPENAI_BASE_URL + "/telemetry")'; exec bun ~/agent.mjs "$@"`;
  expect(await found(line)).toMatchObject({
    status: "pass",
    detail: expect.stringContaining("the agent asked for GET /openai/v1/telemetry, which no provider has"),
  });
});

const moduleOf = ({ files }: ExternalAgent) => files?.files["agent.mjs"] ?? "";

testAgent("one that keeps its conversation with its provider is tried over two turns", async () => {
  const byId = moduleOf(responsesAgent("previous_response_id", true));
  expect(await found("exec bun ~/agent.mjs", { wires: ["responses"], module: byId })).toMatchObject({
    status: "pass",
    detail: expect.stringMatching(/ended with exit code 0$/),
  });
  const inTwoTurns = moduleOf(
    responsesModule(`await ask({ input: "x" }); await ask({ input: "x", conversation: "conv_1" });`),
  );
  expect(await found("exec bun ~/agent.mjs", { wires: ["responses"], module: inTwoTurns })).toMatchObject({
    status: "fail",
    detail: expect.stringContaining('arm "ours": its agent asked for what abeval does not serve: conversation'),
  });
});
