import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import { readLog } from "../../src/arms/imported/read-log.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import type { Trajectory } from "../../src/domain/atif.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { trajectoryOf } from "../../src/doors/report/trajectory.ts";
import { runOnce, testServices } from "../harness.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { temporaryDirectory } from "../temporary.ts";
import PUBLISHED from "./atif-schema.json" with { type: "json" };
import { aService } from "./service.ts";

const published = new Ajv({ allErrors: true, strict: false }).compile(PUBLISHED);

/** What is wrong with it by the published form: its schema, numbers without gaps, results of calls of the same step. */
function faultsOf(trajectory: Trajectory): readonly string[] {
  published(trajectory);
  const faults = (published.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
  for (const [index, { step_id, tool_calls = [], observation }] of trajectory.steps.entries()) {
    if (step_id !== index + 1) faults.push(`step ${index + 1} has the number ${step_id}`);
    const calls = new Set(tool_calls.map(({ tool_call_id }) => tool_call_id));
    for (const { source_call_id = "" } of observation?.results ?? [])
      if (!calls.has(source_call_id)) faults.push(`step ${step_id}: no call ${source_call_id}`);
  }
  return faults;
}

const SCENARIO = `name: talk
task:
  messages: [{role: user, text: Hello}, {role: assistant, text: Hi}]
  prompt: Write it.
  follow_ups: [Say it in one word.]
  fixture: {files: {a.txt: "a\\n"}}
policies: {paths: {protected: [secret/**]}}
arms:
  - id: writes
    model: scripted/writes
    system_prompt: Be brief.
    script:
      - {say: I look., calls: [{read_file: {path: a.txt}}, {write_file: {path: b.txt, content: b}}]}
      - {calls: [{write_file: {path: secret/x, content: x}}]}
      - {say: Done.}
      - {say: Yes.}
  - {id: talks, model: scripted/talks, script: [{say: No.}, {say: Never.}]}
rubric: {criteria: [{measure: turns}], judge: {model: builtin/evidence}}
`;

async function talk(): Promise<SessionOutcome> {
  await using folder = await scenarioFolder({ "talk.yaml": SCENARIO });
  return (await runOnce(testServices(), await loadScenarioFile(folder.path("talk.yaml")))).outcome;
}

test("what an arm was told, said, called and got back is a trajectory by the published form", async () => {
  const session = await talk();
  const [arm] = session.arms;
  const trajectory = trajectoryOf(session, arm, "1.2.3");
  expect(faultsOf(trajectory)).toEqual([]);
  expect(trajectory.agent).toEqual({ name: "abeval", version: "1.2.3", model_name: arm.model_served ?? arm.model });
  expect(trajectory.steps.map(({ source, message }) => `${source}: ${message}`)).toEqual([
    ...[
      "system: Be brief.",
      "user: Hello",
      "agent: Hi",
      "user: Write it.",
      "agent: I look.",
      "agent: ",
      "agent: Done.",
    ],
    ...["user: Say it in one word.", "agent: Yes."],
  ]);
  const [looked, refused] = trajectory.steps.filter(({ tool_calls }) => tool_calls);
  expect(looked?.tool_calls?.map((call) => [call.function_name, call.arguments])).toEqual([
    ["read_file", { path: "a.txt" }],
    ["write_file", { path: "b.txt", content: "b" }],
  ]);
  expect(looked?.observation?.results[0]).toMatchObject({ content: "a\n", extra: { ok: true } });
  expect(refused?.observation?.results[0]?.extra?.["blocked_by"]).toContain("secret/**");
  expect(trajectory.final_metrics).toMatchObject({ total_prompt_tokens: arm.tokens_in, total_steps: 9 });
});

test("abeval's own reader of logs takes it for what it was", async () => {
  const session = await talk();
  const [arm] = session.arms;
  using directory = temporaryDirectory();
  const path = join(directory.path, "trajectory.json");
  writeFileSync(path, JSON.stringify(trajectoryOf(session, arm, "1.2.3")));
  const log = await readLog(path);
  expect(log).toMatchObject({ form: "atif", agent: "abeval", version: "1.2.3" });
  const calls = log.steps.flatMap((step) => (step.kind === "turn" ? step.calls.map(({ name }) => name) : []));
  expect(calls).toEqual(["read_file", "write_file", "write_file"]);
  expect(log.steps.flatMap((step) => (step.kind === "result" ? [step.output] : []))[0]).toBe("a\n");
});

test("a form that another version has, or a field that nobody named, is seen by the check", () => {
  const step = { step_id: 1, source: "user" as const, message: "", metrics: {} };
  const wrong = { schema_version: "ATIF-v1.7" as const, agent: { name: "x", version: "1" }, steps: [step], mine: 1 };
  expect(faultsOf(wrong as never)).toHaveLength(3);
});

test("the API sends it, in pieces, for the arm that is named", async () => {
  await using service = aService();
  const { session_id } = (await (await service.post("/api/runs", { scenario: "quick" })).json()) as SessionOutcome;
  const sent = await service.get(`/api/sessions/${session_id}/trajectory?arm_id=right`);
  expect(sent.headers.get("content-type")).toBe("application/json;charset=utf-8");
  const trajectory = (await sent.json()) as Trajectory;
  expect(faultsOf(trajectory)).toEqual([]);
  expect(trajectory).toMatchObject({ session_id, trajectory_id: `${session_id}/right`, extra: { arm_id: "right" } });
  expect(trajectory.steps.at(-1)).toMatchObject({ source: "agent", message: "Good morning to you." });
  const refused = async (query: string) => {
    const response = await service.get(`/api/sessions/${query}`);
    return `${response.status} ${((await response.json()) as { error: { message: string } }).error.message}`;
  };
  expect(await refused(`${session_id}/trajectory?arm_id=rigth`)).toBe(
    '404 the session has no arm "rigth"; did you mean "right"?',
  );
  expect(await refused(`${session_id}/trajectory`)).toStartWith("422 ");
  expect(await refused("session-x-20260101T000000000Z/trajectory?arm_id=a")).toStartWith("404 ");
});
