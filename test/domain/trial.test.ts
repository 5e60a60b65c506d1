import { expect, test } from "bun:test";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { trialRowOf } from "../../src/domain/trial.ts";
import { anOutcome } from "../outcomes.ts";

const ID = "session-sample-20260102T030405678Z";
const OUTCOME = anOutcome(ID);

const drawOf = (models: readonly [string, string], settings: Partial<SessionOutcome["settings"]> = {}, said = "0") => {
  const [left, right] = OUTCOME.arms;
  const arms: SessionOutcome["arms"] = [
    { ...left, model: models[0], replies_digest: said.repeat(64) },
    { ...right, model: models[1], replies_digest: "f".repeat(64) },
  ];
  const { draw, conduct } = trialRowOf({ ...OUTCOME, arms, settings: { ...OUTCOME.settings, ...settings } });
  return { draw, conduct };
};

const SCRIPTS = ["scripted/a", "scripted/b"] as const;
const chosen = (seed: string, trial: number) => ({ scripts: { left: { seed, trial, chosen: 0 } } });

test("runs of scripts are one draw by seed and trial, whatever else varied in them", () => {
  const { draw } = drawOf(SCRIPTS, chosen("s", 1));
  expect(drawOf(SCRIPTS, chosen("s", 1), "1").draw).toBe(draw);
  expect(drawOf(SCRIPTS, chosen("s", 2)).draw).not.toBe(draw);
  expect(drawOf(SCRIPTS, chosen("t", 1)).draw).not.toBe(draw);
});

test("where nothing was chosen, a script or a recording is known by what it said", () => {
  const { draw, conduct } = drawOf(SCRIPTS);
  expect(draw).toBe(conduct ?? "");
  const [left, right] = OUTCOME.arms;
  expect(drawOf(["openai/m", "openai/m"], { replayed: [left.arm_id, right.arm_id, "judge"] }).draw).toBe(conduct ?? "");
  expect(drawOf(["openai/m", "scripted/b"], { replayed: [left.arm_id] }).draw).toBe(conduct ?? "");
});

test("a run in which one model was asked is no copy of anything", () => {
  expect(drawOf(["scripted/a", "openai/m"], chosen("s", 1)).draw).toBeUndefined();
  expect(drawOf(["openai/m", "openai/m"], { replayed: ["judge"] }).draw).toBeUndefined();
  expect(drawOf(["openai/m", "openai/m"], { replayed: [OUTCOME.arms[0].arm_id] }).draw).toBeUndefined();
});
