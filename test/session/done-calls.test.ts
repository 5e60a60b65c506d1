import { expect, test } from "bun:test";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { runOnce, testServices } from "../harness.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

test("an arm that only tries what is required, or checked, has not done it", async () => {
  const arm = (id: string, path: string, command: string) => ({
    ...{ id, model: "scripted/x" },
    script: [{ calls: [{ read_file: { path } }, { run_command: { command } }] }, { say: "Done." }],
  });
  const scenario = {
    name: "done",
    task: {
      prompt: "Do it.",
      fixture: { files: { "spec.md": "Add adds." } },
      probe: { checks: [{ id: "looked", called: { tool: "read_file", match: "*.md" } }] },
    },
    policies: {
      required: [
        { id: "read", tool: "read_file", match: "*.md" },
        { id: "ran", tool: "run_command", match: "*test*" },
      ],
    },
    arms: [arm("tries", "absent.md", "no-such-program test"), arm("does", "spec.md", "test -e absent")],
    rubric: { criteria: [{ measure: "tokens" }], judge: { model: "builtin/evidence" } },
  };
  await using folder = await scenarioFolder({ "done.yaml": JSON.stringify(scenario) });
  const { outcome } = await runOnce(testServices(), await loadScenarioFile(folder.path("done.yaml")));
  expect(outcome.arms.map(({ required, probe }) => [...required.map(({ met }) => met), probe?.passed])).toEqual([
    [false, false, 0],
    [true, true, 1],
  ]);
});
