import { expect, test } from "bun:test";
import { chooseScript, scriptFor } from "../../src/comparison/planning/arm-source.ts";
import { prepareSession, type RunOptions } from "../../src/comparison/planning/prepare-session.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import type { Arm, WeightedScript } from "../../src/domain/arm.ts";
import { runOnce, testServices } from "../harness.ts";
import { anArm, aScenario } from "../outcomes.ts";

const saying = (say: string, weight: number): WeightedScript => ({ weight, turns: [{ say }] });

const weighted = (id: string, scripts: WeightedScript[]): Arm => anArm(id, { script: null, scripts });

const TRIALS = Array.from({ length: 2000 }, (_, index) => index + 1);

function timesChosen(arm: Arm, seed: string): number[] {
  const counts = (arm.scripts ?? []).map(() => 0);
  for (const trial of TRIALS) {
    const chosen = chooseScript(arm, { seed, trial }) ?? -1;
    counts[chosen] = (counts[chosen] ?? 0) + 1;
  }
  return counts;
}

test("scripts are chosen as often as their weights say", () => {
  const arm = weighted("arm", [saying("often", 6), saying("at times", 3), saying("seldom", 1)]);
  const [often = 0, atTimes = 0, seldom = 0] = timesChosen(arm, "seed");
  expect([often, atTimes, seldom].map((count) => Math.round(count / 100))).toEqual([12, 6, 2]);
  expect(often + atTimes + seldom).toBe(TRIALS.length);
});

test("the choice of a trial is the same on every machine, and another for other seeds, trials and arms", () => {
  const scripts = Array.from({ length: 10 }, (_, index) => saying(`${index}`, 1));
  const row = (id: string, seed: string) =>
    TRIALS.slice(0, 12).map((trial) => chooseScript(weighted(id, scripts), { seed, trial }));
  // The first digits of `sha256("tour:1:left")`, "tour:2:left" and so on, computed elsewhere.
  expect(row("left", "tour")).toEqual([4, 2, 3, 0, 9, 8, 8, 4, 4, 2, 6, 4]);
  expect(new Set([row("left", "tour"), row("right", "tour"), row("left", "other")].map(String)).size).toBe(3);
});

test("weights that rounding swallows still give a script", () => {
  const tiny = weighted("arm", [saying("a", 1e6), saying("b", Number.MIN_VALUE), saying("c", Number.MIN_VALUE)]);
  expect(timesChosen(tiny, "seed")).toEqual([TRIALS.length, 0, 0]);
  const even = weighted("arm", [saying("a", Number.MIN_VALUE), saying("b", Number.MIN_VALUE)]);
  expect(timesChosen(even, "seed").reduce((sum, count) => sum + count)).toBe(TRIALS.length);
});

test("an arm with one script, or with a model of its own, has no choice", () => {
  const draw = { seed: "seed", trial: 1 };
  expect(chooseScript(anArm("arm"), draw)).toBeUndefined();
  expect(scriptFor(anArm("arm"), draw)).toEqual([{ say: "Done." }]);
  const real = { ...weighted("arm", [saying("a", 1)]), model: "openai/gpt-x" };
  expect(chooseScript(real, draw)).toBeUndefined();
  expect(scriptFor(real, draw)).toBeNull();
});

const LEFT = weighted("left", [saying("L0", 1), saying("L1", 1), saying("L2", 1)]);
const RIGHT = anArm("right");
const LOADED: LoadedScenario = {
  definition: aScenario({ arms: [LEFT, RIGHT] }),
  digest: "d".repeat(64),
  file: "sample.yaml",
  directory: "/nowhere",
};

const settingsOf = async (options: RunOptions) => (await prepareSession(testServices(), LOADED, options)).settings;

test("a run replays the script that its seed chooses, and stores the choice", async () => {
  const { outcome } = await runOnce(testServices(), LOADED);
  const draw = { seed: LOADED.digest, trial: 1 };
  const chosen = chooseScript(LEFT, draw) ?? -1;
  expect(outcome.settings.scripts).toEqual({ left: { ...draw, chosen } });
  expect(outcome.arms.map(({ final_answer }) => final_answer)).toEqual([`L${chosen}`, "Done."]);
  expect(outcome.definition).toEqual(LOADED.definition);
});

test("seed and trial number decide the choice, and nothing is stored where there is none", async () => {
  const draws = TRIALS.slice(0, 20).map((trial) => ({ seed: "tour", trial }));
  const stored = await Promise.all(
    draws.map(async ({ seed, trial }) => (await settingsOf({ seed, trial_number: trial })).scripts),
  );
  expect(stored).toEqual(draws.map((draw) => ({ left: { ...draw, chosen: chooseScript(LEFT, draw) ?? -1 } })));
  expect(await settingsOf({ seed: "tour" })).toMatchObject({ scripts: { left: { seed: "tour", trial: 1 } } });
  const credentials = testServices({ OPENAI_API_KEY: "key" });
  const { settings } = await prepareSession(credentials, LOADED, { model_override: "openai/gpt-x", seed: "tour" });
  expect(settings).not.toHaveProperty("scripts");
});

test("runs that replayed the same script can be told from runs that did not", async () => {
  const digests = new Map<string, Set<string | undefined>>();
  for (const trial_number of TRIALS.slice(0, 8)) {
    const { outcome } = await runOnce(testServices(), LOADED, { seed: "tour", trial_number });
    const [left, right] = outcome.arms;
    expect(left.replies_digest).not.toBe(right.replies_digest);
    const said = left.final_answer ?? "";
    digests.set(said, (digests.get(said) ?? new Set()).add(left.replies_digest));
  }
  expect([...digests.keys()].sort()).toEqual(["L0", "L1", "L2"]);
  expect(new Set([...digests.values()].flatMap((those) => [...those])).size).toBe(3);
});
