import { expect, test } from "bun:test";
import { join } from "node:path";
import { signalProcess } from "../../src/arms/sandbox/process/process-table.ts";
import type { Series } from "../../src/domain/series.ts";
import { startAbeval } from "../abeval.ts";
import { type Served, serve } from "../http/served.ts";
import { jsonPost } from "../http/service.ts";
import { ROOT_USER, SANDBOX } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { until } from "../turns.ts";
import { KINDS, openScene, type Scene, SIGNALS, serverOf, signalBelow, signalTree } from "./scene.ts";

/** Each scenario has one result, the right one. Each trial that a signal hit has none: on a slow machine not every one is hit. */
function expectNobodysLoss({ state, trials }: Series): void {
  expect(state).toBe("completed");
  const told = trials.map(({ scenario, state: how, d }) => ({ scenario, how, d }));
  const [given, hit] = [told.filter(({ how }) => how === "completed"), told.filter(({ how }) => how !== "completed")];
  expect(given.toSorted(byScenario)).toEqual(KINDS.map((scenario) => ({ scenario, how: "completed", d: -1 })));
  expect(hit).toEqual(hit.map(({ scenario }) => ({ scenario, how: "interrupted", d: null })));
  expect(hit).not.toEqual([]);
}

const byScenario = (one: { readonly scenario: string }, other: { readonly scenario: string }) =>
  one.scenario < other.scenario ? -1 : 1;

describeNeeding(SANDBOX, ROOT_USER)("no arm loses, and each trial runs again", () => {
  const start = ({ scenarios, state, flags, env }: Scene, ...more: readonly string[]) => {
    const files = KINDS.map((kind) => join(scenarios, `${kind}.yaml`));
    return startAbeval(["run", ...files, "--parallel", "4", "--state-dir", state, ...flags, ...more], { env });
  };

  test.each(SIGNALS)("when a %s reaches abeval run and all that it has started", async (signal) => {
    await using scene = await openScene();
    const killed = start(scene);
    const said = new Response(killed.stderr).text();
    await scene.atWork();
    await signalTree(killed.pid, signal);
    expect(await killed.exited).toBe({ SIGTERM: 130, SIGKILL: 137 }[signal]);
    const [series_id = ""] = /series-\w+-\w+/.exec(await said) ?? [];
    expectNobodysLoss(JSON.parse(await new Response(start(scene, "--continue", series_id).stdout).text()));
  });

  test.each(SIGNALS)("when a %s reaches all that abeval run has started, and not itself", async (signal) => {
    await using scene = await openScene();
    const running = start(scene);
    await scene.atWork();
    await signalBelow(running.pid, signal);
    expectNobodysLoss(JSON.parse(await new Response(running.stdout).text()));
    expect(await running.exited).toBe(0);
  });

  const serving = ({ scenarios, state, flags, env }: Scene) =>
    serve(["--scenarios-dir", scenarios, "--state-dir", state, ...flags], env, { supervised: true });

  test.each(SIGNALS)(
    "when a %s reaches abeval serve, its supervisor and all that they have started",
    async (signal) => {
      await using scene = await openScene();
      await using killed = await serving(scene);
      const series_id = await goOn(killed);
      await scene.atWork();
      await signalTree(killed.child.pid, signal);
      expect(await killed.child.exited).toBe({ SIGTERM: 0, SIGKILL: 137 }[signal]);
      await using next = await serving(scene);
      await goOn(next, series_id);
      expectNobodysLoss(await endOf(next, series_id));
    },
  );

  test.each(SIGNALS)("when a %s reaches all that abeval serve has started, and not itself", async (signal) => {
    await using scene = await openScene();
    await using served = await serving(scene);
    const series_id = await goOn(served);
    await scene.atWork();
    await signalBelow(serverOf(served.child.pid), signal);
    expectNobodysLoss(await endOf(served, series_id));
  });

  test("when a SIGKILL reaches the server alone, which its supervisor starts again", async () => {
    await using scene = await openScene();
    await using served = await serving(scene);
    const series_id = await goOn(served);
    await scene.atWork();
    signalProcess(serverOf(served.child.pid), "SIGKILL");
    await until(() => served.log().split("listening on").length > 2);
    await goOn(served, series_id);
    expectNobodysLoss(await endOf(served, series_id));
  });
});

async function goOn({ url }: Served, before?: string): Promise<string> {
  const asked = { scenarios: KINDS, parallel: 4, ...(before && { continue: before }) };
  const answer = await fetch(`${url}/api/series`, jsonPost(asked));
  return ((await answer.json()) as Series).series_id;
}

const endOf = async ({ url }: Served, series_id: string) =>
  await until(async () => {
    const series = (await (await fetch(`${url}/api/series/${series_id}`)).json()) as Series;
    return series.state !== "running" && series;
  });
