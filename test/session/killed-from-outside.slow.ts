import { afterAll, expect, test } from "bun:test";
import { signalProcess } from "../../src/arms/sandbox/process/process-table.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import type { ScriptTurn } from "../../src/domain/arm.ts";
import { ASKS_ONCE, PLAIN_AGENT, runAgent, shellAgent } from "../agent/plain-agent.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playAgent } from "../fake-provider/play-agent.ts";
import { runOnce, testServices } from "../harness.ts";
import { SANDBOX } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { fakeInstalls, fakeServer } from "../tool/mcp/fake-install.ts";
import { until } from "../turns.ts";
import { processesWith } from "../workspace/harness.ts";

const installs = fakeInstalls();
afterAll(() => installs[Symbol.dispose]());

/** Two arms that do the same. `slow` works long enough to be killed. */
interface Work {
  readonly setup?: string;
  readonly check?: string;
  readonly slow?: readonly ScriptTurn[];
}

async function scenarioOf({ setup, check = "true", slow = [{ say: "Done." }] }: Work): Promise<LoadedScenario> {
  const text = `name: killed
task:
  prompt: Do it.
  fixture: { files: { a.txt: "one" } }
  setup: ${JSON.stringify(setup === undefined ? [] : [{ run: setup }])}
  probe: { checks: [{ id: works, run: ${JSON.stringify(check)}, required: true }] }
arms:
  - { id: fast, model: scripted/x, script: [{ say: Done. }] }
  - { id: slow, model: scripted/x, script: ${JSON.stringify(slow)} }
rubric: { criteria: [{ measure: probe_score }], judge: { model: builtin/evidence } }
`;
  await using folder = await scenarioFolder({ "killed.yaml": text });
  return await loadScenarioFile(folder.path("killed.yaml"));
}

/**
 * Sends a signal to the processes with the mark, the outermost first, as soon as all of them run.
 * @param working on the command line of what they are at
 */
async function signalTree(mark: string, signal: NodeJS.Signals, working = mark): Promise<void> {
  await until(() => processesWith(working).length > 0);
  const pids = () => processesWith(mark).map((path) => Number(/\d+/.exec(path)?.[0]));
  await until(() => pids().length > 2);
  for (const pid of pids().toSorted((one, other) => one - other)) signalProcess(pid, signal);
}

/** `slow` calls its MCP server, which has the mark on its command line. */
async function runWithServer(calls: NonNullable<ScriptTurn["calls"]>, mark = "") {
  const loaded = await scenarioOf({ slow: [...calls.map((call) => ({ calls: [call] })), { say: "Done." }] });
  const [fast, slow] = loaded.definition.arms;
  const arms = [fast, { ...slow, mcp: [fakeServer("fake", {}, [mark])] }] as typeof loaded.definition.arms;
  const definition = { ...loaded.definition, varies: ["mcp" as const], arms };
  return await runOnce(testServices({}, { agents_dir: installs.path }), { ...loaded, definition });
}

/** On the command line of one test's processes alone. */
const newMark = () => `mark-${crypto.randomUUID()}`;

const NOBODYS_LOSS = {
  state: "interrupted",
  verdict: null,
  failure: { class: "infra", code: "killed_from_outside", retryable: true },
};

const sleeping = (mark: string) => `: ${mark}; sleep 30; true`;

const WORKS: readonly (readonly [what: string, work: (mark: string) => Work, stage: string])[] = [
  ["a step of the setup", (mark) => ({ setup: sleeping(mark) }), "preparing"],
  [
    "a model's command",
    (mark) => ({ slow: [{ calls: [{ run_command: { command: sleeping(mark) } }] }, { say: "Done." }] }),
    "running",
  ],
  ["a hidden check", (mark) => ({ check: sleeping(mark) }), "probing"],
];

describeNeeding(SANDBOX)("a run is handed back and nobody loses it", () => {
  test.each(
    WORKS.flatMap(([what, work, stage]) =>
      (["SIGTERM", "SIGKILL"] as const).map((signal) => [what, signal, work, stage] as const),
    ),
  )("when %s gets a %s from outside", async (_what, signal, work, stage) => {
    const mark = newMark();
    const ended = runOnce(testServices(), await scenarioOf(work(mark)));
    await signalTree(mark, signal);
    const { outcome } = await ended;
    expect(outcome).toMatchObject({ ...NOBODYS_LOSS, failure: { ...NOBODYS_LOSS.failure, stage } });
    expect(outcome.failure?.message).toContain(`${signal} ended the sandbox around it (process `);
    expect(outcome.arms.map(({ status }) => status)).not.toContain("failed");
  });

  test.each(["SIGTERM", "SIGKILL"] as const)("when the MCP server of an arm gets a %s from outside", async (signal) => {
    const mark = newMark();
    const path = `at-work-${mark}`;
    const ended = runWithServer([{ fake__keep_writing: { path } }, { fake__silent: {} }], mark);
    await signalTree(mark, signal, `> ${path}`);
    expect((await ended).outcome).toMatchObject(NOBODYS_LOSS);
  });

  test.each(["SIGTERM", "SIGKILL"] as const)(
    "when an agent gets a %s from outside, and what it used is kept",
    async (signal) => {
      const mark = newMark();
      await using fake = await startFakeProvider({
        reply: playAgent([
          { knownBy: "Make it two", turns: [{ calls: [{ name: "shell", input: { command: sleeping(mark) } }] }] },
        ]),
      });
      const ended = runAgent(fake, { agent: { ...PLAIN_AGENT, command: [...(PLAIN_AGENT.command ?? []), mark] } });
      await signalTree(mark, signal, `: ${mark}`);
      const { outcome, summary } = await ended;
      expect(outcome).toMatchObject(NOBODYS_LOSS);
      expect(summary).toMatchObject({ status: "cancelled", stop_reason: "killed_from_outside", turns: 1 });
      expect(summary.cost_usd).toBeGreaterThan(0);
    },
  );
});

/** How a run ends in which the second arm, or a check of it, ends itself. */
async function endOf(work: Work) {
  const { outcome } = await runOnce(testServices(), await scenarioOf(work));
  const { state, failure, verdict } = outcome;
  return { state, failure, winner: verdict?.winner, decided_by: verdict?.decided_by, flags: verdict?.flags };
}

/** The second arm leaves a file by which the check tells it from the first. */
const MARKS = [{ calls: [{ write_file: { path: "slow", content: "" } }] }, { say: "Done." }];
const FIRST_WINS = { state: "completed", failure: null, winner: "fast", decided_by: "probe" };

describeNeeding(SANDBOX)("an arm loses as before", () => {
  test.each([
    ["kills itself", "kill -9 $$"],
    ["is a child of the check and is killed by it", "sleep 30 & kill -9 $!; wait $! || exit 1"],
    ["ends by SIGTERM of its own", "kill $$"],
    ["has a segmentation fault", "kill -SEGV $$"],
    ["aborts", "kill -ABRT $$"],
    ["ends everything that it can reach", "kill -9 -1; exit 1"],
  ])("when its code %s in a hidden check", async (_how, line) => {
    expect(await endOf({ check: `test ! -f slow || { ${line}; }`, slow: MARKS })).toMatchObject(FIRST_WINS);
  });

  test("when its command kills itself, and its check fails for that", async () => {
    const command = "kill -9 $$; touch fine";
    const slow = [...MARKS.slice(0, 1), { calls: [{ run_command: { command } }] }, { say: "Done." }];
    expect(await endOf({ check: "test ! -f slow || test -f fine", slow })).toMatchObject(FIRST_WINS);
  });

  test.each([
    ["ends its own session", "kill -9 -1", 137],
    ["kills itself", "kill -9 $$", 137],
    ["aborts", "kill -ABRT $$", 134],
    ["has a segmentation fault", "kill -SEGV $$", 139],
    ["is killed by what left its session", 'setsid sh -c "kill -9 $$" & sleep 30', 137],
  ])("when its agent %s", async (_how, line, exit_code) => {
    await using fake = await startFakeProvider({
      reply: playAgent([{ knownBy: "hello", turns: [{ text: "No." }] }]),
    });
    const agent = shellAgent(`bun /home/agent/agent.mjs; ${line}`, `${ASKS_ONCE} await ask();`);
    const { outcome, summary } = await runAgent(fake, { agent });
    expect(outcome).toMatchObject({ state: "completed", failure: null });
    expect(summary).toMatchObject({ status: "finished", agent: { exit_code } });
    expect(outcome.verdict?.flags).toContain("arm_crashed");
  });

  test.each([
    ["SIGKILL", 137],
    ["SIGSEGV", 139],
  ])("when its MCP server ends itself by %s", async (by, exit_code) => {
    const { outcome } = await runWithServer([{ fake__die: { by } }]);
    expect(outcome).toMatchObject({ state: "completed", failure: null });
    expect(JSON.stringify(outcome.decisions["slow"])).toContain(
      `the server of this tool ended: exit code ${exit_code}`,
    );
  });
});
