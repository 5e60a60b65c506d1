import { expect, test } from "bun:test";
import { NEED_OF_PROTOCOLS } from "../../src/comparison/planning/needs.ts";
import type { DoctorReport } from "../../src/domain/doctor-report.ts";
import { diagnoseMachine } from "../../src/doors/doctor/doctor.ts";
import { environmentChecks } from "../../src/doors/doctor/environment/environment-checks.ts";
import type { Needs, WorkerRow } from "../../src/store/shared-store.ts";
import { fakeInstalls, fakeServer } from "../tool/mcp/fake-install.ts";
import { diagnoseFile, goodScenario, hostWithoutBubblewrap, never, servicesOver } from "./small-scenario.ts";

const having = (...capabilities: Needs): WorkerRow => ({
  ...{ worker_id: "one", version: "1", slots: 2, running: 0, seen_s: 1 },
  capabilities: [NEED_OF_PROTOCOLS, ...capabilities],
});

/** Models that this machine has no keys for. */
const withModels = () => ({
  ...goodScenario(),
  arms: [
    { id: "brief", model: "my-gateway/a", system_prompt: "You are brief." },
    { id: "careful", extends: "brief", system_prompt: "You are careful." },
  ],
  rubric: { criteria: [{ id: "clear", question: "Is it clear?" }], judge: { model: "anthropic/judge" } },
});

function rowsOf({ checks }: Pick<DoctorReport, "checks">, ...ids: readonly string[]) {
  const rows = checks.filter(({ id }) => ids.includes(id));
  return Object.fromEntries(rows.map(({ id, status, detail }) => [id, [status, detail]]));
}

/** On a server without bubblewrap and keys, which leaves runs to these. */
async function found(scenario: object, workers: readonly WorkerRow[], agents_dir?: string) {
  using bare = hostWithoutBubblewrap();
  return await diagnoseFile(scenario, { ...bare, sandbox: "auto", workers, agents_dir });
}

const SCENARIO = ["models.arms", "models.judge", "models.sandbox", "workers.scenario"];

test("what the server that is asked lacks and a worker has is no finding", async () => {
  const able = having("provider:anthropic", "provider:my_gateway", "sandbox:bubblewrap");
  const report = await found(withModels(), [able, having("sandbox:none")]);
  expect(rowsOf(report, ...SCENARIO)).toEqual({
    "models.arms": ["pass", "brief: my-gateway/a, careful: my-gateway/a"],
    "models.judge": ["pass", "anthropic/judge"],
    "models.sandbox": ["pass", "bubblewrap"],
    "workers.scenario": ["pass", "1 of 2; provider:anthropic on 1, provider:my_gateway on 1, sandbox:bubblewrap on 1"],
  });
  expect(report.ok).toBe(true);
});

test("what nobody has is named, and refuses a run", async () => {
  const report = await found(withModels(), [having("provider:openai", "sandbox:none")]);
  expect(rowsOf(report, ...SCENARIO)).toEqual({
    "models.arms": ["fail", expect.stringContaining('unknown provider "my-gateway"')],
    "models.judge": ["warn", expect.stringContaining("ANTHROPIC_API_KEY")],
    "models.sandbox": ["fail", expect.stringContaining("the run would be refused")],
    "workers.scenario": ["fail", "none has provider:anthropic, provider:my_gateway, sandbox:bubblewrap"],
  });
});

test("keys alone that nobody has are a warning, as on one machine", async () => {
  const report = await found(withModels(), [having("provider:anthropic", "sandbox:bubblewrap")]);
  expect(rowsOf(report, "workers.scenario")).toEqual({ "workers.scenario": ["warn", "none has provider:my_gateway"] });
});

test("several that have only parts of it cannot run it", async () => {
  const workers = [having("provider:anthropic", "sandbox:bubblewrap"), having("provider:my_gateway", "sandbox:none")];
  const report = await found(withModels(), workers);
  expect(rowsOf(report, "workers.scenario")).toEqual({
    "workers.scenario": [
      "fail",
      "none of 2 has all: provider:anthropic on 1, provider:my_gateway on 1, sandbox:bubblewrap on 1",
    ],
  });
});

test("without a worker nobody can", async () => {
  const report = await found(goodScenario(), []);
  expect(rowsOf(report, "workers.scenario")).toEqual({ "workers.scenario": ["warn", "there is no worker"] });
});

test("programs that only a sandbox may start are left to workers that have one", async () => {
  using installs = fakeInstalls();
  const { install, command } = fakeServer();
  const [brief, careful] = goodScenario().arms;
  const scenario = { ...goodScenario(), arms: [{ ...brief, mcp: { fake: { install, command } } }, careful] };
  const alone = await found(scenario, [having("sandbox:none")], installs.path);
  expect(rowsOf(alone, "mcp.start")).toMatchObject({ "mcp.start": ["fail", expect.anything()] });
  const shared = await found(scenario, [having("sandbox:bubblewrap")], installs.path);
  const left = ["skip", expect.stringMatching(/^left to workers: /)];
  expect(rowsOf(shared, "mcp.start", "agents.start")).toEqual({ "mcp.start": left, "agents.start": left });
});

test("of the machine it says what is not here, and that workers have it", async () => {
  using bare = hostWithoutBubblewrap();
  const machine = async (workers?: readonly WorkerRow[]) => {
    const services = servicesOver("/nowhere", { ...bare, sandbox: "auto", workers });
    const checks = await diagnoseMachine(services, never, environmentChecks(services));
    return rowsOf({ checks }, "sandbox", "sandbox.network", "credentials", "credentials.judge");
  };
  expect(await machine()).toMatchObject({
    sandbox: ["warn", expect.stringContaining("runs with a model are refused")],
    "sandbox.network": ["warn", expect.stringContaining("are refused")],
    credentials: ["warn", expect.stringContaining("absent: anthropic")],
    "credentials.judge": ["warn", expect.stringContaining("ANTHROPIC_API_KEY")],
  });
  expect(await machine([having("provider:anthropic", "provider:ollama", "sandbox:bubblewrap")])).toMatchObject({
    sandbox: ["pass", expect.stringMatching(/^none here: .*; workers have one, and runs go to them$/)],
    "sandbox.network": ["skip", expect.stringContaining("runs go to workers")],
    credentials: ["pass", expect.stringMatching(/; workers have anthropic, and runs go to them$/)],
    "credentials.judge": ["pass", expect.stringMatching(/^anthropic\//)],
  });
});
