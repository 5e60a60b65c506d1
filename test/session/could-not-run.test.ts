import { expect, test } from "bun:test";
import { THIS_HOST } from "../../src/arms/sandbox/host.ts";
import { Sandboxes } from "../../src/arms/sandbox/sandboxes.ts";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { openSeries } from "../../src/comparison/session/open-series.ts";
import type { ProbeCheck } from "../../src/domain/task.ts";
import { seriesReport } from "../../src/doors/operation/find-series.ts";
import { light, runOnce, testServices } from "../harness.ts";
import { SANDBOX } from "../machine.ts";
import { describeNeeding } from "../needs.ts";

/** A machine on which nothing is installed, also not the program that runs this test. */
const bareMachine = () => {
  const host = { ...THIS_HOST, path: "/nowhere", executable: null };
  return testServices({}, { sandbox: "none", sandboxes: new Sandboxes(host) });
};

/** The greeting is found by whoever looks for it; its only check is `run`. */
async function checkedBy(run: string, changes: Partial<ProbeCheck> = {}): Promise<LoadedScenario> {
  const { definition, ...loaded } = await light("pager-last-page");
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

describeNeeding(SANDBOX)("in the sandbox, where nobody can install it,", () => {
  const prepare = async (run: string, changes?: Partial<ProbeCheck>, setup: readonly string[] = []) => {
    const loaded = await checkedBy(run, changes);
    const steps = setup.map((step) => ({ run: step, timeout_s: 10 }));
    const definition = { ...loaded.definition, task: { ...loaded.definition.task, setup: steps } };
    const services = testServices({}, { sandbox: "bubblewrap" });
    return await prepareSession(services, { ...loaded, definition }, {}).then(
      () => "taken",
      (error) => `${error.code}: ${error.message}`,
    );
  };

  test.each(["absent-x -q", "cd . && absent-x 'a b' && true", "test -d . && absent-x"])(
    "`%s` is refused before an arm is asked",
    async (run) => {
      expect(await prepare(run)).toBe(
        "invalid_request: check tests cannot run: absent-x is not found; install it in `setup`, or show it with --sandbox-read",
      );
    },
  );

  // Each of these may yet run, or is meant to fail.
  test.each([
    "absent-x || true",
    "absent-x; true",
    "! absent-x",
    "if absent-x; then true; fi",
    "PATH=.venv/bin absent-x",
    ". ./env && absent-x",
    "eval 'absent-x () { true' && absent-x",
    "./absent-x",
    "sh absent-x",
    "absent-x & true",
    "python3 -m absent_x",
    "$TOOL absent-x",
    "absent-x | cat",
    "bun test && cd . && true",
  ])("`%s` is taken", async (run) => {
    expect(await prepare(run)).toBe("taken");
  });

  test("a check that expects to find nothing, and one after a setup, are taken", async () => {
    expect(await prepare("absent-x", { expect_exit: 127 })).toBe("taken");
    expect(await prepare("absent-x", {}, ["true"])).toBe("taken");
  });
});
