import { expect, test } from "bun:test";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { runOnce, testServices } from "../harness.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { failureOf, scenarioFolder } from "../scenario/scenario-folder.ts";

const LOOK = "pwd; ls -d /workspace 2>&1; cat /data/d.txt; echo x > /data/new 2>&1; echo 1 > /logs/n && cat /logs/n";

const scenario = (script: readonly unknown[], check: string) =>
  JSON.stringify({
    name: "mounted",
    task: {
      prompt: "Do it.",
      fixture: { dir: "repo", at: "/app", also: { "/data": "data", "/logs": { private: true } } },
      setup: ["test -f /app/a.txt && test -f /data/d.txt && echo set > /app/set.txt"],
      probe: { dir: "hidden", checks: [{ id: "there", run: check, required: true }] },
    },
    arms: [
      { id: "works", model: "scripted/a", system_prompt: "A", script },
      { id: "rests", model: "scripted/b", system_prompt: "B", script: [{ say: "Nothing." }] },
    ],
    rubric: { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } },
  });

const folderWith = (script: readonly unknown[], check = "true") =>
  scenarioFolder({
    "mounted.yaml": scenario(script, check),
    "repo/a.txt": "a\n",
    "data/d.txt": "data\n",
    "hidden/t.txt": "hidden\n",
  });

testNeeding(SANDBOX)(
  "commands, setup, checks and tools find the workspace where it is mounted, and there alone",
  async () => {
    const script = [
      { calls: [{ run_command: { command: LOOK } }] },
      { calls: [{ run_command: { command: "echo b > /app/b.txt; ls /logs" } }] },
      { calls: [{ read_file: { path: "/app/b.txt" } }, { read_file: { path: "/workspace/b.txt" } }] },
      { calls: [{ write_file: { path: "/app/deep/c.txt", content: "c\n" } }] },
      { say: "Done." },
    ];
    const check = 'test "$PWD" = /app && cat t.txt /app/b.txt set.txt && ls $ABEVAL_EVIDENCE && test -z "$(ls /logs)"';
    await using folder = await folderWith(script, check);
    const { outcome } = await runOnce(testServices(), await loadScenarioFile(folder.path("mounted.yaml")));
    const [works] = outcome.arms;
    const told = outcome.decisions["works"]?.flatMap(({ kind, detail }) =>
      kind === "tool_call" && detail ? detail.output : [],
    );
    expect(told).toEqual([
      expect.stringMatching(
        /^\/app\nls: cannot access '\/workspace'.*\ndata\n.*(Read-only file system|Permission denied).*\n1\n/s,
      ),
      "[exit code 0]",
      "b\n",
      expect.stringContaining("/workspace/b.txt is outside the workspace"),
      "Wrote 2 bytes to deep/c.txt.",
    ]);
    expect(works?.changes?.files.map(({ path }) => path)).toEqual(["b.txt", "deep/c.txt"]);
    expect(works?.probe?.checks).toMatchObject([{ status: "pass", reason: null }]);
    expect(outcome.arms[1]?.probe?.checks).toMatchObject([{ status: "fail" }]);
  },
);

test("without a sandbox it is refused before anything runs", async () => {
  await using folder = await folderWith([{ say: "Done." }]);
  const loaded = await loadScenarioFile(folder.path("mounted.yaml"));
  expect(await failureOf(runOnce(testServices({}, { sandbox: "none" }), loaded))).toMatchObject({
    code: "sandbox_unavailable",
    message: expect.stringContaining(
      "`task.image`, `fixture.at` and `fixture.also` mount things, which only bubblewrap does",
    ),
  });
});

test("without one, commands of setup, arms and checks find the fixture's variables", async () => {
  const { task, ...rest } = JSON.parse(
    scenario([{ calls: [{ run_command: { command: 'echo "$MODE" > arm.txt' } }] }, { say: "Done." }], "true"),
  );
  const check = 'test "$MODE" = "a b" && test "$(cat set.txt)" = "a b" && test "$(cat arm.txt)" = "a b"';
  await using folder = await scenarioFolder({
    "mounted.yaml": JSON.stringify({
      ...rest,
      task: {
        prompt: task.prompt,
        fixture: { env: { MODE: "a b" } },
        setup: ['echo "$MODE" > set.txt'],
        probe: { checks: [{ id: "there", run: check, required: true }] },
      },
    }),
  });
  const loaded = await loadScenarioFile(folder.path("mounted.yaml"));
  const { outcome } = await runOnce(testServices({}, { sandbox: "none" }), loaded);
  expect(outcome.arms.map(({ probe }) => probe?.checks[0]?.status)).toEqual(["pass", "fail"]);
  expect(process.env["MODE"]).toBeUndefined();
});
