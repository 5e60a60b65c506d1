import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { SessionId, SessionOutcome } from "../../src/domain/session.ts";
import { Verdict } from "../../src/domain/verdict.ts";
import { abeval, startAbeval } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";
import { verifies } from "./verifies.ts";

const QUICK = `name: quick
task: {prompt: Say hello., probe: {checks: [{run: test -f hello.txt, required: true}]}}
arms:
  - {id: does, model: scripted/does, system_prompt: Do it., script: [{calls: [{write_file: {path: hello.txt, content: hi}}]}, {say: Done.}]}
  - {id: talks, model: scripted/talks, system_prompt: Talk., script: [{say: I would.}]}
rubric: {criteria: [{measure: turns}], judge: {model: builtin/evidence}}
`;

function quickScenario(directory: string): string {
  const path = join(directory, "quick.yaml");
  writeFileSync(path, QUICK);
  return path;
}

const readOutcome = (state: string): SessionOutcome => {
  const [name = ""] = readdirSync(join(state, "sessions"));
  return JSON.parse(readFileSync(join(state, "sessions", name), "utf8"));
};

verifies(["cli:run", "run:compares", "scenario:yaml"], "stdout is one verdict and nothing else, exit 0", async () => {
  using directory = temporaryDirectory();
  const { status, stdout, stderr } = await abeval(["run", quickScenario(directory.path)]);
  const verdict = JSON.parse(stdout);
  expect(Value.Check(Verdict, verdict)).toBe(true);
  expect({ status, outcome: verdict.outcome, winner: verdict.winner }).toEqual({
    status: 0,
    outcome: "winner",
    winner: "does",
  });
  expect(stderr).toContain("does #1 model_turn");
  expect(stderr).toContain("does won");
});

verifies(["cli:run-out"], "--out holds the same bytes as stdout", async () => {
  using directory = temporaryDirectory();
  const out = join(directory.path, "verdict.json");
  const { stdout } = await abeval(["run", quickScenario(directory.path), "--out", out, "--quiet"]);
  expect(readFileSync(out, "utf8")).toBe(stdout);
  expect(readdirSync(directory.path).sort()).toEqual(["quick.yaml", "verdict.json"]);
});

verifies(
  [
    "cli:run-state-dir",
    "run:persisted",
    "run:outcome",
    "state:layout-db",
    "state:layout-json",
    "session:id",
    "decision:fields",
  ],
  "--state-dir keeps the whole outcome in the layout of part 2",
  async () => {
    using directory = temporaryDirectory();
    const state = join(directory.path, "state");
    const { stdout } = await abeval(["run", quickScenario(directory.path), "--state-dir", state]);
    expect(existsSync(join(state, "sessions.db"))).toBe(true);
    const outcome = readOutcome(state);
    expect(readdirSync(join(state, "sessions"))).toEqual([`${outcome.session_id}.json`]);
    expect(Value.Check(SessionId, outcome.session_id)).toBe(true);
    expect(Value.Check(SessionOutcome, outcome)).toBe(true);
    expect(outcome.verdict).toEqual(JSON.parse(stdout));
    expect(outcome.arms.map(({ arm_id }) => arm_id)).toEqual(["does", "talks"]);
    for (const decision of Object.values(outcome.decisions).flat())
      expect(Object.keys(decision)).toEqual(
        expect.arrayContaining(["seq", "kind", "summary", "tokens_in", "tokens_out", "latency_ms"]),
      );
  },
);

verifies(["state:memory"], "without --state-dir nothing is written", async () => {
  using directory = temporaryDirectory();
  const { status } = await abeval(["run", quickScenario(directory.path)], { cwd: directory.path });
  expect(status).toBe(0);
  expect(readdirSync(directory.path)).toEqual(["quick.yaml"]);
});

verifies(["cli:run-model", "cli:run-judge-model"], "--model runs both arms, --judge-model judges", async () => {
  await using provider = await startFakeProvider({ reply: { text: "Hello there." } });
  using directory = temporaryDirectory();
  const args = [
    "run",
    quickScenario(directory.path),
    "--model",
    "openai/arm-model",
    "--judge-model",
    "anthropic/judge-model",
  ];
  const state = join(directory.path, "state");
  const { status, stdout } = await abeval([...args, "--sandbox", "none", "--state-dir", state], {
    env: provider.environment,
  });
  expect(status).toBe(0);
  expect(provider.requests.filter(({ model }) => model === "arm-model")).toHaveLength(2);
  expect(readOutcome(state).arms.map(({ model }) => model)).toEqual(["openai/arm-model", "openai/arm-model"]);
  expect(JSON.parse(stdout).judge.model).toBe("anthropic/judge-model");
});

verifies(["cli:version", "version:0.1.6"], "--version prints the version, which package.json says too", async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dir, "../../package.json"), "utf8"));
  expect(await abeval(["--version"])).toEqual({ status: 0, stdout: "0.1.6\n", stderr: "" });
  expect(version).toBe("0.1.6");
});

test("help has flags and examples, on stdout, exit 0", async () => {
  const [top, run] = await Promise.all([abeval(["--help"]), abeval(["run", "--help"])]);
  expect([top.status, run.status]).toEqual([0, 0]);
  expect(top.stdout).toContain("abeval run <scenario_file>");
  for (const flag of ["--model", "--judge-model", "--out", "--state-dir", "--sandbox", "--quiet", "EXAMPLES"])
    expect(run.stdout).toContain(flag);
});

test("a run whose provider fails exits 1, says where, and prints no verdict", async () => {
  await using provider = await startFakeProvider({ reply: { status: 401, echo: true } });
  using directory = temporaryDirectory();
  const args = ["run", quickScenario(directory.path), "--model", "openai/x", "--sandbox", "none", "--quiet"];
  const { status, stdout, stderr } = await abeval(args, { env: provider.environment });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toContain("stage running, provider_failed");
  expect(stderr).toContain("OPENAI_API_KEY");
  expect(stderr).not.toContain(provider.environment["OPENAI_API_KEY"] ?? "?");
});

test("a judge that gives no usable answer is a verdict too: invalid, exit 3", async () => {
  await using provider = await startFakeProvider({ reply: { text: "Both!" } });
  using directory = temporaryDirectory();
  const path = quickScenario(directory.path);
  writeFileSync(
    path,
    QUICK.replace("measure: turns", "question: Kind")
      .replace("required: true", "required: false")
      .replace("test -f hello.txt", "exit 0"),
  );
  const { status, stdout, stderr } = await abeval(["run", path, "--judge-model", "openai/judge", "--quiet"], {
    env: provider.environment,
  });
  expect(stderr).toBe("");
  expect({ status, outcome: JSON.parse(stdout).outcome }).toEqual({ status: 3, outcome: "invalid" });
});

test("Ctrl-C stops the arms, saves what there is and exits 130", async () => {
  await using provider = await startFakeProvider({ reply: { fault: "hang" } });
  using directory = temporaryDirectory();
  const state = join(directory.path, "state");
  const args = [
    "run",
    quickScenario(directory.path),
    "--model",
    "openai/slow",
    "--sandbox",
    "none",
    "--state-dir",
    state,
  ];
  const child = startAbeval(args, { env: provider.environment });
  await until(() => provider.requests.length > 1);
  child.kill("SIGINT");
  const stdout = await new Response(child.stdout).text();
  expect({ status: await child.exited, stdout }).toEqual({ status: 130, stdout: "" });
  expect(readOutcome(state)).toMatchObject({ state: "cancelled", verdict: null, failure: { code: "cancelled" } });
});

test("the stored verdict is whole, also when the reader of stdout goes away", async () => {
  using directory = temporaryDirectory();
  const state = join(directory.path, "state");
  const child = startAbeval(["run", quickScenario(directory.path), "--state-dir", state, "--quiet"]);
  await child.stdout.cancel();
  await child.exited;
  expect(readOutcome(state)).toMatchObject({ state: "completed", verdict: { winner: "does" } });
});
