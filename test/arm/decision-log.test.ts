import { expect, test } from "bun:test";
import { DecisionLog } from "../../src/arms/arm/decision-log.ts";
import type { Decision } from "../../src/domain/decision.ts";

const clock = { now: () => new Date(0), ticks: () => 0 };
const answer = { summary: "Done.", detail: { text: "Done." } };

test("a decision that could not be stored leaves no gap in the numbers", () => {
  const kept: Decision[] = [];
  let full = true;
  const log = new DecisionLog(clock, (decision) => {
    if (full) throw new Error("no space left");
    kept.push(decision);
  });
  expect(() => log.add("final_answer", answer)).toThrow("no space left");
  full = false;
  log.add("final_answer", answer);
  log.add("final_answer", answer);
  expect(kept.map(({ seq }) => seq)).toEqual([1, 2]);
});

test("a log goes on after the number it is given", () => {
  const kept: Decision[] = [];
  new DecisionLog(clock, (decision) => kept.push(decision), 7).add("final_answer", answer);
  expect(kept.map(({ seq }) => seq)).toEqual([8]);
});
