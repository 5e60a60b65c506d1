import { expect, test } from "bun:test";
import type { ProbeCheck } from "../../src/domain/task.ts";
import { seriesReport } from "../../src/operation/series.ts";
import { THIS_HOST } from "../../src/sandbox/host.ts";
import { Sandboxes } from "../../src/sandbox/sandboxes.ts";
import type { LoadedScenario } from "../../src/scenario/loaded-scenario.ts";
import { openSeries } from "../../src/session/open-series.ts";
import { bundled, runOnce, testServices } from "../harness.ts";

/** A machine on which nothing is installed, also not the program that runs this test. */
const bareMachine = () => {
  const host = { ...THIS_HOST, path: "/nowhere", executable: null };
  return testServices({}, { sandbox: "none", sandboxes: new Sandboxes(host) });
};

/** The greeting is found by whoever looks for it; its only check is `run`. */
async function checkedBy(run: string, changes: Partial<ProbeCheck> = {}): Promise<LoadedScenario> {
  const { definition, ...loaded } = await bundled("pager-last-page");
  const { task } = definition;
  const check = { id: "tests", before: null, required: true, weight: 1, timeout_s: 10, expect_exit: 0 } as const;
  const checks = [{ ...check, run, output_matches: null, ...changes }];
  const digest = "0".repeat(64);
  const probe = { files: { dir: null, files: {}, digest }, checks };
  return { ...loaded, definition: { ...definition, task: { ...task, setup: [], reference_fix: null, probe } } };
}

test.each(["bun test", "pytest -q"])("without the program of `%s` nobody is judged", async (run) => {
  const [program] = run.split(" ");
  const { outcome } = await runOnce(bareMachine(), await checkedBy(run));
  expect(outcome).toMatchObject({ state: "completed", verdict: { outcome: "invalid", winner: null, calls: [] } });
  expect(outcome.verdict?.flags).toContain("check_could_not_run");
  expect(outcome.verdict?.statement).toContain(
    `hidden checks could not run on either arm (tests: ${program} is not found)`,
  );
});

test("a series stops after the first trial whose checks cannot run, and says why", async () => {
  const services = bareMachine();
  const scenario = await checkedBy("pytest -q");
  const source = { scenarios: [scenario], load: async () => scenario };
  const { done } = await openSeries(services, source, { trials: 10, parallel: 1 });
  const series = await seriesReport(services.store, await done);
  expect(series).toMatchObject({
    ...{ state: "failed", stop: "failed", conclusion: "undecided" },
    failure: "hidden checks could not run on either arm (tests: pytest is not found)",
  });
  expect(series.trials).toHaveLength(1);
});
