import { expect, test } from "bun:test";
import { pendingArm } from "../../src/comparison/session/stored-arm.ts";
import { stallMattered } from "../../src/domain/stall.ts";
import { anArm } from "../outcomes.ts";

const timed = (stalled_ms: number, wall_ms: number, limit: number) => ({
  ...pendingArm(anArm("a")),
  ...{ stalled_ms, wall_ms, working_ms: wall_ms },
  budget: [{ budget: "seconds" as const, used: wall_ms / 1_000, limit }],
});

test.each([
  ["a tenth of the arm's time", timed(10_000, 90_000, 600), true],
  ["less than a tenth of it", timed(9_900, 90_000, 600), false],
  ["less, but it would have ended the arm", timed(2_000, 98_000, 100), true],
  ["less than a second, as a busy machine makes them", timed(990, 1_000, 1), false],
])("whether a pause mattered: %s", (_what, arm, mattered) => {
  expect(stallMattered(arm)).toBe(mattered);
});

test("sessions of which no pause is stored had none that mattered", () => {
  expect(stallMattered(pendingArm(anArm("a")))).toBe(false);
});
