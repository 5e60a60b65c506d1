import { expect, test } from "bun:test";
import { gateOfSeries, gateOfVerdict } from "../../src/domain/pipeline-gate.ts";

const ARMS = { a: "one", b: "other" };
const SHUT = { one: null, other: null };

test.each(["a_preferred", "b_preferred", "no_difference_above_margin", "undecided"] as const)(
  "a series that says %s shuts the gate when its judge failed its self-test",
  (conclusion) => {
    expect(
      gateOfSeries(ARMS, conclusion, { flags: ["judge_unaudited", "judge_failed_self_test"], shut: false }).gate,
    ).toEqual(SHUT);
    const isOpen = Object.values(gateOfSeries(ARMS, conclusion, { flags: ["judge_unaudited"], shut: false }).gate).some(
      (arm) => arm !== null,
    );
    expect(isOpen).toBe(conclusion !== "undecided");
  },
);

test.each([
  ["winner", "a", { one: "better", other: null }],
  ["winner", "b", { one: null, other: "better" }],
  ["tie", null, { one: "not_worse", other: "not_worse" }],
  ["inconclusive", null, SHUT],
] as const)(
  "a verdict that says %s, %p shuts the gate when its judge failed its self-test",
  (outcome, winner_side, gate) => {
    const verdict = { arm_a: { arm_id: "one" }, arm_b: { arm_id: "other" }, outcome, winner_side };
    expect(gateOfVerdict({ ...verdict, flags: ["single_trial"] })).toEqual({ gate });
    expect(gateOfVerdict({ ...verdict, flags: ["single_trial", "judge_failed_self_test"] })).toEqual({ gate: SHUT });
  },
);
