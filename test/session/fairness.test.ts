import { expect, test } from "bun:test";
import { observedDifferences } from "../../src/comparison/session/run/open-arm.ts";
import { pendingArm } from "../../src/comparison/session/stored-arm.ts";
import { anArm } from "../outcomes.ts";

const arm = (id: string, changes = {}) => ({ ...pendingArm(anArm(id, { model: "openai/x" })), ...changes });

test("arms that were treated alike show no difference", () => {
  expect(observedDifferences(arm("a", { model_served: "x-1" }), arm("b", { model_served: "x-1" }), 3)).toEqual([]);
});

test("another served model under one name is told", () => {
  expect(observedDifferences(arm("a", { model_served: "x-1" }), arm("b", { model_served: "x-2" }), 0)).toEqual([
    "the same model was asked for, but x-1 and x-2 answered",
  ]);
  const other = { ...arm("b", { model_served: "y-1" }), model: "openai/y" };
  expect(observedDifferences(arm("a", { model_served: "x-1" }), other, 0)).toEqual([]);
});

test("throttling of one arm is told with both figures", () => {
  expect(observedDifferences(arm("a", { throttled_ms: 1500 }), arm("b"), 0)).toEqual([
    "the provider made a wait 1500 ms and b 0 ms",
  ]);
});

test("an uneven start is told, in either direction", () => {
  for (const skew of [2000.4, -2000.4])
    expect(observedDifferences(arm("a"), arm("b"), skew)).toEqual(["the arms started 2000 ms apart"]);
});
